/** What a figure is of. */
export interface Metric {
    name: string;
    unit: string;
    better: "higher" | "lower";
}

/** One figure of one round. */
export interface Measurement {
    /** What was done: "GET 1 MiB, 16 connections, h2". */
    point: string;
    /** Who did it: "front end", "nginx". */
    subject: string;
    /** Name of a {@link Metric}. */
    metric: string;
    round: number;
    value: number;
}

/** All that one part found. */
export interface PartResult {
    title: string;
    metrics: Metric[];
    /** The subject that the others are compared to. */
    ours: string;
    measurements: Measurement[];
    /** What a reader has to know: how it was measured, what was left out and why. */
    notes: string[];
}

/** How long and how often a part measures. */
export interface BenchOptions {
    rounds: number;
    /** Seconds of load of one measurement. */
    seconds: number;
    store: "minio" | "rustfs";
    /** Points to measure; all where there is none. */
    only?: RegExp;
}

/** One part of the benchmark. */
export interface Part {
    description: string;
    /** Whether it is measured only where it is named. */
    onRequest?: boolean;
    measure: (options: BenchOptions) => Promise<PartResult>;
}

/** The figures of one round as measurements. */
export function measurementsOf(
    of: { point: string; subject: string; round: number },
    figures: { [metric: string]: number },
): Measurement[] {
    return Object.entries(figures).map(([metric, value]) => ({ ...of, metric, value }));
}
