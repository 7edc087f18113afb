import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { outputOf } from "./run";

/** Whether a process lives and runs a program of this name. One that can't be looked at is taken for it. */
export async function runsProgram(pid: number, program: string): Promise<boolean> {
    if (!isAlive(pid)) {
        return false;
    }
    const path = existsSync("/proc/self/cmdline")
        ? startedAs(pid)
        : await outputOf("ps", ["-o", "comm=", "-p", String(pid)]);
    return path === undefined || basename(path) === program;
}

function isAlive(pid: number): boolean {
    try {
        return process.kill(pid, 0);
    } catch (error) {
        // EPERM: it is another user's.
        return (error as NodeJS.ErrnoException).code !== "ESRCH";
    }
}

/** Path by which a process was started; empty where it has ended and its parent hasn't asked for that yet. */
function startedAs(pid: number): string | undefined {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0];
    } catch {
        return undefined;
    }
}
