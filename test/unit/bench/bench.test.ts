import { readFileSync } from "node:fs";
import { join } from "node:path";
import { boundOf, loadScript, outcomeOf } from "../../../bench/h2load";
import { hasOurs, type Measurement, type PartResult } from "../../../bench/measurement";
import { chartOf } from "../../../bench/plot";
import { busyShare, otherLoadOf } from "../../../bench/otherLoad";
import { turns } from "../../../bench/progress";
import { renderReport } from "../../../bench/report";
import { comparisonWith, distinct, figuresOf, quantile, ratiosTo, spreadOf } from "../../../bench/statistics";
import { loadFigures, longestStall, type Outcome } from "../../../bench/steadyS3";
import { CHANGES } from "../../../bench/variants";
import { PROJECT } from "../../../tools/paths";

const ONE_NODE = join(__dirname, "../components/haproxyConfig/oneNode.haproxy.cfg");

const METRIC = { name: "throughput", unit: "requests per second", better: "higher" } as const;

function measured(subject: string, values: number[], point = "GET"): Measurement[] {
    return values.map((value, index) => ({ point, subject, metric: METRIC.name, round: index + 1, value }));
}

function resultOf(measurements: Measurement[]): PartResult {
    return { title: "Data path", ours: "proxy", metrics: [METRIC], measurements, notes: ["One node."] };
}

describe("statistics", () => {
    test("a quantile is one of the measured values, by nearest rank", () => {
        const values = Array.from({ length: 1000 }, (_, index) => 1000 - index);
        expect([0, 0.5, 0.99, 0.999, 1].map((share) => quantile(values, share))).toEqual([1, 500, 990, 999, 1000]);
        expect(() => quantile([], 0.5)).toThrow("no values");
    });

    test.each([
        [[3], { median: 3, minimum: 3, maximum: 3 }],
        [[4, 1], { median: 2.5, minimum: 1, maximum: 4 }],
        [[9, 1, 5], { median: 5, minimum: 1, maximum: 9 }],
    ])("the spread of %j", (values, spread) => {
        expect(spreadOf(values)).toEqual(spread);
    });

    test("ratios compare values of the same round, and only rounds in which both were measured", () => {
        const result = resultOf([...measured("proxy", [10, 20, 30]), ...measured("nginx", [5, 40])]);
        expect(ratiosTo(result, METRIC.name, "GET", "nginx")).toEqual([2, 0.5]);
    });

    test("each subject is the first in a round equally often", () => {
        expect([1, 2, 3, 4].map((round) => turns(["a", "b", "c"], round).join(""))).toEqual([
            "abc",
            "bca",
            "cab",
            "abc",
        ]);
    });

    test("a part is complete if ours was measured wherever another one was", () => {
        const of = (point: string, subject: string) => ({ point, subject, metric: "time", round: 1, value: 1 });
        const result = (...measurements: ReturnType<typeof of>[]) => ({ ours: "ours", measurements });
        expect(hasOurs(result(of("a", "ours"), of("a", "theirs"), of("b", "ours")))).toBe(true);
        expect(hasOurs(result(of("a", "ours"), of("a", "theirs"), of("b", "theirs")))).toBe(false);
        expect(hasOurs(result(of("a", "theirs")))).toBe(false);
        expect(hasOurs(result())).toBe(false);
    });

    test("the longest stall includes the times before the first and after the last success", () => {
        const success = (ended: number) => ({ begun: ended - 1, ended });
        expect(longestStall([success(1500), success(1000)], 0, 2000)).toBe(1);
        expect(longestStall([success(100)], 0, 5100)).toBe(5);
        expect(longestStall([], 0, 3000)).toBe(3);
    });

    test("a point counts as better or worse only if three rounds or more agree", () => {
        const result = resultOf([
            ...measured("proxy", [2, 2, 2], "always"),
            ...measured("nginx", [1, 1, 1], "always"),
            ...measured("proxy", [1, 1, 1], "never"),
            ...measured("nginx", [2, 2, 3], "never"),
            ...measured("proxy", [2, 2, 1], "sometimes"),
            ...measured("nginx", [1, 1, 2], "sometimes"),
            ...measured("proxy", [2, 2], "twice"),
            ...measured("nginx", [1, 1], "twice"),
        ]);
        expect(comparisonWith(result, METRIC, "nginx")).toEqual({ better: 1, worse: 1, undecided: 2 });
        expect(comparisonWith(result, { ...METRIC, better: "lower" }, "nginx")).toEqual({
            better: 1,
            worse: 1,
            undecided: 2,
        });
    });

    test("of a load are the share of failures and the seconds in which one began, not how fast they came", () => {
        const failed = (begun: number): Outcome => ({ begun, ended: begun + 1, failure: "503" });
        const outcomes = [failed(100), failed(200), failed(2100), { begun: 2500, ended: 2600 }];
        expect(loadFigures(outcomes, 0, 3000)).toMatchObject({
            requests: 4,
            "failed requests": 3,
            "share of failed requests": 75,
            "seconds with failures": 2,
            "longest stall": 2.6,
            "latency p99": 100,
        });
        expect(loadFigures([], 0, 1000)).toMatchObject({ requests: 0, "share of failed requests": 0 });
    });
});

describe("the load of other programs", () => {
    const processor = (idle: number, user: number) => ({
        ...{ model: "", speed: 0 },
        times: { idle, user, nice: 0, sys: 0, irq: 0 },
    });

    test("is the share of all CPUs' time", () => {
        const before = [processor(0, 0), processor(100, 100)];
        expect(busyShare(before, [processor(900, 100), processor(1000, 200)])).toBe(0.1);
        expect(busyShare(before, before)).toBe(0);
    });

    test("is waited for; a machine that stays busy is named so", async () => {
        const shares = [0.5, 0.02];
        expect(await otherLoadOf(() => Promise.resolve(shares.shift() ?? 1))).toBe(
            "2 % of the CPU time, in the 5 s before",
        );
        const sample = jest.fn(() => Promise.resolve(0.5));
        expect(await otherLoadOf(sample)).toContain("50 % of the CPU time, in the 5 s before (busy: other programs");
        expect(sample).toHaveBeenCalledTimes(24);
    });
});

describe("a load", () => {
    test("of PUTs sends the file over the configured protocol, to the address and not to the URL's host", () => {
        const script = loadScript({
            protocol: "h2",
            method: "PUT",
            connections: 16,
            address: "nginx:8443",
            urlsFile: "/tmp/urls",
            bodyFile: "/tmp/body",
            bound: { seconds: 5 },
        });
        expect(script).toContain(
            "h2load --alpn-list=h2 --clients=16 --max-concurrent-streams=1 --connect-to=nginx:8443 --input-file=/tmp/urls " +
                "--log-file=/tmp/h2load.log --duration=5 --header=:method:PUT --data=/tmp/body ",
        );
    });

    test("is read from its log: successes, failures, and the duration of each request", () => {
        const log = "1000000\t200\t2000\n1000000\t503\t100\n1500000\t200\t500000\n1400000\t-1\t5\n\n";
        expect(outcomeOf(log)).toEqual({
            seconds: 1,
            succeeded: 2,
            failed: 2,
            latency: { p50: 2, p99: 500, "p99.9": 500 },
        });
    });

    test("is measured once its connections are open", () => {
        const log = "1000000\t200\t900000\n3000000\t200\t2000\n3500000\t200\t500000\n";
        expect(outcomeOf(log, 2)).toMatchObject({ seconds: 1, succeeded: 2, failed: 0, latency: { p99: 500 } });
        expect(() => outcomeOf(log, 3)).toThrow("no request succeeded of 0");
    });

    test("with errors only is not a valid measurement", () => {
        expect(() => outcomeOf("1\t403\t5\n")).toThrow("no request succeeded of 1");
    });
});

test.each([
    [4096, 256, { seconds: 5 }],
    [2 ** 20, 64, { seconds: 5 }],
    [2 ** 20, 256, { requests: 1024 }],
    [2 ** 26, 1, { seconds: 5 }],
    [2 ** 26, 16, { requests: 32 }],
    [2 ** 26, 256, { requests: 256 }],
])(
    "a load of %i bytes on %i connections is limited, and with large bodies completes every request that it starts",
    (bytes, connections, bound) => {
        expect(boundOf(bytes, connections, 5)).toEqual(bound);
    },
);

test.each(CHANGES.filter(({ change }) => change !== undefined))(
    "the variant with $name changes the configuration",
    ({ change }) => {
        const configuration = readFileSync(ONE_NODE, "utf8");
        expect(change?.(configuration)).not.toBe(configuration);
    },
);

describe("a report", () => {
    const result = resultOf([...measured("proxy", [100, 120, 110]), ...measured("nginx", [50, 60, 44])]);

    test("has a table for each metric, with the ratio to ours in each round", () => {
        const report = renderReport(result, {
            command: "npm run bench",
            date: "2026-11-22",
            machine: { CPU: "2 × some" },
            plots: { throughput: "plot.svg" },
        });
        expect(report).toContain("| GET | 110 (100 to 120) | 50 (44 to 60); ratio 2 (2 to 2.5) |");
        expect(report).toContain("- CPU: 2 × some");
        expect(report).toContain("![throughput](plot.svg)");
    });

    test("has a dash for a missing value", () => {
        const partly = resultOf([...measured("proxy", [1], "GET"), ...measured("nginx", [1], "PUT")]);
        const report = renderReport(partly, { command: "", date: "", machine: {}, plots: {} });
        expect(report).toContain("| GET | 1 (1 to 1) | – |");
        expect(report).toContain("| PUT | – | 1 (1 to 1) |");
    });

    test("charts the median and the range of each subject at each point", () => {
        expect(chartOf(result, METRIC)["data"]).toEqual({
            values: [
                { point: "GET", subject: "proxy", median: 110, minimum: 100, maximum: 120 },
                { point: "GET", subject: "nginx", median: 50, minimum: 44, maximum: 60 },
            ],
        });
    });

    test("charts ratios in a panel for each operation where points differ by connections", () => {
        const points = [
            "GET 1 MiB, 1 connections, h2",
            "GET 1 MiB, 16 connections, h2",
            "PUT 1 MiB, 16 connections, h2",
        ];
        const measurements = points.flatMap((point) => [
            ...measured("proxy", [2, 4], point),
            ...measured("nginx", [1, 1], point),
        ]);
        const ratios = { subject: "nginx", median: 3, minimum: 2, maximum: 4 };
        expect(chartOf(resultOf(measurements), METRIC)["data"]).toEqual({
            values: [
                { panel: "GET 1 MiB, h2", connections: 1, ...ratios },
                { panel: "GET 1 MiB, h2", connections: 16, ...ratios },
                { panel: "PUT 1 MiB, h2", connections: 16, ...ratios },
            ],
        });
    });

    test("says at how many points ours is better and worse", () => {
        expect(renderReport(result, { command: "", date: "", machine: {}, plots: {} })).toContain(
            "- nginx: better at 1 points, worse at 0, undecided at 0",
        );
    });
});

describe("figures of the comparison", () => {
    const page = readFileSync(join(PROJECT, "docs", "explanation", "performance.md"), "utf8");
    const [, table = ""] = /## How it compares[^]*?\n(\|[^]*?)\n\n/.exec(page) ?? [];
    const rows = table
        .split("\n")
        .slice(2)
        .map((line) => line.split("|").map((cell) => cell.trim()));

    test.each(rows)("%s%s are in the results", (_, __, here = "", others = "", command = "") => {
        const [, part = ""] = /--part (\w+)/.exec(command) ?? [];
        const result = JSON.parse(
            readFileSync(join(PROJECT, "bench", "results", `${part}.json`), "utf8"),
        ) as PartResult;
        const known = result.metrics.flatMap(({ name }) =>
            distinct(result.measurements, "point").flatMap((point) =>
                distinct(result.measurements, "subject").flatMap((subject) => {
                    const values = figuresOf(result, name, point, subject).map(({ value }) => value);
                    return values.length === 0 ? [] : [spreadOf(values).median];
                }),
            ),
        );
        const figures = `${here} ${others}`.match(/\d[\d.]*/g) ?? [];
        const isKnown = (text: string) =>
            known.some((value) => value.toFixed(text.split(".")[1]?.length ?? 0) === text);
        expect(figures.length).toBeGreaterThan(1);
        expect(figures.filter((text) => !isKnown(text))).toEqual([]);
    });
});
