import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../tools/paths";
import { allPassed, reportOf, runParts, type Ending, type JestRecord, type Part } from "./wholeRun";

const SECOND = 1000;

/** Everything that `npm test` runs, in this order. */
const PARTS: Part[] = [
    { name: "lint", command: ["npm", "run", "lint"] },
    { name: "typecheck", command: ["npm", "run", "typecheck"] },
    { name: "prepare-tests", command: ["npm", "run", "prepare-tests"] },
    {
        name: "unit and end-to-end tests",
        command: ["jest", "--selectProjects", "unit", "e2e"],
        needs: "prepare-tests",
        otherwise: ["jest", "--selectProjects", "unit"],
    },
    {
        name: "tests under load",
        command: ["jest", "--selectProjects", "load", "--runInBand"],
        needs: "prepare-tests",
    },
];

// npm test: runs each part, whatever the result of those before it. Prints the duration of each test file, and one line
// for all of it.
void main();

async function main(): Promise<void> {
    let interrupted = false;
    let current: ChildProcess | undefined;
    // A terminal also sends SIGINT to the running part, which then removes its resources.
    process.on("SIGINT", () => (interrupted = true));
    process.on("SIGTERM", () => {
        interrupted = true;
        current?.kill("SIGTERM");
    });
    const folder = mkdtempSync(join(tmpdir(), "test-run-"));
    const run = (name: string, [program = "", ...args]: string[]): Promise<Ending> => {
        console.log(`\n==> ${name}`);
        const file = join(folder, "record.json");
        rmSync(file, { force: true });
        const start = Date.now();
        return new Promise((resolve, reject) => {
            const env = { ...process.env, OBJECT_STORE_RUN_RECORD: file };
            current = spawn(program, args, { cwd: PROJECT, env, stdio: "inherit" });
            current.on("error", reject).on("close", (code) => {
                const record = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as JestRecord) : undefined;
                resolve({ code: code ?? 1, seconds: (Date.now() - start) / SECOND, record });
            });
        });
    };
    try {
        const outcomes = await runParts(PARTS, run, () => interrupted);
        console.log(reportOf(outcomes));
        process.exitCode = allPassed(outcomes) ? 0 : 1;
    } finally {
        rmSync(folder, { recursive: true });
    }
}
