import { Option } from "commander";
import { scripts } from "../package.json";
import { type CommandDefinition, startIfMain } from "../tools/cli/command";
import { Processes } from "./processes";
import { shardOf, shardOption, type Shard } from "./tiers/shard";
import { pathOf, TEST_PROJECTS } from "./tiers/tiers";
import { allPassed, reportOf, runParts, type Part } from "./wholeRun";

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
    const processes = new Processes();
    try {
        const run = (name: string, command: string[], isCheck: boolean) => processes.run(name, command, isCheck);
        const outcomes = await runParts(parts, run, () => processes.interrupted);
        console.log(reportOf(outcomes));
        return allPassed(outcomes) ? 0 : 1;
    } finally {
        processes.end();
    }
}
