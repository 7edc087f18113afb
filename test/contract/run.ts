import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PROJECT } from "../../tools/paths";
import {
    DOCUMENT,
    isCurrent,
    readResults,
    renderDocument,
    RESULTS_FILE,
    sourcesOf,
    type Result,
    type Results,
} from "./contractDocument";
import { verdictOf, type Outcome } from "./outcome";
import { BROKEN_RULE, type Rule } from "./rule";
import { rules } from "./rules";

/** Number of rules that are broken at the same time, each in its own deployment. */
const AT_ONCE = 3;

// npm run test:contract [-- [--outdated] [--accept-reasons] ID …]: breaks each rule of the service contract in turn and runs
// the rule's test, which must then fail, and for the same reason as in its last run. Writes the results, and the table of
// docs/contributing/contract.md.
//
// --outdated        only the rules whose sources have changed since their last run, or whose test didn't fail then
// --accept-reasons  accepts another reason than that of the last run
void main();

async function main(): Promise<void> {
    const { values, positionals: wanted } = parseArgs({
        options: { outdated: { type: "boolean" }, "accept-reasons": { type: "boolean" } },
        allowPositionals: true,
    });
    const results = readResults();
    const chosen = rules.filter(
        (rule) =>
            !("notBroken" in rule.broken) &&
            (wanted.length === 0 || wanted.some((part) => rule.id === part || rule.id.startsWith(`${part} `))) &&
            !(values.outdated === true && isShown(rule, results)),
    );
    console.log(`breaking ${chosen.length} of ${rules.length} rules, ${AT_ONCE} at once`);
    const waiting = [...chosen];
    const wrong: string[] = [];
    const worker = async () => {
        for (let rule = waiting.shift(); rule !== undefined; rule = waiting.shift()) {
            const former = results[rule.id];
            const result = await breakAndTest(rule);
            const done = chosen.length - waiting.length;
            console.log(`${done}/${chosen.length} ${rule.id}: the test ${result.outcome} (${result.reason})`);
            if (!result.outcome.startsWith("failed")) {
                wrong.push(`${rule.id}: ${result.outcome}`);
            } else if (values["accept-reasons"] !== true && former !== undefined && former.reason !== result.reason) {
                wrong.push(`${rule.id}: failed for another reason than before: ${former.reason}`);
                continue;
            }
            results[rule.id] = result;
            writeFileSync(RESULTS_FILE, `${JSON.stringify(sorted(results), null, 2)}\n`);
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    writeFileSync(DOCUMENT, renderDocument(readFileSync(DOCUMENT, "utf8"), rules, results));
    console.log(wrong.length === 0 ? "every test failed, as it must" : `NOT as it must be:\n${wrong.join("\n")}`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
}

/** Whether the rule's test has failed, as it must, with the present sources. */
function isShown(rule: Rule, results: Results): boolean {
    return isCurrent(rule, results) && results[rule.id]?.outcome.startsWith("failed") === true;
}

function sorted(results: { [rule: string]: Result }): { [rule: string]: Result } {
    return Object.fromEntries(rules.flatMap(({ id }) => (results[id] === undefined ? [] : [[id, results[id]]])));
}

async function breakAndTest(rule: Rule): Promise<Result> {
    const { id, test } = rule;
    const folder = mkdtempSync(join(tmpdir(), "contract-"));
    const file = join(folder, "outcomes.json");
    const exactly = `^${test.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
    const run = { date: new Date().toISOString().slice(0, 10), sources: sourcesOf(rule) };
    try {
        await jest(id, file, [`--testPathPatterns=test/e2e/${test.file}$`, "-t", exactly]);
        const outcomes = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Outcome[]) : [];
        return { ...verdictOf(outcomes), ...run };
    } finally {
        rmSync(folder, { recursive: true });
    }
}

function jest(rule: string, outcomeFile: string, args: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
        const child = spawn(
            "npx",
            ["jest", "--ignoreProjects=unit", "--reporters=./test/contract/outcomeReporter.js", ...args],
            {
                cwd: PROJECT,
                env: { ...process.env, [BROKEN_RULE]: rule, OBJECT_STORE_OUTCOME_FILE: outcomeFile },
                stdio: "ignore",
            },
        );
        child.on("error", reject).on("exit", () => resolve());
    });
}
