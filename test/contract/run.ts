import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { PROJECT } from "../../tools/paths";
import { DOCUMENT, readResults, renderDocument, RESULTS_FILE, type Result } from "./contractDocument";
import { BROKEN_RULE, type Rule } from "./rule";
import { rules } from "./rules";

/** Number of rules that are broken at the same time, each in its own deployment. */
const AT_ONCE = 3;

/** One test that ran, as the outcome reporter writes it. */
interface Outcome {
    status: "passed" | "failed";
    reason: string;
}

// npm run test:contract [-- ID …]: breaks each rule of the service contract in turn and runs the rule's test, which
// must then fail. Writes the results, and the table of docs/contract.md.
void main();

async function main(): Promise<void> {
    const wanted = process.argv.slice(2);
    const chosen = rules.filter(
        ({ id, broken }) =>
            !("notBroken" in broken) &&
            (wanted.length === 0 || wanted.some((part) => id === part || id.startsWith(`${part} `))),
    );
    console.log(`breaking ${chosen.length} of ${rules.length} rules, ${AT_ONCE} at once`);
    const results = readResults();
    const waiting = [...chosen];
    const worker = async () => {
        for (let rule = waiting.shift(); rule !== undefined; rule = waiting.shift()) {
            const { result, reason } = await breakAndTest(rule);
            results[rule.id] = result;
            const done = chosen.length - waiting.length;
            console.log(
                `${done}/${chosen.length} ${rule.id}: the test ${result.outcome}${reason === "" ? "" : ` (${reason})`}`,
            );
            writeFileSync(RESULTS_FILE, `${JSON.stringify(sorted(results), null, 2)}\n`);
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    writeFileSync(DOCUMENT, renderDocument(readFileSync(DOCUMENT, "utf8"), rules, results));
    const wrong = chosen.filter(({ id }) => results[id]?.outcome.startsWith("failed") !== true);
    console.log(
        wrong.length === 0
            ? "every test failed, as it must"
            : `NOT seen to fail: ${wrong.map(({ id }) => id).join(", ")}`,
    );
    process.exitCode = wrong.length === 0 ? 0 : 1;
}

function sorted(results: { [rule: string]: Result }): { [rule: string]: Result } {
    return Object.fromEntries(rules.flatMap(({ id }) => (results[id] === undefined ? [] : [[id, results[id]]])));
}

async function breakAndTest({ id, test }: Rule): Promise<{ result: Result; reason: string }> {
    const folder = mkdtempSync(join(tmpdir(), "contract-"));
    const file = join(folder, "outcomes.json");
    const exactly = `^${test.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
    const date = new Date().toISOString().slice(0, 10);
    try {
        await jest(id, file, [`--testPathPatterns=test/e2e/${test.file}$`, "-t", exactly]);
        const outcomes = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Outcome[]) : [];
        const failed = outcomes.find(({ status }) => status === "failed");
        return { result: { outcome: outcomeOf(outcomes), date }, reason: firstLine(failed?.reason ?? "") };
    } finally {
        rmSync(folder, { recursive: true });
    }
}

function outcomeOf(outcomes: Outcome[]): Result["outcome"] {
    const failed = outcomes.find(({ status }) => status === "failed");
    if (failed === undefined) {
        return outcomes.length === 0 ? "was not found" : "passed";
    }
    // Printed by `pulumi up` when it fails, or by Jest when it takes too long.
    return /CommandError|for a hook/.test(failed.reason) ? "failed, not deployable" : "failed";
}

function jest(rule: string, outcomeFile: string, args: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
        const child = spawn(
            "npx",
            ["jest", "--selectProjects=e2e", "--reporters=./test/contract/outcomeReporter.js", ...args],
            {
                cwd: PROJECT,
                env: { ...process.env, [BROKEN_RULE]: rule, OBJECT_STORE_OUTCOME_FILE: outcomeFile },
                stdio: "ignore",
            },
        );
        child.on("error", reject).on("exit", () => resolve());
    });
}

function firstLine(text: string): string {
    const line = stripVTControlCharacters(text)
        .split("\n")
        .find((found) => found.trim() !== "");
    return line?.trim().slice(0, 160) ?? "";
}
