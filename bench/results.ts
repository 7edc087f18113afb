import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { PROJECT } from "../tools/paths";
import type { Machine } from "./machine";
import type { PartResult } from "./measurement";
import { chartOf, renderSvg } from "./plot";
import { renderReport } from "./report";

/** Where results lie. */
export const RESULTS = join(PROJECT, "bench", "results");

/** How a part's figures were measured. */
export interface ResultContext {
    command: string;
    date: string;
    machine: Machine;
}

/** Writes a part's figures as JSON, its tables as Markdown and its plots as SVG. Returns the path of the tables. */
export async function writeResults(name: string, result: PartResult, context: ResultContext): Promise<string> {
    mkdirSync(RESULTS, { recursive: true });
    const plots: { [metric: string]: string } = {};
    for (const metric of result.metrics) {
        if (result.measurements.some((one) => one.metric === metric.name)) {
            const file = `${name}-${metric.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.svg`;
            writeFileSync(join(RESULTS, file), await renderSvg(chartOf(result, metric)));
            plots[metric.name] = file;
        }
    }
    await writeFormatted(join(RESULTS, `${name}.json`), JSON.stringify({ ...context, ...result }));
    const report = join(RESULTS, `${name}.md`);
    await writeFormatted(report, renderReport(result, { ...context, plots }));
    return report;
}

async function writeFormatted(file: string, text: string): Promise<void> {
    writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
