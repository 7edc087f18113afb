import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import { Option } from "commander";
import TierSequencer from "../../tierSequencer";
import { shardOf, shardOption } from "../../tiers/shard";
import { allSuites, pathOf, TEST_COMMANDS, TEST_PROJECTS, testFiles, TIERS } from "../../tiers/tiers";

describe("the tiers of the tests", () => {
    test("every end-to-end test belongs to exactly one", () => {
        const named = TEST_PROJECTS.flatMap(({ files }) => files.map(pathOf));
        expect(named.sort()).toEqual(testFiles());
        const repeated = TEST_PROJECTS.flatMap(({ repeats = [] }) => repeats.map(pathOf));
        expect(repeated.filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
    });

    test("each has suites, and every file is in one of them, or run by a command", () => {
        const suites = allSuites();
        expect(new Set(suites.map(({ name }) => name)).size).toBe(suites.length);
        expect([...new Set(suites.map(({ tier }) => tier))]).toEqual(TIERS);
        TEST_PROJECTS.forEach(({ ranBy, files }) => {
            expect([...suites, ...TEST_COMMANDS].map(({ name }) => name)).toEqual(
                expect.arrayContaining(ranBy === undefined ? files : [ranBy]),
            );
        });
    });

    test("CI needs neither RustFS nor other languages for what it runs besides `npm test`", () => {
        const steady = TEST_PROJECTS.filter((project) => project.steady === true);
        expect(steady.length).toBeGreaterThan(0);
        expect(steady.flatMap(({ prepare = [] }) => prepare)).toEqual([]);
    });
});

test("the command that runs all suites starts, and ends with nothing to run in a part that has none", () => {
    const args = ["test/tiers/runAll.ts", "--tier", "hour", "--shard", "9/9"];
    expect(execFileSync("node_modules/.bin/tsx", args, { cwd: PROJECT, encoding: "utf8" })).toContain("0 of 0 suites");
});

test("end-to-end tests begin in their order, and unit tests among them", () => {
    const tests = ["unit/run", "e2e/oneNode", "unit/run", "e2e/tools", "unit/run"].map((name) => ({
        path: `/checkout/test/${name}.test.ts`,
        context: { config: { cacheDirectory: "/nowhere", id: "id" }, hasteFS: { getSize: () => 1 } },
    }));
    const sequencer = new TierSequencer({ contexts: [], globalConfig: {} });
    const names = (sorted: { path: string }[]) => sorted.map(({ path }) => /(\w+)\.test/.exec(path)?.[1]);
    expect(names(sequencer.sort(tests))).toEqual(["tools", "run", "run", "oneNode", "run"]);
    const unit = tests.filter(({ path }) => path.includes("unit"));
    expect(names(sequencer.sort(unit))).toEqual(["run", "run", "run"]);
});

describe("a shard", () => {
    const parse = (text: string) => shardOption(new Option("--shard <i/n>")).parseArg?.<unknown>(text, undefined);

    test("is a part of a list; together they are all of it, each item once", () => {
        const items = Array.from({ length: 17 }, (_, index) => index);
        const shards = [1, 2, 3, 4, 5].map((index) => shardOf(items, { index, count: 5 }));
        expect(shards.flat().sort((one, other) => one - other)).toEqual(items);
        expect(shards.map(({ length }) => length)).toEqual([4, 4, 3, 3, 3]);
        expect(shardOf(items, { index: 1, count: 1 })).toEqual(items);
    });

    test("is given as its number and how many there are", () => {
        expect(parse("2/5")).toEqual({ index: 2, count: 5 });
        ["0/5", "6/5", "2", "a/b", "1/0"].forEach((text) => {
            expect(() => parse(text)).toThrow("such as 2/5");
        });
    });
});
