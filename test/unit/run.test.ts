import { spawn } from "node:child_process";
import { join } from "node:path";
import { PROJECT } from "../../tools/paths";

/** Prints each signal that it gets, and ends a while after the first. */
const CHILD =
    "trap 'echo SIGTERM' TERM; trap 'echo SIGINT' INT; echo begun; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; done; exit 7";

/** Its `spawn` takes a while to return, so that a signal that comes at once comes before that. */
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

/** What a program prints that runs another one on no terminal, and is sent a signal, alone or with its group. */
async function outputOf(signal: NodeJS.Signals, group: boolean): Promise<string[]> {
    const child = spawn(process.execPath, ["--require", "tsx/cjs", "--eval", PROGRAM], {
        cwd: PROJECT,
        stdio: ["ignore", "pipe", "inherit"],
        detached: true,
    });
    const { pid } = child;
    if (pid === undefined) {
        throw new Error("it was not started");
    }
    let output = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
        if (output === "" && String(text).startsWith("begun")) {
            process.kill(group ? -pid : pid, signal);
        }
        output += String(text);
    }
    return output.trim().split("\n");
}

describe("a program that runs on the user's terminal", () => {
    test.each<[NodeJS.Signals, string, boolean]>([
        ["SIGTERM", "to npm run up alone", false],
        ["SIGTERM", "to all processes of its group", true],
        ["SIGINT", "to npm run up alone", false],
        ["SIGINT", "to all processes of its group", true],
    ])("gets %s %s once, and ends by itself", async (signal, _, group) => {
        expect(await outputOf(signal, group)).toEqual(["begun", signal, "code 7"]);
    });
});
