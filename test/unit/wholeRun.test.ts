import { reasonIn } from "../failureReason";
import { allPassed, eachOf, reportOf, runParts, type Ending, type Part } from "../wholeRun";

const PARTS: Part[] = [
    { name: "lint", command: ["npm", "run", "lint"], isCheck: true },
    { name: "types", command: ["tsc"], isCheck: true },
    { name: "prepare", command: ["prepare"] },
    { name: "tests", command: ["all"], needs: "prepare", otherwise: ["some"] },
    { name: "load", command: ["load"], needs: "prepare" },
];

/** Runs the parts. The commands in the list fail. Returns the commands that ran as well. */
async function runWith(failing: string[], isInterrupted = () => false) {
    const commands: string[] = [];
    const outcomes = await runParts(
        PARTS,
        (name, [command = ""]): Promise<Ending> => {
            commands.push(command === "npm" ? name : command);
            const isJest = !["npm", "tsc", "prepare"].includes(command);
            const isFailing = failing.includes(command) || failing.includes(name);
            const failures = isFailing
                ? [
                      { test: "a test", message: "Error: no space\n  left" },
                      { test: "another test", message: "" },
                  ]
                : [];
            const seconds = command === "load" ? 65 : 3.21;
            const counts = { passed: 10, failed: failures.length };
            const files = [{ file: `${command}.test.ts`, project: "e2e", seconds, failures, ...counts }];
            const ending = { code: isFailing ? 1 : 0, seconds: 70 };
            return Promise.resolve(
                isJest
                    ? { ...ending, record: { ...counts, files } }
                    : { ...ending, output: isFailing ? "fine\n\u001b[31m1:2 error no semicolon\u001b[39m\n" : "" },
            );
        },
        isInterrupted,
    );
    return { commands, outcomes, states: outcomes.map(({ state }) => state) };
}

const closingLineOf = (report: string) => report.split("\n").at(-1);

describe("a whole run of the tests", () => {
    test("runs every part, and ends with one line for all of them", async () => {
        const { commands, outcomes } = await runWith([]);
        expect(commands).toEqual(["lint", "tsc", "prepare", "all", "load"]);
        expect(allPassed(outcomes)).toBe(true);
        expect(closingLineOf(reportOf(outcomes))).toBe("20 passed, 0 failed");
    });

    test("continues after a failed part, and fails", async () => {
        const { commands, outcomes, states } = await runWith(["lint", "all"]);
        expect(commands).toEqual(["lint", "tsc", "prepare", "all", "load"]);
        expect(states).toEqual(["failed", "passed", "passed", "failed", "passed"]);
        expect(allPassed(outcomes)).toBe(false);
        // Two tests, and a part without tests.
        expect(closingLineOf(reportOf(outcomes))).toBe("20 passed, 3 failed");
    });

    test("without the tests' prerequisites, runs the tests that need none, and fails", async () => {
        const { commands, outcomes, states } = await runWith(["prepare"]);
        expect(commands).toEqual(["lint", "tsc", "prepare", "some"]);
        expect(states).toEqual(["passed", "passed", "failed", "partly", "not run"]);
        expect(allPassed(outcomes)).toBe(false);
        expect(closingLineOf(reportOf(outcomes))).toBe("10 passed, 3 failed");
    });

    test("starts nothing once it is interrupted", async () => {
        let asked = 0;
        const { commands, outcomes } = await runWith([], () => ++asked > 2);
        expect(commands).toEqual(["lint", "tsc"]);
        expect(allPassed(outcomes)).toBe(false);
    });

    test("counts a part without a record of its tests as failed", async () => {
        const outcomes = await runParts(
            PARTS,
            () => Promise.resolve({ code: 134, seconds: 1 }),
            () => false,
        );
        expect(closingLineOf(reportOf(outcomes))).toBe("0 passed, 5 failed");
    });

    test("prints the duration of each file, the longest first, and of each failure why, and how to run it alone", async () => {
        const report = reportOf((await runWith(["all", "lint"])).outcomes);
        expect(report).toMatch(/ 65\.0 s {2}load\.test\.ts\n +3\.2 s {2}all\.test\.ts\n/);
        const failed = report.slice(report.indexOf("==> Failed"));
        expect(failed.split("\n")).toEqual([
            "==> Failed",
            "    lint: failed",
            "        fine",
            "        1:2 error no semicolon",
            "      alone: npm run lint",
            "    tests: failed",
            "    all.test.ts: a test",
            "        Error: no space",
            "          left",
            "    all.test.ts: another test",
            "      alone: npx jest all.test.ts --selectProjects e2e",
            "",
            "20 passed, 3 failed",
        ]);
    });
});

describe("why a test failed", () => {
    test("is first what names an error, wherever it is in the output", () => {
        const output = Array.from({ length: 100 }, (_, index) => `+ step ${index}`);
        const lines = [
            "expect(received).toEqual(expected)",
            ...output,
            "+ error: image can't be used",
            "    at up (a.ts:1:2)",
        ];
        const reason = reasonIn(lines.join("\n"));
        expect(reason.slice(0, 3)).toEqual([lines[0], "+ error: image can't be used", "+ step 0"]);
        expect(reason).toHaveLength(30);
    });

    test("leaves out what is empty, and the rest of very long lines", () => {
        expect(reasonIn(`a\n\n${"b".repeat(1000)}`)).toEqual(["a", "b".repeat(400)]);
        expect(reasonIn("")).toEqual([]);
    });
});

test("several things are done at the same time, and their results keep their order", async () => {
    const begun: number[] = [];
    let release: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (release = resolve));
    const results = eachOf([1, 2, 3], 2, async (item) => {
        begun.push(item);
        await (item === 1 ? first : undefined);
        return item * 10;
    });
    await new Promise(setImmediate);
    expect(begun).toEqual([1, 2, 3]);
    release();
    expect(await results).toEqual([10, 20, 30]);
});
