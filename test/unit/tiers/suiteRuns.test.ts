import { newestOf, notPassed, resultsIn, type SuiteResult, tableOf } from "../../tiers/results";
import { countsOf, runSuites } from "../../tiers/suiteRuns";
import type { Suite } from "../../tiers/tiers";

const suite = (name: string, more: Partial<Suite> = {}): Suite => ({
    ...{ name, tier: "full", command: ["run", name], prepare: [], alone: false },
    ...more,
});

const SUITES = [
    suite("load", { alone: true }),
    suite("acme", { prepare: ["--full"] }),
    suite("proxy"),
    suite("rustfs", { prepare: ["--full", "--rustfs"] }),
];

/** Runs the suites. Returns what was done, in its order. */
async function runWith({
    failing = [],
    unprepared = [],
    until = Infinity,
}: {
    failing?: string[];
    unprepared?: string[];
    until?: number;
}) {
    const done: string[] = [];
    const recorded: string[] = [];
    const outcomes = await runSuites(SUITES, 1, {
        prepare: (options) => {
            done.push(["prepare", ...options].join(" "));
            return Promise.resolve(options.some((option) => unprepared.includes(option)) ? 1 : 0);
        },
        run: ({ name }) => {
            done.push(name);
            return Promise.resolve({ code: failing.includes(name) ? 1 : 0, seconds: 3 });
        },
        record: ({ name }, outcome) => recorded.push(`${name} ${outcome.state}`),
        isInterrupted: () => done.length >= until,
    });
    return { done, recorded, states: outcomes.map(({ part, state }) => `${part} ${state}`) };
}

describe("all suites", () => {
    test("run by what they need, those that have to be alone behind the others; whatever fails, the others run", async () => {
        const { done, recorded } = await runWith({ failing: ["proxy"] });
        const needs = ["prepare --full", "acme", "prepare --full --rustfs", "rustfs"];
        expect(done).toEqual(["prepare", "proxy", "load", ...needs]);
        expect(recorded).toEqual(["proxy failed", "load passed", "acme passed", "rustfs passed"]);
    });

    test("don't run without what they need, and then nothing is recorded of them", async () => {
        const { recorded, states } = await runWith({ unprepared: ["--rustfs"] });
        expect(recorded).toEqual(["proxy passed", "load passed", "acme passed"]);
        expect(states.at(-1)).toBe("rustfs not run");
    });

    test("don't begin after an interruption; the interrupted one isn't recorded as failed", async () => {
        const { done, recorded, states } = await runWith({ failing: ["load"], until: 3 });
        expect(done).toEqual(["prepare", "proxy", "load"]);
        expect(recorded).toEqual(["proxy passed"]);
        expect(states).toEqual(["proxy passed", "load failed", "acme not run", "rustfs not run"]);
    });

    test("count as one test each where nothing says how many there are", () => {
        const common = { part: "lint", command: [], seconds: 1 };
        expect(countsOf({ ...common, state: "passed" })).toEqual({ passed: 1, failed: 0 });
        expect(countsOf({ ...common, state: "failed" })).toEqual({ passed: 0, failed: 1 });
        const record = { passed: 8, failed: 0, files: [] };
        expect(countsOf({ ...common, state: "failed", record })).toEqual({ passed: 8, failed: 1 });
    });
});

describe("recorded results", () => {
    const machine = { cores: 2, memoryGib: 24, engine: "20.10.24" };
    const result = (name: string, date: string, failed: number): SuiteResult => ({
        ...{ suite: name, tier: "full", commit: "0123456789abcdef", date, passed: 7, failed, seconds: 12.6, machine },
    });
    const kept = [result("proxy", "2026-12-01T10:00:00Z", 1), result("acme", "2026-12-01T11:00:00Z", 0)];

    test("are read from lines, of which an interruption may have cut off the last one", () => {
        const text = `${kept.map((one) => JSON.stringify(one)).join("\n")}\n{"suite": "ac`;
        expect(resultsIn(text)).toEqual(kept);
        expect(resultsIn("")).toEqual([]);
    });

    test("leave the suites that haven't passed, or failed when they ran last", () => {
        const names = (results: SuiteResult[]) => notPassed(SUITES, results).map(({ name }) => name);
        expect(names(kept)).toEqual(["load", "proxy", "rustfs"]);
        expect(names([...kept, result("proxy", "2026-12-01T12:00:00Z", 0)])).toEqual(["load", "rustfs"]);
        expect(names([...kept, result("acme", "2026-12-01T12:00:00Z", 2)])).toEqual([
            "load",
            "acme",
            "proxy",
            "rustfs",
        ]);
    });

    test("count in the document by the newest one of each suite that there still is", () => {
        const later = result("proxy", "2026-12-02T10:00:00Z", 0);
        const newest = newestOf(SUITES, [later, ...kept, result("gone", "2026-12-02T10:00:00Z", 0)]);
        expect(newest).toEqual([kept[1], later]);
        expect(tableOf(SUITES.slice(1, 4), newest).split("\n").slice(2)).toEqual([
            "| full | acme | 0123456 | 2026-12-01 | 7 | 0 | 13 | 2 cores, 24 GiB, Docker 20.10.24 |",
            "| full | proxy | 0123456 | 2026-12-02 | 7 | 0 | 13 | 2 cores, 24 GiB, Docker 20.10.24 |",
            "",
            "Not recorded: 1 of 3 suites.",
        ]);
    });
});
