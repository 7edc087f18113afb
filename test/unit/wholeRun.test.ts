import { allPassed, reportOf, runParts, type Ending, type Part } from "../wholeRun";

const PARTS: Part[] = [
    { name: "lint", command: ["lint"] },
    { name: "prepare", command: ["prepare"] },
    { name: "tests", command: ["all"], needs: "prepare", otherwise: ["some"] },
    { name: "load", command: ["load"], needs: "prepare" },
];

/** Runs the parts. The commands in the list fail. Returns the commands that ran as well. */
async function runWith(failing: string[], isInterrupted = () => false) {
    const commands: string[] = [];
    const outcomes = await runParts(
        PARTS,
        (_, [command = ""]): Promise<Ending> => {
            commands.push(command);
            const isJest = !["lint", "prepare"].includes(command);
            const failures = failing.includes(command)
                ? [
                      { test: "a test", reason: ["Error: no space", "  left"] },
                      { test: "another test", reason: [] },
                  ]
                : [];
            const files = [{ file: `${command}.test.ts`, seconds: command === "load" ? 65 : 3.21, failures }];
            const record = isJest ? { passed: 10, failed: failures.length, files } : undefined;
            return Promise.resolve({ code: failing.includes(command) ? 1 : 0, seconds: 70, record });
        },
        isInterrupted,
    );
    return { commands, outcomes, states: outcomes.map(({ state }) => state) };
}

const closingLineOf = (report: string) => report.split("\n").at(-1);

describe("a whole run of the tests", () => {
    test("runs every part, and ends with one line for all of them", async () => {
        const { commands, outcomes } = await runWith([]);
        expect(commands).toEqual(["lint", "prepare", "all", "load"]);
        expect(allPassed(outcomes)).toBe(true);
        expect(closingLineOf(reportOf(outcomes))).toBe("20 passed, 0 failed");
    });

    test("continues after a failed part, and fails", async () => {
        const { commands, outcomes, states } = await runWith(["lint", "all"]);
        expect(commands).toEqual(["lint", "prepare", "all", "load"]);
        expect(states).toEqual(["failed", "passed", "failed", "passed"]);
        expect(allPassed(outcomes)).toBe(false);
        // Two tests, and a part without tests.
        expect(closingLineOf(reportOf(outcomes))).toBe("20 passed, 3 failed");
    });

    test("without the tests' prerequisites, runs the tests that need none, and fails", async () => {
        const { commands, outcomes, states } = await runWith(["prepare"]);
        expect(commands).toEqual(["lint", "prepare", "some"]);
        expect(states).toEqual(["passed", "failed", "partly", "not run"]);
        expect(allPassed(outcomes)).toBe(false);
        expect(closingLineOf(reportOf(outcomes))).toBe("10 passed, 3 failed");
    });

    test("starts nothing once it is interrupted", async () => {
        let asked = 0;
        const { commands, outcomes } = await runWith([], () => ++asked > 2);
        expect(commands).toEqual(["lint", "prepare"]);
        expect(allPassed(outcomes)).toBe(false);
    });

    test("counts a part without a record of its tests as failed", async () => {
        const outcomes = await runParts(
            PARTS,
            () => Promise.resolve({ code: 134, seconds: 1 }),
            () => false,
        );
        expect(closingLineOf(reportOf(outcomes))).toBe("0 passed, 4 failed");
    });

    test("prints the duration of each file, the longest first, and the failures", async () => {
        const report = reportOf((await runWith(["all"])).outcomes);
        expect(report).toMatch(/ 65\.0 s {2}load\.test\.ts\n +3\.2 s {2}all\.test\.ts\n/);
        expect(report).toContain(
            "tests: failed\n    all.test.ts: a test\n        Error: no space\n          left\n    all.test.ts: another test\n",
        );
    });
});
