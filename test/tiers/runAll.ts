import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { type CommandDefinition, startIfMain } from "../../tools/cli/command";
import { wholeNumber } from "../../tools/cli/options";
import { StepError } from "../../tools/cli/step";
import { PROJECT } from "../../tools/paths";
import { testedEngine } from "../e2e/harness/testRun";
import { Processes } from "../processes";
import { allPassed, reportOf } from "../wholeRun";
import { type Machine, notPassed, resultsIn, type SuiteResult } from "./results";
import { shardOf, shardOption, type Shard } from "./shard";
import { countsOf, runSuites } from "./suiteRuns";
import { allSuites, TIERS } from "./tiers";

/** Results of each commit, one file each, which git ignores. */
const RESULTS = join(PROJECT, "test", "results");

interface Options {
    tier?: string[];
    shard: Shard;
    atOnce: number;
    again: boolean;
    rustfsBinary?: string;
}

/** What the suites themselves write: it changes nothing that another suite tests. */
const WRITTEN_BY_SUITES = [
    "test/contract/results.json",
    "docs/contributing/contract.md",
    "docs/contributing/results.md",
];

const runAll: CommandDefinition = {
    name: "test:all",
    summary: "Runs all tiers of the tests on the present commit, suite by suite, and records each outcome.",
    details:
        "After an interruption it goes on: suites that have passed on this commit aren't run again. The outcomes are in\n" +
        "test/results, in a file for each commit; what each suite printed is beside it. npm run results takes them to the\n" +
        "documents. With changed files nothing is recorded.",
    options: [
        new Option("--tier <names...>", "Only these tiers.").choices([...TIERS]),
        shardOption(new Option("--shard <i/n>", "Only this part of the suites.")).default(
            { index: 1, count: 1 },
            "1/1",
        ),
        wholeNumber(new Option("--at-once <count>", "Suites that run at the same time, if they may."), 1, 8).default(1),
        new Option("--again", "Also runs what has passed on this commit.").default(false),
        new Option("--rustfs-binary <file>", "A program of RustFS, which then isn't built."),
    ],
    examples: [
        ["", "runs everything, which takes most of a day"],
        ["--tier full contract", "runs these tiers"],
        ["--shard 1/4 --at-once 2", "runs a quarter of everything, two suites at a time"],
    ],
    run: (options: Options) => runChosen(options),
};

startIfMain(module, runAll);

async function runChosen({ tier: tiers, shard, atOnce, again, rustfsBinary }: Options): Promise<number> {
    const commit = git("rev-parse", "HEAD");
    const isChanged = git("status", "--porcelain", "--", ".", ...WRITTEN_BY_SUITES.map((file) => `:!${file}`)) !== "";
    const file = join(RESULTS, `${commit}.jsonl`);
    const former = !again && !isChanged && existsSync(file) ? resultsIn(readFileSync(file, "utf8")) : [];
    const chosen = shardOf(
        allSuites().filter(({ tier }) => tiers?.includes(tier) ?? true),
        shard,
    );
    const suites = notPassed(chosen, former);
    const state = isChanged ? "with changed files, so nothing is recorded" : `recorded in ${file}`;
    console.log(`${commit.slice(0, 7)}: ${suites.length} of ${chosen.length} suites are left, ${state}`);
    if (suites.length === 0) {
        return 0;
    }
    if (rustfsBinary !== undefined && !existsSync(rustfsBinary)) {
        throw new StepError(`--rustfs-binary: there is no file ${rustfsBinary}`);
    }
    const binary = rustfsBinary === undefined ? [] : ["--rustfs-binary", resolve(rustfsBinary)];
    const logs = join(RESULTS, `${commit}${isChanged ? "-changed" : ""}`);
    mkdirSync(logs, { recursive: true });
    const processes = new Processes();
    const outcomes = await runSuites(suites, atOnce, {
        prepare: async (options) => {
            const given = options.includes("--rustfs") ? [...options, ...binary] : options;
            return (await processes.run("prepare-tests", ["npm", "run", "prepare-tests", "--", ...given])).code;
        },
        run: ({ name, command }) => processes.run(name, command, join(logs, `${name.replaceAll("/", "-")}.log`)),
        record: ({ name, tier }, outcome) => {
            const { seconds } = outcome;
            const date = new Date().toISOString();
            const result: SuiteResult = {
                suite: name,
                tier,
                commit,
                date,
                ...countsOf(outcome),
                seconds,
                machine: machine(),
            };
            if (!isChanged) {
                appendFileSync(file, `${JSON.stringify(result)}\n`);
            }
        },
        isInterrupted: () => processes.interrupted,
    }).finally(() => processes.end());
    console.log(reportOf(outcomes));
    return allPassed(outcomes) ? 0 : 1;
}

function git(...args: string[]): string {
    return execFileSync("git", args, { cwd: PROJECT, encoding: "utf8" }).trim();
}

function machine(): Machine {
    return { cores: cpus().length, memoryGib: Math.round(totalmem() / 2 ** 30), engine: engineVersion() };
}

function engineVersion(): string {
    try {
        return execFileSync("docker", ["--host", testedEngine(), "version", "--format", "{{.Server.Version}}"], {
            encoding: "utf8",
        }).trim();
    } catch {
        return "unknown";
    }
}
