import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT } from "../../tools/paths";
import type { Verdict } from "./outcome";
import type { Rule } from "./rule";

/** Result of a rule's test while the rule was broken. */
export interface Result extends Verdict {
    /** Day of the run, ISO 8601. */
    date: string;
    /** {@link sourcesOf} the rule at the run. Another digest now means that the result is out of date. */
    sources: string;
}

export type Results = { [rule: string]: Result };

export const RESULTS_FILE = join(PROJECT, "test", "contract", "results.json");
export const DOCUMENT = join(PROJECT, "docs", "contributing", "contract.md");

const BEGIN = "<!-- prettier-ignore-start -->\n<!-- The table is written by `npm run test:contract`. -->";
const END = "<!-- prettier-ignore-end -->";

/**
 * Digest of everything that a result depends on and that can be named: the rule and how it is broken, the test with its
 * suite, and the files that implement the rule.
 */
export function sourcesOf({ id, rule, where, test, broken }: Rule): string {
    const implementing = [...where.matchAll(/`([^`]+\.\w+)`/g)].map(([, file = ""]) => join(PROJECT, file));
    const texts = [...withSuites(join(PROJECT, "test", "e2e", test.file)), ...implementing]
        .filter((file) => existsSync(file))
        .map((file) => readFileSync(file, "utf8"));
    const change = "notBroken" in broken ? broken.notBroken : broken.change;
    return createHash("sha256")
        .update(JSON.stringify([id, rule, test, change, ...texts]))
        .digest("hex")
        .slice(0, 12);
}

/** A test file, and the suites that it runs, also by way of others. */
export function withSuites(file: string): string[] {
    const found = [file];
    for (const each of found) {
        const imports = existsSync(each) ? readFileSync(each, "utf8").matchAll(/from "(\.[^"]+)"/g) : [];
        const paths = [...imports].map(([, path = ""]) => join(dirname(each), `${path}.ts`));
        found.push(...paths.filter((path) => path.includes("/suites/") && !found.includes(path)));
    }
    return found;
}

/** Whether a rule's result is of its present sources. */
export function isCurrent(rule: Rule, results: Results): boolean {
    return results[rule.id]?.sources === sourcesOf(rule);
}

export function readResults(): Results {
    return JSON.parse(readFileSync(RESULTS_FILE, "utf8")) as Results;
}

/** The document with its table generated from the current rules and results. */
export function renderDocument(document: string, rules: Rule[], results: Results): string {
    const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
    if (begin === -1 || end === -1) {
        throw new Error(`docs/contributing/contract.md lacks the lines ${BEGIN} and ${END}`);
    }
    return `${document.slice(0, begin + BEGIN.length)}\n\n${table(rules, results)}\n\n${document.slice(end)}`;
}

function table(rules: Rule[], results: Results): string {
    const rows = rules.map((rule) => [
        rule.id,
        rule.rule,
        rule.where,
        `[${rule.test.file}](../../test/e2e/${rule.test.file}): ${rule.test.name}`,
        ...("notBroken" in rule.broken ? [rule.broken.notBroken, "–"] : [rule.broken.change, shown(rule, results)]),
    ]);
    return [
        ["part, rule", "what it says", "where", "the test that shows it", "broken by", "the test then"],
        ["---", "---", "---", "---", "---", "---"],
        ...rows,
    ]
        .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
        .join("\n");
}

function shown(rule: Rule, results: Results): string {
    const result = results[rule.id];
    return result === undefined
        ? "not run"
        : `${result.outcome}, ${result.date}${isCurrent(rule, results) ? "" : ", before its sources changed"}`;
}
