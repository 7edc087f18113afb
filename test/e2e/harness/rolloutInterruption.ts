import { readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { killTree, processTree } from "./interruptProcessTree";

/** Sends a signal to the Pulumi process that this process has started, as Ctrl-C or a service manager does. */
export function signalPulumi(signal: "SIGINT" | "SIGTERM"): void {
    process.kill(pulumiProcess(), signal);
}

/**
 * Kills the Pulumi process that this process has started, with all its descendants. Then removes its lock, as `pulumi
 * cancel` does.
 */
export function killPulumi(): void {
    const pulumi = pulumiProcess();
    const folder = readlinkSync(`/proc/${pulumi}/cwd`);
    killTree(pulumi);
    rmSync(join(folder, ".pulumi", "locks"), { recursive: true });
}

function pulumiProcess(): number {
    const pulumi = processTree(process.pid).find((pid) => programOf(pid) === "pulumi");
    if (pulumi === undefined) {
        throw new Error("no update runs");
    }
    return pulumi;
}

function programOf(pid: number): string {
    try {
        return basename(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] ?? "");
    } catch {
        return "";
    }
}
