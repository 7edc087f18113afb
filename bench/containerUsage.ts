import type { ContainerStats } from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { DockerHost } from "../test/e2e/harness/dockerHost";

/** Resource usage of a container during an action. */
export interface Usage {
    cpuSeconds: number;
    /** Peak memory of its processes, without the page cache, in MiB. */
    memory: number;
}

const SAMPLE_MILLISECONDS = 250;
const MIB = 2 ** 20;

/** Runs an action. Returns its result, with a container's resource usage meanwhile. */
export async function usageDuring<Result>(container: string, work: () => Promise<Result>): Promise<[Result, Usage]> {
    const begin = await sample(container);
    let memory = memoryOf(begin);
    const done = new AbortController();
    const watch = (async () => {
        while (!done.signal.aborted) {
            await sleep(SAMPLE_MILLISECONDS);
            memory = Math.max(memory, memoryOf(await sample(container)));
        }
    })();
    const result = await work().finally(() => done.abort());
    const end = await sample(container);
    await watch;
    return [result, { cpuSeconds: (cpuOf(end) - cpuOf(begin)) / 1e9, memory: Math.max(memory, memoryOf(end)) / MIB }];
}

function sample(container: string): Promise<ContainerStats> {
    return new DockerHost().docker.getContainer(container).stats({ stream: false, "one-shot": true });
}

function cpuOf(stats: ContainerStats): number {
    return stats.cpu_stats.cpu_usage.total_usage;
}

function memoryOf({ memory_stats: { stats } }: ContainerStats): number {
    // In version 1 of control groups, and in version 2.
    const { rss, anon } = stats as { rss?: number; anon?: number };
    return rss ?? anon ?? 0;
}
