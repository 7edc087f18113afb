import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const SAMPLE_MILLISECONDS = 200;

/** Peak resident memory in MiB. */
export interface UpdateMemory {
    engine: number;
    program: number;
    /** Of all processes of the Docker provider, one for each host: the sum of their peaks. */
    providers: number;
}

/** Memory of the engine, the program and the Docker providers during an action. Only counts this process's children. */
export async function memoryOfUpdate(work: () => Promise<void>): Promise<UpdateMemory> {
    const most = { engine: 0, program: 0 };
    const providers = new Map<number, number>();
    const done = new AbortController();
    const watch = (async () => {
        while (!done.signal.aborted) {
            for (const { pid, command, kibibytes } of descendants(process.pid)) {
                if (command.includes("/pulumi-resource-docker\0")) {
                    providers.set(pid, kibibytes / 1024);
                }
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
    return { ...most, providers: [...providers.values()].reduce((sum, one) => sum + one, 0) };
}

function isEngine(command: string): boolean {
    return /(^|\/)pulumi\0/.test(command);
}

function descendants(root: number): { pid: number; command: string; kibibytes: number }[] {
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
