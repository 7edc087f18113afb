import { minioProfile, rustfsProfile } from "../../../../components";
import type { NodeSpec } from "../../../../components/store/topology";
import { LABELS } from "../../../../components/naming/labels";
import type { EngineCache } from "../../../../components/requirements/engineCache";
import { weakBuckets, weakBucketsAreNamed } from "../../../../components/requirements/weakBuckets";

const LIST =
    "<ListAllMyBucketsResult><Buckets><Bucket><Name>old</Name></Bucket><Bucket><Name>new</Name></Bucket></Buckets></ListAllMyBucketsResult>";

const container = (name: string, cluster: string, state = "running") => ({
    id: name,
    name,
    state,
    networks: [],
    labels: { [LABELS.node]: name, [LABELS.cluster]: cluster },
});

const engineOf = (modes: { [bucket: string]: string | null }, status = 200) => {
    const asked: string[] = [];
    const limits: number[] = [];
    return {
        asked,
        limits,
        containers: () =>
            Promise.resolve([
                container("gone", "store", "exited"),
                container("node1", "store"),
                container("another", "other"),
            ] as never),
        run: (name: string, command: string[], ...[, seconds = Infinity]: [string[], number?]) => {
            limits.push(seconds);
            const paths = command.slice(4);
            asked.push(...paths.map((path) => `${name}${path}`));
            const answers = paths.map((path) => {
                const bucket = path.split("/").at(-1) ?? "";
                const body = path === "/" ? LIST : JSON.stringify({ bucket, mode: modes[bucket] ?? null });
                return `${body}\n=== ${path === "/" ? 200 : status} 0\n`;
            });
            return Promise.resolve({ code: 0, output: answers.join("") });
        },
    };
};

test("buckets with a weaker durability than strict are named, of a store that has such modes", async () => {
    const engine = engineOf({ old: "relaxed" });
    const found = await weakBuckets(engine, rustfsProfile, ["gone", "node1"]);
    expect(found).toEqual([{ store: "store", bucket: "old" }]);
    const path = "node1/rustfs/admin/v3/bucket-durability/";
    expect(engine.asked).toEqual(["node1/", `${path}old`, `${path}new`]);
    // Nobody waits long for a store that hangs.
    expect(Math.max(...engine.limits)).toBeLessThanOrEqual(20);
    expect(await weakBuckets(engineOf({ old: "strict" }), rustfsProfile, ["node1"])).toEqual([]);
    for (const profile of [minioProfile, undefined]) {
        expect(await weakBuckets(engineOf({ old: "relaxed" }), profile, ["node1"])).toEqual([]);
    }
    expect(await weakBuckets(engineOf({ old: "relaxed" }), rustfsProfile, ["gone"])).toEqual([]);
});

test("an unknown answer is an error, and a bucket that was deleted meanwhile is none", async () => {
    await expect(weakBuckets(engineOf({}, 403), rustfsProfile, ["node1"])).rejects.toThrow(
        "bucket-durability/old with 403",
    );
    expect(await weakBuckets(engineOf({}, 404), rustfsProfile, ["node1"])).toEqual([]);
});

describe("before an update", () => {
    const warningsOf = async (engine: unknown, declared: string[] = [], ...others: unknown[]) => {
        const warnings: string[] = [];
        const engines = {
            hosts: new Map(
                [engine, ...others].map((one, index) => [`${index}`, { engine: () => Promise.resolve(one) }]),
            ),
            warnOnce: (...[, , text]: string[]) => Promise.resolve(warnings.push(text ?? "")),
        };
        const requirement = weakBucketsAreNamed(
            { clusterName: "store", profile: rustfsProfile, nodes: [{ name: "node1" }] as NodeSpec[] },
            declared,
        );
        expect(await requirement(engines as unknown as EngineCache)).toEqual([]);
        return warnings;
    };

    test("a warning names the buckets with a weak durability, but for those whose durability the args say", async () => {
        const engine = engineOf({ old: "relaxed", new: "relaxed" });
        expect(await warningsOf(engine)).toEqual([expect.stringContaining("objects of new, old that were")]);
        expect(await warningsOf(engine, ["new"])).toEqual([expect.stringContaining("objects of old that were")]);
        expect(await warningsOf(engine, ["new", "old"])).toEqual([]);
    });

    test("a store that doesn't answer refuses nothing: the warning says that it isn't known", async () => {
        expect(await warningsOf(engineOf({}, 503))).toEqual([
            expect.stringMatching(/^whether store has buckets with the durability relaxed isn't known: .* with 503/),
        ]);
    });

    test("a store on several hosts is asked once", async () => {
        const [engine, other] = [engineOf({ old: "relaxed" }), engineOf({ old: "relaxed" })];
        expect(await warningsOf(engine, [], other)).toHaveLength(1);
        expect([...engine.asked, ...other.asked]).toHaveLength(3);
    });
});
