import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../tools/paths";
import type { Rule } from "./rule";

/** Result of a rule's test while the rule was broken. */
export interface Result {
    /**
     * Whether the test failed, as it must: either the test itself failed, or the broken program could not be deployed.
     */
    outcome: "failed" | "failed, not deployable" | "passed" | "was not found";
    /** Day of the run, ISO 8601. */
    date: string;
}

export type Results = { [rule: string]: Result };

export const RESULTS_FILE = join(PROJECT, "test", "contract", "results.json");
export const DOCUMENT = join(PROJECT, "docs", "contract.md");

const BEGIN = "<!-- prettier-ignore-start -->\n<!-- The table is written by `npm run test:contract`. -->";
const END = "<!-- prettier-ignore-end -->";

export function readResults(): Results {
    return JSON.parse(readFileSync(RESULTS_FILE, "utf8")) as Results;
}

/** The document with its table generated from the current rules and results. */
export function renderDocument(document: string, rules: Rule[], results: Results): string {
    const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
    if (begin === -1 || end === -1) {
        throw new Error(`docs/contract.md lacks the lines ${BEGIN} and ${END}`);
    }
    return `${document.slice(0, begin + BEGIN.length)}\n\n${table(rules, results)}\n\n${document.slice(end)}`;
}

function table(rules: Rule[], results: Results): string {
    const rows = rules.map((rule) => [
        rule.id,
        rule.rule,
        rule.where,
        `[${rule.test.file}](../test/e2e/${rule.test.file}): ${rule.test.name}`,
        ...("notBroken" in rule.broken ? [rule.broken.notBroken, "–"] : [rule.broken.change, shown(results[rule.id])]),
    ]);
    return [
        ["part, rule", "what it says", "where", "the test that shows it", "broken by", "the test then"],
        ["---", "---", "---", "---", "---", "---"],
        ...rows,
    ]
        .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
        .join("\n");
}

function shown(result: Result | undefined): string {
    return result === undefined ? "not run" : `${result.outcome}, ${result.date}`;
}
