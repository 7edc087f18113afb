import { chaosTable } from "../../../e2e/chaos/chaosTable";
import type { ChaosResult, SlowOperation } from "../../../e2e/chaos/course";
import type { Expectations } from "../../../e2e/chaos/disturbance";
import { ObjectLedger } from "../../../e2e/chaos/objectLedger";
import { shortfallsOf } from "../../../e2e/chaos/shortfalls";

const SOUND: ChaosResult = {
    store: "RustFS",
    name: "a node paused",
    requests: { retrying: 10, single: 10 },
    failed: { retrying: 0, single: 0 },
    failures: {},
    wrongBytes: [],
    wrongLists: [],
    wrongAfterwards: [],
    slowest: [{ seconds: 1, population: "retrying", kind: "get" }],
    longestGap: 1,
    servedAfter: 0,
    servedAfterCause: 0,
    wholeAfter: 1,
    proxyLines: [],
};

const lasting = (...seconds: number[]): SlowOperation[] =>
    seconds.map((one) => ({ seconds: one, population: "single", kind: "delete" }));

const ASKED: Expectations = { failedWithRetries: 0, failedWithoutRetries: 4, longestStall: 15 };

const shortfalls = (change: Partial<ChaosResult>, expected = ASKED) =>
    shortfallsOf(expected, { ...SOUND, ...change }, new ObjectLedger());

test("a result within every limit passes", () => {
    expect(shortfalls({ failed: { retrying: 0, single: 4 } })).toEqual([]);
});

test.each<[string, Partial<ChaosResult>, string]>([
    [
        "failed operations with retries",
        { failed: { retrying: 4, single: 0 } },
        "4 failed with retries, at most 0 allowed",
    ],
    [
        "failed operations without",
        { failed: { retrying: 0, single: 5 } },
        "5 failed without retries, at most 4 allowed",
    ],
    ["a stall", { slowest: lasting(16) }, "16 seconds for one operation (single delete), at most 15 allowed"],
    ["wrong bytes meanwhile", { wrongBytes: ["a/1"] }, "wrong meanwhile: a/1"],
    ["wrong lists meanwhile", { wrongLists: ["a/2"] }, "wrong meanwhile: a/2"],
    ["wrong bytes afterwards", { wrongAfterwards: [{ by: "read", key: "a", text: "a/3" }] }, "wrong afterwards: a/3"],
    ["a cluster that stays broken", { trouble: "never whole" }, "never whole"],
])("%s beyond its limit fails", (_, change, shortfall) => {
    expect(shortfalls(change)).toEqual([shortfall]);
});

test("a store that may be stale during a disturbance has to be right afterwards", () => {
    const expected = { ...ASKED, staleMeanwhile: ["RustFS"] };
    expect(shortfalls({ wrongBytes: ["a/1"] }, expected)).toEqual([]);
    expect(shortfalls({ wrongAfterwards: [{ by: "list", key: "a", text: "a/3" }] }, expected)).toHaveLength(1);
});

test("operations that wait for a lock of a process that is gone may take as long as the store keeps it, and no others", () => {
    const shortfallsOf = (slowest: SlowOperation[], store = "MinIO", waitForLocks = 2) =>
        shortfalls({ store, slowest }, { ...ASKED, waitForLocks });
    expect(shortfallsOf(lasting(135, 16, 15))).toEqual([]);
    expect(shortfallsOf(lasting(97, 14))).toEqual([]);
    expect(shortfallsOf(lasting(136, 14, 13))).toHaveLength(1);
    expect(shortfallsOf(lasting(50, 50, 16))).toHaveLength(1);
    expect(shortfallsOf([{ seconds: 50, population: "single", kind: "list" }])).toHaveLength(1);
    expect(shortfallsOf(lasting(50, 15), "RustFS")).toHaveLength(1);
    expect(shortfallsOf(lasting(50, 15), "MinIO", 0)).toHaveLength(1);
});

test("each row of the table says whether it passed", () => {
    const table = chaosTable([
        { ...SOUND, shortfalls: [] },
        { ...SOUND, shortfalls: ["4 failed with retries, at most 0 allowed"] },
    ]);
    const results = table.split("\n").map((line) => line.split("|")[2]?.trim());
    expect(results.filter((cell) => cell === "pass" || cell === "**fail**")).toEqual(["pass", "**fail**"]);
});
