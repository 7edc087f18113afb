import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../tools/paths";

/** Prints each signal that it receives, and ends a while after the first one. */
const CHILD =
    "trap 'echo SIGTERM' TERM; trap 'echo SIGINT' INT; echo begun; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; done; exit 7";

/** Its `spawn` is slow, so that an early signal arrives before it returns. */
const PROGRAM = `
const processes = require("node:child_process");
const { spawn } = processes;
processes.spawn = (...args) => {
    const child = spawn(...args);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    return child;
};
const { runAttached } = require(${JSON.stringify(join(PROJECT, "tools", "machine", "run.ts"))});
void runAttached("/bin/sh", ["-c", ${JSON.stringify(CHILD)}], { cwd: "/", env: process.env }).then((code) => console.log("code " + code));
`;

/** Positions of the process group, the parent and other values in the kernel's description of a process (proc(5)). */
const [PARENT, GROUP] = [1, 2];

/** How a signal is sent. */
interface Signalling {
    signal: NodeJS.Signals;
    /** To the process group, not only to its first process. */
    group?: boolean;
    /** Once more, as npm does: it forwards a signal that the group has already received. */
    twice?: boolean;
}

/**
 * The output of `npm run up`'s command, with this program instead of its own, when it gets a signal without a terminal.
 */
async function outputOf({ signal, group = false, twice = false }: Signalling): Promise<string[]> {
    const folder = mkdtempSync(join(tmpdir(), "run-"));
    try {
        const file = join(folder, "program.cjs");
        writeFileSync(file, PROGRAM);
        const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
            scripts: { up: string };
        };
        const child = spawn("/bin/sh", ["-c", scripts.up.replace("tools/commands/up.ts", file)], {
            cwd: PROJECT,
            env: { ...process.env, PATH: `${join(PROJECT, "node_modules", ".bin")}:${process.env["PATH"] ?? ""}` },
            stdio: ["ignore", "pipe", "inherit"],
            detached: true,
        });
        const { pid } = child;
        if (pid === undefined) {
            throw new Error("it was not started");
        }
        const send = () => process.kill(group ? -pid : pid, signal);
        let output = "";
        for await (const text of child.stdout.setEncoding("utf8")) {
            if (output === "" && String(text).startsWith("begun")) {
                send();
                if (twice) {
                    setTimeout(send, 50);
                }
            }
            output += String(text);
        }
        return output.trim().split("\n");
    } finally {
        rmSync(folder, { recursive: true });
    }
}

/** The same on a terminal, where all processes are one group. */
async function outputOnTerminal(send: (program: number, group: number) => void): Promise<string[]> {
    const folder = mkdtempSync(join(tmpdir(), "run-"));
    try {
        const [file, pidFile] = [join(folder, "program.cjs"), join(folder, "pid")];
        writeFileSync(
            file,
            PROGRAM.replace("echo begun", () => `echo $$ > ${pidFile}; echo begun`),
        );
        const command = `exec node --import tsx ${file}`;
        const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
            cwd: PROJECT,
            stdio: ["pipe", "pipe", "inherit"],
        });
        let output = "";
        for await (const text of child.stdout.setEncoding("utf8")) {
            if (!output.includes("begun") && String(text).includes("begun")) {
                const pid = readFileSync(pidFile, "utf8").trim();
                const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
                    .replace(/^.*\) /s, "")
                    .split(" ")
                    .map(Number);
                send(fields[PARENT] ?? 0, fields[GROUP] ?? 0);
            }
            output += String(text);
        }
        // The shell prints this about its `sleep`, which the group's signal also ends.
        return output
            .replace("Terminated\r\n", "")
            .trim()
            .split(/[\r\n]+/);
    } finally {
        rmSync(folder, { recursive: true });
    }
}

describe("a program on the user's terminal", () => {
    test.each<[string, Signalling]>([
        ["SIGTERM to npm run up alone", { signal: "SIGTERM" }],
        ["SIGTERM to all processes of its group", { signal: "SIGTERM", group: true }],
        ["SIGTERM twice, as by npm and by the group", { signal: "SIGTERM", group: true, twice: true }],
        ["SIGINT to npm run up alone", { signal: "SIGINT" }],
        ["SIGINT to all processes of its group", { signal: "SIGINT", group: true }],
        ["SIGINT twice, as by npm and by the group", { signal: "SIGINT", group: true, twice: true }],
    ])("gets %s once, and ends by itself", async (_, signalling) => {
        expect(await outputOf(signalling)).toEqual(["begun", signalling.signal, "code 7"]);
    });

    test.each<[string, (program: number, group: number) => void]>([
        ["SIGTERM to npm run up alone", (program) => process.kill(program, "SIGTERM")],
        [
            "SIGTERM to its group, which npm passes on",
            (program, group) => {
                process.kill(-group, "SIGTERM");
                setTimeout(() => process.kill(program, "SIGTERM"), 50);
            },
        ],
    ])("gets %s once, on a terminal", async (_, send) => {
        expect(await outputOnTerminal(send)).toEqual(["begun", "SIGTERM", "code 7"]);
    });
});
