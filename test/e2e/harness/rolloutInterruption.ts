import { readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { killTree, processTree } from "./interruptProcessTree";

/** Kills Pulumi, which this process has started, with all that it has started; its lock is taken away, as `pulumi cancel` does. */
export function killPulumi(): void {
    const pulumi = processTree(process.pid).find((pid) => programOf(pid) === "pulumi");
    if (pulumi === undefined) {
        throw new Error("no update runs");
    }
    const folder = readlinkSync(`/proc/${pulumi}/cwd`);
    killTree(pulumi);
    rmSync(join(folder, ".pulumi", "locks"), { recursive: true });
}

function programOf(pid: number): string {
    try {
        return basename(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] ?? "");
    } catch {
        return "";
    }
}
