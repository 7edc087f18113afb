import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOCAL } from "../../../tools/paths";
import type { ChaosResult } from "./course";

/** Folder for the results of the full suite. */
export const CHAOS_FOLDER = join(LOCAL, "chaos");

/** A result, with the expectations that it doesn't meet. */
export interface ChaosRow extends ChaosResult {
    shortfalls: string[];
}

const COLUMNS: [string, (row: ChaosRow) => string][] = [
    ["change or fault", ({ name }) => name],
    ["result", ({ shortfalls }) => (shortfalls.length === 0 ? "pass" : "**fail**")],
    ["requests", ({ requests }) => String(requests.retrying + requests.single)],
    ["failed, with retries", ({ failed }) => String(failed.retrying)],
    ["failed, without", ({ failed }) => String(failed.single)],
    ["wrong bytes", ({ wrongBytes }) => String(wrongBytes.length)],
    ["wrong lists", ({ wrongLists }) => String(wrongLists.length)],
    ["wrong afterwards", ({ wrongAfterwards }) => String(wrongAfterwards.length)],
    ["longest stall", ({ slowest }) => seconds(slowest[0]?.seconds ?? 0)],
    ["longest time without any success", ({ longestGap }) => seconds(longestGap)],
    ["last failure after", ({ servedAfter }) => (servedAfter === 0 ? "none" : seconds(servedAfter))],
    ["whole again after", ({ wholeAfter }) => (wholeAfter === undefined ? "never" : seconds(wholeAfter))],
];

/** The results as a Markdown table. */
export function chaosTable(results: ChaosRow[]): string {
    const rows = [COLUMNS.map(([head]) => head), ...results.map((result) => COLUMNS.map(([, cell]) => cell(result)))];
    const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    const line = (cells: string[]) =>
        `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
    const [head = [], ...body] = rows;
    return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line), ""].join("\n");
}

/** Failures and wrong results, by disturbance. */
export function chaosFailures(results: ChaosRow[]): string {
    return results
        .map(({ name, failures, shortfalls, wrongBytes, wrongLists, wrongAfterwards }) => [
            ...shortfalls.map((text) => `    falls short: ${text}`),
            ...Object.entries(failures).map(([text, count]) => `    ${count} × ${text}`),
            ...[...wrongBytes, ...wrongLists].map((text) => `    wrong: ${text}`),
            ...wrongAfterwards.map(({ text }) => `    wrong afterwards: ${text}`),
            name,
        ])
        .filter((lines) => lines.length > 1)
        .map((lines) => [lines.at(-1), ...lines.slice(0, -1), ""].join("\n"))
        .join("\n");
}

/** Writes the results of one suite as JSON and as a Markdown table. */
export function writeResults(name: string, results: ChaosRow[]): void {
    mkdirSync(CHAOS_FOLDER, { recursive: true });
    writeFileSync(join(CHAOS_FOLDER, `${name}.json`), `${JSON.stringify(results, null, 4)}\n`);
    writeFileSync(join(CHAOS_FOLDER, `${name}.md`), `${chaosTable(results)}\n${chaosFailures(results)}`);
}

function seconds(value: number): string {
    return `${value.toFixed(1)} s`;
}
