import type { Measurement, Metric, PartResult } from "./measurement";

/** The median of some figures, and their spread. */
export interface Spread {
    median: number;
    minimum: number;
    maximum: number;
}

/**
 * The value below which this share (0 to 1) of the values lies, by nearest rank.
 *
 * @throws if there are no values.
 */
export function quantile(values: number[], share: number): number {
    const sorted = Float64Array.from(values).sort();
    const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    if (value === undefined) {
        throw new Error("there are no values to take a quantile of");
    }
    return value;
}

export function spreadOf(values: number[]): Spread {
    return { median: median(values), minimum: quantile(values, 0), maximum: quantile(values, 1) };
}

function median(values: number[]): number {
    const sorted = [...values].sort((one, other) => one - other);
    return (quantile(sorted, 0.5) + (sorted[Math.floor(sorted.length / 2)] ?? NaN)) / 2;
}

/** Subjects and points in the order of their measurement. */
export function distinct(measurements: Measurement[], key: "point" | "subject"): string[] {
    return [...new Set(measurements.map((measurement) => measurement[key]))];
}

/** The figures of one subject at one point; empty if it wasn't measured there. */
export function figuresOf(result: PartResult, metric: string, point: string, subject: string): Measurement[] {
    return result.measurements.filter((one) => one.metric === metric && one.point === point && one.subject === subject);
}

/**
 * Ratio of our figure to another subject's, for each round that has both, so that other load on the machine affects
 * both.
 */
export function ratiosTo(result: PartResult, metric: string, point: string, subject: string): number[] {
    const others = new Map(figuresOf(result, metric, point, subject).map(({ round, value }) => [round, value]));
    return figuresOf(result, metric, point, result.ours).flatMap(({ round, value }) => {
        const other = others.get(round);
        return other === undefined || other === 0 ? [] : [value / other];
    });
}

/** Rounds that a point needs before it counts as better or worse. */
const FEWEST_ROUNDS = 3;

/** Number of points at which ours is better or worse than another subject. */
export interface Comparison {
    better: number;
    worse: number;
    /** The rounds disagree, or there are fewer than three. */
    undecided: number;
}

/** Compares ours with another subject: a point counts as better or worse only if every round says so. */
export function comparisonWith(result: PartResult, metric: Metric, subject: string): Comparison {
    const comparison = { better: 0, worse: 0, undecided: 0 };
    for (const point of distinct(result.measurements, "point")) {
        const ratios = ratiosTo(result, metric.name, point, subject);
        if (ratios.length === 0) {
            continue;
        }
        const { minimum, maximum } = spreadOf(ratios);
        const [larger, smaller] =
            metric.better === "higher" ? (["better", "worse"] as const) : (["worse", "better"] as const);
        const decided = ratios.length >= FEWEST_ROUNDS;
        comparison[decided && minimum > 1 ? larger : decided && maximum < 1 ? smaller : "undecided"]++;
    }
    return comparison;
}
