import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const SAMPLE_MILLISECONDS = 200;

/**
 * Peak resident memory, in MiB, of the engine and of the program during an action. Only counts this process's children.
 */
export async function memoryOfUpdate(work: () => Promise<void>): Promise<{ engine: number; program: number }> {
    const most = { engine: 0, program: 0 };
    const done = new AbortController();
    const watch = (async () => {
        while (!done.signal.aborted) {
            for (const { command, kibibytes } of descendants(process.pid)) {
                const kind = command.includes("/@pulumi/pulumi/cmd/run")
                    ? "program"
                    : isEngine(command)
                      ? "engine"
                      : "";
                if (kind !== "") {
                    most[kind] = Math.max(most[kind], kibibytes / 1024);
                }
            }
            await sleep(SAMPLE_MILLISECONDS);
        }
    })();
    await work().finally(() => done.abort());
    await watch;
    return most;
}

function isEngine(command: string): boolean {
    return /(^|\/)pulumi\0/.test(command);
}

function descendants(root: number): { command: string; kibibytes: number }[] {
    const processes = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => {
            try {
                const status = readFileSync(`/proc/${pid}/status`, "utf8");
                const number = (line: string) => Number(new RegExp(`^${line}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
                const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
                return [{ pid: Number(pid), parent: number("PPid"), kibibytes: number("VmHWM"), command }];
            } catch {
                // The process has ended.
                return [];
            }
        });
    const found = new Set([root]);
    for (let before = 0; before !== found.size;) {
        before = found.size;
        processes.filter(({ parent }) => found.has(parent)).forEach(({ pid }) => found.add(pid));
    }
    return processes.filter(({ pid }) => pid !== root && found.has(pid));
}
