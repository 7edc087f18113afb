import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { outputOf } from "./run";

/** Whether a process is alive and runs a program with this name. A process that can't be inspected counts as one. */
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
        // EPERM: the process belongs to another user.
        return (error as NodeJS.ErrnoException).code !== "ESRCH";
    }
}

/** Path from which a process was started; empty if it is a zombie. */
function startedAs(pid: number): string | undefined {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0];
    } catch {
        return undefined;
    }
}
