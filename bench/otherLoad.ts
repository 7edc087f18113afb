import { cpus, type CpuInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "../tools/cli/step";

/** Share of the machine's CPU time from which on other programs count as a load. */
const BUSY_SHARE = 0.1;

/** Seconds of one sample. */
const SAMPLE_SECONDS = 5;

/** Samples that are taken while the machine is busy, before the benchmark begins nevertheless. */
const MOST_SAMPLES = 24;

/** The share, from 0 to 1, of all CPUs' time that was used between two samples of `os.cpus()`. */
export function busyShare(before: CpuInfo[], after: CpuInfo[]): number {
    const idle = timeOf(after, ({ idle }) => idle) - timeOf(before, ({ idle }) => idle);
    const total = timeOf(after, allOf) - timeOf(before, allOf);
    return (total - idle) / Math.max(1, total);
}

function timeOf(processors: CpuInfo[], part: (times: CpuInfo["times"]) => number): number {
    return processors.reduce((total, { times }) => total + part(times), 0);
}

function allOf(times: CpuInfo["times"]): number {
    return Object.values(times).reduce((total, time) => total + time, 0);
}

/**
 * Waits for up to two minutes until other programs use less than a tenth of the CPU time. Call it before the benchmark
 * starts anything itself.
 *
 * @returns The load of other programs in words; says so if the machine is still busy.
 */
export async function otherLoadOf(sample: () => Promise<number> = sampleBusyShare): Promise<string> {
    for (let samples = 1; ; samples++) {
        const share = await sample();
        const text = `${Math.round(share * 100)} % of the CPU time, in the ${SAMPLE_SECONDS} s before`;
        if (share < BUSY_SHARE) {
            return text;
        }
        if (samples === MOST_SAMPLES) {
            return `${text} (busy: other programs ran too, so the ratios count and not the figures)`;
        }
        if (samples === 1) {
            say(`other programs use ${text}: waiting until it is less than ${BUSY_SHARE * 100} %`);
        }
    }
}

async function sampleBusyShare(): Promise<number> {
    const before = cpus();
    await sleep(SAMPLE_SECONDS * 1000);
    return busyShare(before, cpus());
}
