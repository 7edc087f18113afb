/** A kind of figure. */
export interface Metric {
    name: string;
    unit: string;
    better: "higher" | "lower";
}

/** One figure of one round. */
export interface Measurement {
    /** Name of the measured action: "GET 1 MiB, 16 connections, h2". */
    point: string;
    /** Name of the measured proxy: "front end", "nginx". */
    subject: string;
    /** Name of a {@link Metric}. */
    metric: string;
    round: number;
    value: number;
}

/** Results of one part. */
export interface PartResult {
    title: string;
    metrics: Metric[];
    /** The subject with which the others are compared. */
    ours: string;
    measurements: Measurement[];
    /** Information for readers: how it was measured, what was left out and why. */
    notes: string[];
}

/** Options for the duration and the number of measurements. */
export interface BenchOptions {
    rounds: number;
    /** Seconds of load of one measurement. */
    seconds: number;
    store: "minio" | "rustfs";
    /** The store's image; undefined for the one that the tests use. */
    storeImage?: string;
    /** Points to measure; undefined for all. */
    only?: RegExp;
    /** Variants of the front end to measure; undefined for all. */
    variant?: RegExp;
    /** TCP's congestion control in all containers of the data path, such as `reno`; undefined for the host's default. */
    congestionControl?: string;
}

/** One part of the benchmark. */
export interface Part {
    description: string;
    /** Whether it is only measured if it is named. */
    onRequest?: boolean;
    /** Whether it can only be measured on MinIO. */
    onMinioAlone?: boolean;
    measure: (options: BenchOptions) => Promise<PartResult>;
}

/** Whether ours was measured, and at every point at which another one was. */
export function hasOurs({ measurements, ours }: Pick<PartResult, "measurements" | "ours">): boolean {
    const measured = new Set(measurements.filter(({ subject }) => subject === ours).map(({ point }) => point));
    return measured.size > 0 && measurements.every(({ point }) => measured.has(point));
}

/** Converts the figures of one round to measurements. */
export function measurementsOf(
    of: { point: string; subject: string; round: number },
    figures: { [metric: string]: number },
): Measurement[] {
    return Object.entries(figures).map(([metric, value]) => ({ ...of, metric, value }));
}

/** Seconds that an action takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
    const begin = performance.now();
    await work();
    return (performance.now() - begin) / 1000;
}
