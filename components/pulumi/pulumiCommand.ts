import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** Commands that run the program, by their first names. */
const UPDATES = ["up", "update", "preview", "pre", "watch"];

/** Commands that run the program only to find out what it registers (`--run-program`): no registration changes anything. */
const WITHOUT_CHANGES = ["refresh", "destroy"];

/** Options of the CLI that have a value as the next argument, which may be any word. */
const WITH_VALUE = ["-C", "--cwd"];

/** Processes between this one and the CLI at most: Node.js, the language host, a shell. */
const MOST_ANCESTORS = 8;

/** A process, as Linux shows it. */
export interface RunningProcess {
    /** Its program and arguments. */
    command: string[];
    parent: number;
}

/** Reads a process. Undefined if it can't be read. */
export type ReadProcess = (id: number) => RunningProcess | undefined;

/**
 * Whether no registration of this run changes a resource: in a preview, and in `pulumi refresh --run-program` and `pulumi destroy
 * --run-program`. Such a program creates nothing on an engine and waits for nothing.
 *
 * Pulumi (3.259) runs a program in a refresh as in an update, and says nothing about it: neither in the environment nor in what
 * the program is started with (RefreshV2 in pkg/engine/refresh.go). So the command is read from the process that has started
 * this one. Where that can't be read, a refresh that runs the program waits as an update does.
 */
export function changesNothing(): boolean {
    return pulumi.runtime.isDryRun() || (isRefresh ??= onlyRefreshes(process.ppid, readProcess));
}

let isRefresh: boolean | undefined;

/** Whether the nearest ancestor that is Pulumi's CLI refreshes or destroys a stack. */
export function onlyRefreshes(first: number, read: ReadProcess): boolean {
    let id = first;
    for (let step = 0; step < MOST_ANCESTORS && id > 1; step++) {
        const found = read(id);
        if (found === undefined) {
            return false;
        }
        const { command, parent } = found;
        const words = command.slice(1).filter((_, index, all) => !WITH_VALUE.includes(all[index - 1] ?? ""));
        const name = words.find((word) => [...UPDATES, ...WITHOUT_CHANGES].includes(word));
        if (basename(command[0] ?? "") === "pulumi" && name !== undefined) {
            return WITHOUT_CHANGES.includes(name);
        }
        id = parent;
    }
    return false;
}

function readProcess(id: number): RunningProcess | undefined {
    try {
        const stat = readFileSync(`/proc/${id}/stat`, "utf8");
        // The program's name, in parentheses, may contain anything (proc(5)).
        const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const command = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0").slice(0, -1);
        return { command, parent: Number(parent) };
    } catch {
        return undefined;
    }
}
