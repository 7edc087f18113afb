import { readdirSync, readFileSync } from "node:fs";

/** Ids of a process and of all its descendants. */
export function processTree(root: number): number[] {
    const children = new Map<number, number[]>();
    for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        const parent = parentOf(entry);
        children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    }
    const tree = [root];
    for (const pid of tree) {
        tree.push(...(children.get(pid) ?? []));
    }
    return tree;
}

/** Stops all processes first and then kills them, so that none can act while others are killed. */
export function killAll(pids: number[]): void {
    pids.forEach((pid) => signal(pid, "SIGSTOP"));
    pids.forEach((pid) => signal(pid, "SIGKILL"));
}

/** Kills a process and all its descendants at the same moment. */
export function killTree(root: number): void {
    const stopped = new Set<number>();
    for (let found = processTree(root); found.some((pid) => !stopped.has(pid)); found = processTree(root)) {
        found.forEach((pid) => {
            signal(pid, "SIGSTOP");
            stopped.add(pid);
        });
    }
    killAll([...stopped]);
}

/** The process in a tree that runs a program with this name. */
export function processOf(root: number, program: string): number {
    const found = processTree(root).find((pid) => commandOf(pid).split("\0")[0]?.endsWith(`/${program}`));
    if (found === undefined) {
        throw new Error(`no process of ${root} runs ${program}`);
    }
    return found;
}

function commandOf(pid: number): string {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
        return "";
    }
}

/** A process that has ended by now has no parent that matters. */
function parentOf(pid: string): number {
    try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    } catch {
        return 0;
    }
}

function signal(pid: number, name: NodeJS.Signals): void {
    try {
        process.kill(pid, name);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
            throw error;
        }
    }
}
