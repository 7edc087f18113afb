import { DockerHost } from "./dockerHost";

const INTERVAL_MILLISECONDS = 250;

/** Memory of a container's processes in bytes, page cache left out, as either version of control groups has it. */
async function memoryOf(host: DockerHost, container: string): Promise<number> {
    const { memory_stats: memory } = await host.docker
        .getContainer(container)
        .stats({ stream: false, "one-shot": true });
    const { anon, rss } = memory.stats as { anon?: number; rss?: number };
    const bytes = anon ?? rss;
    if (bytes === undefined) {
        throw new Error(`the engine doesn't tell the memory of ${container}`);
    }
    return bytes;
}

/** What a container's memory did while something was done. */
export interface MemoryGrowth {
    /** Largest growth since before, in bytes. */
    growth: number;
    /** How often it was looked at. */
    samples: number;
}

/** Looks at a container's memory while something is done. */
export async function memoryGrowthDuring(container: string, work: () => Promise<void>): Promise<MemoryGrowth> {
    const host = new DockerHost();
    const before = await memoryOf(host, container);
    const samples: Promise<number>[] = [];
    const timer = setInterval(() => samples.push(memoryOf(host, container)), INTERVAL_MILLISECONDS);
    try {
        await work();
    } finally {
        clearInterval(timer);
    }
    return { growth: Math.max(before, ...(await Promise.all(samples))) - before, samples: samples.length };
}
