import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../tools/paths";
import { DOCUMENT, readResults, renderDocument, RESULTS_FILE, type Result } from "./contractDocument";
import { BROKEN_RULE, type Rule } from "./rule";
import { rules } from "./rules";

/** Rules that are broken at the same time, each in a deployment of its own. */
const AT_ONCE = 3;

/** What Jest writes with `--json`, as far as it is read here. */
interface JestReport {
    testResults: { message: string; assertionResults: { status: string; failureMessages: string[] }[] }[];
}

// npm run test:contract [-- ID …]: breaks each rule of the service contract in turn and runs the test named
// for it, which must fail. Writes the results and the table of docs/contract.md.
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
    const wrong = chosen.filter(({ id }) => results[id]?.outcome !== "failed");
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
    const report = join(folder, "report.json");
    const exactly = `^${test.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
    const date = new Date().toISOString().slice(0, 10);
    try {
        await jest(id, [
            `--testPathPatterns=test/e2e/${test.file}$`,
            "-t",
            exactly,
            "--json",
            `--outputFile=${report}`,
        ]);
        const { testResults } = (
            existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : { testResults: [] }
        ) as JestReport;
        const ran = testResults
            .flatMap(({ assertionResults }) => assertionResults)
            .filter(({ status }) => status !== "pending");
        const failed = ran.find(({ status }) => status === "failed");
        const outcome = ran.length === 0 ? "was not found" : failed === undefined ? "passed" : "failed";
        return {
            result: { outcome, date },
            reason: firstLine(failed?.failureMessages[0] ?? testResults[0]?.message ?? ""),
        };
    } finally {
        rmSync(folder, { recursive: true });
    }
}

function jest(rule: string, args: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
        const child = spawn("npx", ["jest", "--selectProjects=e2e", ...args], {
            cwd: PROJECT,
            env: { ...process.env, [BROKEN_RULE]: rule },
            stdio: "ignore",
        });
        child.on("error", reject).on("exit", () => resolve());
    });
}

function firstLine(text: string): string {
    // Jest colours what it says.
    const plain = text.replace(/\u001b\[[0-9;]*m/g, "");
    return (
        plain
            .split("\n")
            .find((found) => found.trim() !== "")
            ?.trim()
            .slice(0, 160) ?? ""
    );
}
