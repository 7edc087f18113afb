import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../tools/paths";
import type { Ending, JestRecord } from "./wholeRun";

const SECOND = 1000;

/** Programs of one run of the tests, which end with it. */
export class Processes {
    /** Whether a signal has asked this program to end. */
    interrupted = false;
    private readonly children = new Set<ChildProcess>();
    private readonly folder = mkdtempSync(join(tmpdir(), "test-run-"));
    private runs = 0;

    constructor() {
        // A terminal also sends SIGINT to the running programs, which then remove their resources.
        process.on("SIGINT", () => (this.interrupted = true));
        process.on("SIGTERM", () => {
            this.interrupted = true;
            this.children.forEach((child) => child.kill("SIGTERM"));
        });
    }

    /**
     * Runs a program of the project until it ends.
     *
     * @param quiet Whether its output is shown only if it fails; a path: whether it goes to that file, and isn't shown.
     */
    run(name: string, [program = "", ...args]: string[], quiet: boolean | string = false): Promise<Ending> {
        const record = join(this.folder, `${++this.runs}.json`);
        const env = { ...process.env, OBJECT_STORE_RUN_RECORD: record };
        const start = Date.now();
        console.log(quiet === false ? `\n==> ${name}` : `==> ${name} …`);
        const child = spawn(program, args, { cwd: PROJECT, env, stdio: quiet === false ? "inherit" : "pipe" });
        this.children.add(child);
        const output = outputOf(child, typeof quiet === "string" ? quiet : undefined);
        return new Promise((resolve, reject) => {
            child.on("error", reject).on("close", (code) => {
                this.children.delete(child);
                const seconds = (Date.now() - start) / SECOND;
                if (quiet !== false) {
                    console.log(`==> ${name}: ${code === 0 ? "passed" : "failed"}, ${seconds.toFixed(1)} s`);
                }
                if (quiet === true && code !== 0) {
                    console.log(output());
                }
                resolve({ code: code ?? 1, seconds, record: recordIn(record), output: output() });
            });
        });
    }

    /** Removes what the runs have left. */
    end(): void {
        rmSync(this.folder, { recursive: true });
    }
}

/** Collects what a program prints, and copies it to a file. Returns what came so far. */
function outputOf(child: ChildProcess, file: string | undefined): () => string {
    let output = "";
    const copy = file === undefined ? undefined : createWriteStream(file);
    for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
            output += text;
            copy?.write(text);
        });
    }
    child.on("close", () => copy?.end());
    return () => output;
}

function recordIn(file: string): JestRecord | undefined {
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as JestRecord) : undefined;
}
