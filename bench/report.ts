import type { Machine } from "./machine";
import type { Metric, PartResult } from "./measurement";
import { comparisonWith, distinct, figuresOf, ratiosTo, spreadOf } from "./statistics";

/** Contents of a report besides the figures. */
export interface ReportContext {
    command: string;
    date: string;
    machine: Machine;
    /** Files of the plots next to the report, by metric. */
    plots: { [metric: string]: string };
}

/**
 * A part's figures as Markdown: a table for each metric, with our figure first, then the others with their ratio to
 * ours.
 */
export function renderReport(result: PartResult, context: ReportContext): string {
    return [
        `# ${result.title}`,
        "",
        `\`${context.command}\`, ${context.date}.`,
        "",
        ...Object.entries(context.machine).map(([what, value]) => `- ${what}: ${value}`),
        "",
        ...result.notes.flatMap((note) => [note, ""]),
        ...result.metrics.flatMap((metric) => metricSection(result, metric, context.plots[metric.name])),
    ].join("\n");
}

function metricSection(result: PartResult, metric: Metric, plot: string | undefined): string[] {
    const measured = result.measurements.filter(({ metric: name }) => name === metric.name);
    if (measured.length === 0) {
        return [];
    }
    const others = distinct(measured, "subject").filter((subject) => subject !== result.ours);
    const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
    return [
        `## ${metric.name} (${metric.unit}; ${metric.better} is better)`,
        "",
        `Median (smallest to largest) of the rounds; for others also ${result.ours} ÷ them, round by round.`,
        "",
        row(["", result.ours, ...others]),
        row(["---", "---", ...others.map(() => "---")]),
        ...distinct(measured, "point").map((point) =>
            row([
                point,
                ownCell(result, metric, point, result.ours),
                ...others.map((subject) => otherCell(result, metric, point, subject)),
            ]),
        ),
        "",
        ...comparisons(result, metric, others),
        ...(plot === undefined ? [] : [`![${metric.name}](${plot})`, ""]),
    ];
}

function comparisons(result: PartResult, metric: Metric, others: string[]): string[] {
    const rows = others.flatMap((subject) => {
        const { better, worse, undecided } = comparisonWith(result, metric, subject);
        return better + worse + undecided === 0
            ? []
            : [`- ${subject}: better at ${better} points, worse at ${worse}, undecided at ${undecided}`];
    });
    return rows.length === 0
        ? []
        : [
              `${result.ours}, compared with the others. A point counts only if it was measured in three rounds or more, and all of them agree:`,
              "",
              ...rows,
              "",
          ];
}

function ownCell(result: PartResult, metric: Metric, point: string, subject: string): string {
    const values = figuresOf(result, metric.name, point, subject).map(({ value }) => value);
    return values.length === 0 ? "–" : spreadText(values);
}

function otherCell(result: PartResult, metric: Metric, point: string, subject: string): string {
    const ratios = ratiosTo(result, metric.name, point, subject);
    const own = ownCell(result, metric, point, subject);
    return ratios.length === 0 ? own : `${own}; ratio ${spreadText(ratios)}`;
}

function spreadText(values: number[]): string {
    const { median, minimum, maximum } = spreadOf(values);
    return `${figure(median)} (${figure(minimum)} to ${figure(maximum)})`;
}

/** Three significant digits; larger values are rounded to integers. */
export function figure(value: number): string {
    return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
