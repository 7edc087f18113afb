import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { withGeneratedPart } from "../../tools/maintain/docs/generatedPart";
import { main, StepError } from "../../tools/cli/step";
import { CACHE, PROJECT } from "../../tools/paths";
import { CLI_VERSION } from "../../tools/pulumi/toolchainParts";
import type { JestRecord } from "../wholeRun";
import { resultsTable, type NodeResult } from "./resultsTable";
import { NODE_VERSIONS } from "./versions";

const DOCUMENT = join(PROJECT, "docs", "contributing", "results.md");

/** The suites of each version, as projects of Jest. */
const SUITES = ["unit", "versions"] as const;

// npm run test:versions [-- --node 22] [-- --suite versions]: runs the unit tests and the package's tests on each supported
// line of Node.js, from npm's own packages of it, with the oldest and newest Pulumi SDK. Writes the results to
// docs/contributing/results.md.
void main(async () => {
    const { values } = parseArgs({ options: { node: { type: "string" }, suite: { type: "string" } } });
    const nodes = NODE_VERSIONS.filter((version) => values.node === undefined || version.startsWith(`${values.node}.`));
    const suites = SUITES.filter((suite) => values.suite === undefined || suite === values.suite);
    if (nodes.length === 0 || suites.length === 0) {
        throw new StepError(
            `usage: npm run test:versions -- [--node ${NODE_VERSIONS.map((version) => version.split(".")[0]).join("|")}] [--suite ${SUITES.join("|")}]`,
        );
    }
    const results: NodeResult[] = [];
    for (const version of nodes) {
        const bin = installNode(version);
        for (const suite of suites) {
            console.log(`\n==> Node.js ${version}: ${suite}`);
            results.push({ node: version, suite, ...runSuite(suite, bin) });
        }
    }
    const table = resultsTable(results, { date: new Date().toISOString().slice(0, 10), cli: CLI_VERSION });
    console.log(`\n${table}`);
    if (nodes.length === NODE_VERSIONS.length && suites.length === SUITES.length) {
        const text = readFileSync(DOCUMENT, "utf8");
        writeFileSync(DOCUMENT, await withGeneratedPart(text, "versions", table, "npm run test:versions"));
    }
    return results.every(({ failed }) => failed === 0) ? 0 : 1;
});

/** Installs a version of Node.js from npm's package of it, once. Returns the folder of the program. */
function installNode(version: string): string {
    const folder = join(CACHE, "node", version);
    const bin = join(folder, "node_modules", "node", "bin");
    if (!existsSync(join(bin, "node"))) {
        mkdirSync(folder, { recursive: true });
        console.log(`installing node@${version} from the npm registry to ${folder}`);
        execute("npm", ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", `node@${version}`]);
    }
    const { stdout } = spawnSync(join(bin, "node"), ["--version"], { encoding: "utf8" });
    if (stdout.trim() !== `v${version}`) {
        throw new StepError(`${bin}/node is not Node.js ${version}: remove ${folder}, then run this command again`);
    }
    return bin;
}

/** Runs a suite by that Node.js; Pulumi and the programs find it too, because it is the first on PATH. */
function runSuite(suite: string, bin: string): { passed: number; failed: number; seconds: number } {
    const folder = mkdtempSync(join(tmpdir(), "versions-"));
    const record = join(folder, "record.json");
    try {
        const started = Date.now();
        const jest = join(PROJECT, "node_modules", "jest", "bin", "jest.js");
        spawnSync(join(bin, "node"), [jest, "--selectProjects", suite, "--runInBand"], {
            cwd: PROJECT,
            stdio: "inherit",
            env: {
                ...process.env,
                PATH: [bin, process.env["PATH"]].join(delimiter),
                OBJECT_STORE_RUN_RECORD: record,
            },
        });
        const { passed, failed } = existsSync(record)
            ? (JSON.parse(readFileSync(record, "utf8")) as JestRecord)
            : { passed: 0, failed: 1 };
        return { passed, failed, seconds: Math.round((Date.now() - started) / 1000) };
    } finally {
        rmSync(folder, { recursive: true });
    }
}

function execute(program: string, args: string[]): void {
    const { status } = spawnSync(program, args, { stdio: "inherit" });
    if (status !== 0) {
        throw new StepError(`${program} ${args.join(" ")} failed`);
    }
}
