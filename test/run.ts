import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Option } from "commander";
import { scripts } from "../package.json";
import { type CommandDefinition, startIfMain } from "../tools/cli/command";
import { PROJECT } from "../tools/paths";
import { shardOf, shardOption, type Shard } from "./tiers/shard";
import { pathOf, TEST_PROJECTS } from "./tiers/tiers";
import { allPassed, reportOf, runParts, type Ending, type JestRecord, type Part } from "./wholeRun";

const SECOND = 1000;

/** The checks of `npm run lint` and the type check, each by itself. */
const CHECKS: Part[] = [...scripts.lint.split(" && "), "npm run --silent typecheck"].map((command) => ({
    name: command.replace("npm run --silent ", ""),
    command: command.split(" "),
    isCheck: true,
}));

/** Everything that `npm test` runs, in this order. */
const PARTS: Part[] = [
    ...CHECKS,
    { name: "prepare-tests", command: ["npm", "run", "prepare-tests"] },
    {
        name: "unit and end-to-end tests",
        command: ["jest", "--selectProjects", "unit", "e2e"],
        needs: "prepare-tests",
        otherwise: ["jest", "--selectProjects", "unit"],
    },
    {
        name: "tests under load",
        command: ["jest", "--selectProjects", "load", "--runInBand"],
        needs: "prepare-tests",
    },
];

const test: CommandDefinition = {
    name: "test",
    summary: "Runs the checks, the unit tests, and the end-to-end tests of what a change commonly breaks.",
    details:
        "Each part runs, whatever the result of those before it. At the end it prints the duration of each test file, what\n" +
        "failed and why, and one line for all of it.",
    options: [
        shardOption(
            new Option(
                "--steady-shard <i/n>",
                "Then also runs this part of the longer tests that have passed many times.",
            ),
        ),
    ],
    examples: [
        ["", "runs what a change commonly breaks"],
        ["--steady-shard 1/4", "runs a quarter of what npm run test:full runs on the store and the stand-in besides"],
    ],
    run: ({ steadyShard }: { steadyShard?: Shard }) => runAll([...PARTS, ...shardParts(steadyShard)]),
};

startIfMain(module, test);

/** The parts that run a shard of the steady tests, if one is asked for. */
function shardParts(shard: Shard | undefined): Part[] {
    if (shard === undefined) {
        return [];
    }
    const unit: Part = { name: "longer unit tests", command: ["jest", "--selectProjects", "longer-unit"] };
    const projects = TEST_PROJECTS.filter(({ steady }) => steady === true).flatMap((project): Part[] => {
        const { name, alone, files } = project;
        const chosen = shardOf(files, shard).map(pathOf);
        const order = alone === true ? ["--runInBand"] : [];
        const command = ["jest", "--selectProjects", name, ...order, "--runTestsByPath", ...chosen];
        return chosen.length === 0
            ? []
            : [{ name: `${name}, ${shard.index}/${shard.count}`, command, needs: "prepare-tests" }];
    });
    return [...(shard.index === 1 ? [unit] : []), ...projects];
}

async function runAll(parts: Part[]): Promise<number> {
    let interrupted = false;
    const children = new Set<ChildProcess>();
    // A terminal also sends SIGINT to the running parts, which then remove their resources.
    process.on("SIGINT", () => (interrupted = true));
    process.on("SIGTERM", () => {
        interrupted = true;
        children.forEach((child) => child.kill("SIGTERM"));
    });
    const folder = mkdtempSync(join(tmpdir(), "test-run-"));
    const run = (name: string, [program = "", ...args]: string[], isCheck: boolean): Promise<Ending> => {
        const file = join(folder, `${name.replaceAll("/", " of ")}.json`);
        const start = Date.now();
        const seconds = () => (Date.now() - start) / SECOND;
        console.log(isCheck ? `==> ${name} …` : `\n==> ${name}`);
        return new Promise((resolve, reject) => {
            const env = { ...process.env, OBJECT_STORE_RUN_RECORD: file };
            const child = spawn(program, args, { cwd: PROJECT, env, stdio: isCheck ? "pipe" : "inherit" });
            children.add(child);
            let output = "";
            [child.stdout, child.stderr].forEach((stream) =>
                stream?.on("data", (text: Buffer) => (output += text.toString())),
            );
            child.on("error", reject).on("close", (code) => {
                children.delete(child);
                const record = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as JestRecord) : undefined;
                if (isCheck) {
                    console.log(`==> ${name}: ${seconds().toFixed(1)} s\n${code === 0 ? "" : output}`.trimEnd());
                }
                resolve({ code: code ?? 1, seconds: seconds(), record, output });
            });
        });
    };
    try {
        const outcomes = await runParts(parts, run, () => interrupted);
        console.log(reportOf(outcomes));
        return allPassed(outcomes) ? 0 : 1;
    } finally {
        rmSync(folder, { recursive: true });
    }
}
