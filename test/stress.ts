import { spawn } from "node:child_process";
import { Argument, Option } from "commander";
import { type CommandDefinition, startIfMain } from "../tools/cli/command";
import { wholeNumber } from "../tools/cli/options";
import { StepError } from "../tools/cli/step";
import { Processes } from "./processes";
import { pathOf, TEST_PROJECTS } from "./tiers/tiers";
import { reportOf, type Outcome } from "./wholeRun";

interface Options {
    times: number;
    busy: number;
    test?: string;
}

const stress: CommandDefinition = {
    name: "test:stress",
    summary: "Runs one test file many times beside busy processes, and prints how many times it passed.",
    details: "A test that depends on how fast a machine is fails here sooner than elsewhere.",
    arguments: [new Argument("<file>", "The test file, such as test/e2e/proxy.test.ts.")],
    options: [
        wholeNumber(new Option("--times <count>", "How many times."), 1, 1000).default(10),
        wholeNumber(new Option("--busy <count>", "Processes that use all the time they get."), 0, 64).default(4),
        new Option("--test <pattern>", "Only the tests of the file with such names."),
    ],
    examples: [
        ["test/e2e/proxy.test.ts", "runs it ten times beside four busy processes"],
        ["test/unit/run.test.ts --times 50 --busy 8", "runs a unit test"],
    ],
    run: (options: Options, [file = ""]) => runTimes(file, options),
};

startIfMain(module, stress);

async function runTimes(file: string, { times, busy, test }: Options): Promise<number> {
    const only = test === undefined ? [] : ["--testNamePattern", test];
    const command = ["npx", "jest", "--selectProjects", ...projectsOf(file), "--runTestsByPath", file, ...only];
    const processes = new Processes();
    const load = Array.from({ length: busy }, () =>
        spawn(process.execPath, ["-e", "for (;;) {}"], { stdio: "ignore" }),
    );
    const outcomes: Outcome[] = [];
    try {
        for (let time = 1; time <= times && !processes.interrupted; time++) {
            const { code, ...ending } = await processes.run(`${time} of ${times}`, command, true);
            const state = code === 0 ? "passed" : "failed";
            outcomes.push({ part: `${time} of ${times}`, command, state, ...ending });
        }
    } finally {
        load.forEach((child) => child.kill("SIGKILL"));
        processes.end();
    }
    const passed = outcomes.filter(({ state }) => state === "passed").length;
    if (passed < outcomes.length) {
        console.log(reportOf(outcomes.filter(({ state }) => state !== "passed")));
    }
    console.log(`${file}: passed ${passed} of ${outcomes.length} times beside ${busy} busy processes`);
    return passed === times ? 0 : 1;
}

/** The project of Jest that a file belongs to. */
function projectsOf(file: string): string[] {
    if (file.startsWith("test/unit/")) {
        return ["unit", "longer-unit"];
    }
    const project = TEST_PROJECTS.find(({ files }) => files.map(pathOf).includes(file));
    if (project === undefined) {
        throw new StepError(
            `${file} is no test file: give its path from the project's folder, as in test/e2e/proxy.test.ts`,
        );
    }
    return [project.name];
}
