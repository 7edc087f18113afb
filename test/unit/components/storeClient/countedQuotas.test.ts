import { minioProfile, rustfsProfile } from "../../../../components";
import { QuotaQuestions, untilCounted, type AskedNode } from "../../../../components/storeClient/countedQuotas";
import { checkServiceProfile } from "../../../../components/store/serviceProfile";
import { VirtualClock } from "../../fakes/virtualClock";

/** What a virtual node answers, by paths. */
type Answers = (path: string) => [status: number, body: string];

/** A node that answers requests as RustFS does, with the paths that it was asked for. */
function nodeWith(answers: Answers, isHealthy = true): AskedNode & { paths: string[] } {
    const paths: string[] = [];
    return {
        paths,
        isHealthy: () => Promise.resolve(isHealthy),
        run: ([, , , , ...asked]) => {
            paths.push(...asked);
            const output = asked.map(answers).map(([status, body]) => `${body}\n=== ${status} 0\n`);
            return Promise.resolve({ code: 0, output: output.join("") });
        },
    };
}

/** Buckets, those with a quota, and those that aren't counted. */
const store =
    (buckets: string[], limited: string[] = buckets, uncounted: string[] = limited): Answers =>
    (path) => {
        if (path === "/") {
            return [200, `<Buckets>${buckets.map((name) => `<Name>${name}</Name>`).join("")}</Buckets>`];
        }
        const [, bucket = ""] = /([a-z0-9]+)$/.exec(path) ?? [];
        return path.startsWith("/rustfs/admin/v3/get-bucket-quota?bucket=")
            ? [200, JSON.stringify({ quota: limited.includes(bucket) ? 1048576 : 0 })]
            : [uncounted.includes(bucket) ? 503 : 200, "{}"];
    };

const questions = (...nodes: AskedNode[]) => new QuotaQuestions(nodes, rustfsProfile);

describe("buckets that a store has not counted", () => {
    test("are those among the buckets with a quota that a node refuses writes to", async () => {
        const node = nodeWith(store(["a", "b", "c"], ["b", "c"], ["c"]));
        expect(await questions(node).limited()).toEqual(["b", "c"]);
        expect(await questions(node).uncounted(["b", "c"])).toEqual(["c"]);
        expect(node.paths.at(-1)).toBe("/rustfs/admin/v3/quota-stats/c");
    });

    test("are asked for on every node, since each has its own knowledge of them", async () => {
        const [knowing, other] = [nodeWith(store(["a"], ["a"], [])), nodeWith(store(["a"]))];
        expect(await questions(knowing, other).uncounted(["a"])).toEqual(["a"]);
        expect(await questions(knowing, knowing).uncounted(["a"])).toEqual([]);
    });

    test("aren't asked for on a node that isn't healthy, which gets no requests", async () => {
        const [ill, well] = [nodeWith(store(["a"]), false), nodeWith(store(["a"], ["a"], []))];
        expect(await questions(ill, well).uncounted(["a"])).toEqual([]);
        expect(ill.paths).toEqual([]);
        await expect(questions(ill).limited()).rejects.toThrow("no node is healthy");
        await expect(questions(ill).uncounted(["a"])).rejects.toThrow("no node is healthy");
    });

    test("are known one by one, also of more than one command asks for", async () => {
        const names = Array.from({ length: 30 }, (_, index) => `bucket${index}`);
        const answers = store(names, names, ["bucket1"]);
        const node = nodeWith((path) => (path.endsWith("/bucket2") ? [500, ""] : answers(path)));
        const counts = await questions(node).counts(names);
        expect(counts.slice(0, 2)).toEqual(["counted", "uncounted"]);
        expect(counts[2]).toEqual(new Error("it answers GET /rustfs/admin/v3/quota-stats/bucket2 with 500"));
        expect(counts.slice(3)).toEqual(Array.from({ length: 27 }, () => "counted"));
    });

    test("are asked for with one command at a time: what follows one that isn't counted isn't known yet", async () => {
        const names = Array.from({ length: 100 }, (_, index) => `b${index}`);
        const node = nodeWith(store(names, names, ["b30"]));
        expect(await questions(node).uncounted(names)).toEqual(["b30", ...names.slice(48)]);
        expect(node.paths).toHaveLength(48);
    });

    test.each(["000", 500])("aren't known if a node answers with %s", async (status) => {
        const node = nodeWith((path) => (path === "/" ? [200, "<Name>a</Name>"] : [status as number, ""]));
        await expect(questions(node).limited()).rejects.toThrow(/get-bucket-quota\?bucket=a( with 500)?$/);
        await expect(questions(node).uncounted(["a"])).rejects.toThrow(/quota-stats\/a( with 500)?$/);
    });

    test.each([404, 403])("are none if the store answers with %d: it doesn't say so", async (status) => {
        expect(await questions(nodeWith(() => [status, "{}"])).uncounted(["a"])).toEqual([]);
        const listing: Answers = (path) => (path === "/" ? [200, "<Name>a</Name>"] : [status, "no JSON"]);
        expect(await questions(nodeWith(listing)).limited()).toEqual([]);
    });

    test("are none in a store that needs no counts, which isn't asked", async () => {
        const node = nodeWith(store(["a"]));
        const ofMinio = new QuotaQuestions([node], minioProfile);
        expect([await ofMinio.limited(), await ofMinio.uncounted(["a"])]).toEqual([[], []]);
        expect(node.paths).toEqual([]);
    });
});

describe("the wait for a store's counts", () => {
    /** Waits while the buckets become counted at these seconds. Questions fail until a time, in seconds. */
    const wait = async (
        counted: { [bucket: string]: number },
        {
            failsUntil = 0,
            endsAt = Infinity,
            reportFails = false,
            hangs = false,
            takes = 0,
            buckets = undefined as string[] | undefined,
        } = {},
    ) => {
        const clock = new VirtualClock();
        const said: string[] = [];
        const say = (kind: string) => (text: string) => {
            said.push(`${Math.round(clock.now() / 1000)} s, ${kind}: ${text}`);
            return reportFails ? Promise.reject(new Error("Pulumi is gone")) : Promise.resolve();
        };
        const unlessFailing = (names: string[]) =>
            hangs
                ? new Promise<string[]>(() => undefined)
                : clock.now() < failsUntil * 1000
                  ? Promise.reject(new Error("the Docker daemon hangs"))
                  : Promise.resolve(names.filter((name) => clock.now() < (counted[name] ?? 0) * 1000));
        const asked = {
            limited: () => unlessFailing([]).then(() => Object.keys(counted)),
            uncounted: async (names: readonly string[]) => {
                if (takes > 0) {
                    await clock.sleep(takes * 1000);
                }
                return unlessFailing([...names]);
            },
        };
        await untilCounted(asked, {
            storeName: "rustfs",
            ...(buckets === undefined ? {} : { buckets }),
            clock,
            report: { progress: say("progress"), warning: say("warning") },
            isOver: () => clock.now() >= endsAt * 1000,
        });
        return { seconds: clock.now() / 1000, said };
    };

    test("asks once and says nothing if everything is counted", async () => {
        expect(await wait({ a: 0, b: 0 })).toEqual({ seconds: 0, said: [] });
        expect(await wait({})).toEqual({ seconds: 0, said: [] });
        expect(await wait({ a: 0, b: 99 }, { buckets: ["a"] })).toEqual({ seconds: 0, said: [] });
    });

    test("says what it waits for at once and then every 20 s, and ends with the last bucket", async () => {
        const { seconds, said } = await wait({ a: 30, b: 76 });
        expect(seconds).toBe(76);
        expect(said).toEqual([
            "0 s, progress: waiting until rustfs has counted the objects of a, b: until then it refuses writes to buckets with a quota, with 503",
            "20 s, progress: waiting until rustfs has counted the objects of a, b: until then it refuses writes to buckets with a quota, with 503",
            expect.stringMatching(/^40 s, progress: .* objects of b:/) as string,
            expect.stringMatching(/^60 s, progress: .* objects of b:/) as string,
        ]);
    });

    test("warns after 10 minutes, with the buckets, and doesn't fail", async () => {
        const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`b${index}`, Infinity]));
        const { seconds, said } = await wait({ a: 5, ...many });
        expect(seconds).toBe(600);
        expect(said.at(-1)).toBe(
            "600 s, warning: rustfs has not counted the objects of b0, b1, b2, b3, b4, b5, b6, b7, b8, b9 and 2 more within 10 minutes: until it " +
                "has, it refuses writes to buckets with a quota, with 503. That ends by itself, no update is needed; everything else works",
        );
    });

    test("asks again if the store couldn't be asked; the warning says why it isn't known", async () => {
        expect((await wait({ a: 8 }, { failsUntil: 5 })).seconds).toBe(8);
        const { said } = await wait({ a: 8 }, { failsUntil: Infinity, buckets: ["a"] });
        expect(said.at(-1)).toMatch(
            /^600 s, warning: rustfs couldn't be asked .* objects of a: the Docker daemon hangs\. Until it has,/,
        );
        expect((await wait({ a: 8 }, { failsUntil: Infinity })).said.at(-1)).toContain(
            "the objects of buckets with a quota:",
        );
    });

    test("ends without a word if the program has to end", async () => {
        const { seconds, said } = await wait({ a: Infinity }, { endsAt: 42 });
        expect(seconds).toBe(42);
        expect(said.filter((line) => line.includes("warning"))).toEqual([]);
    });

    test("waits for no answer longer than 10 minutes, and ends if the program has to end meanwhile", async () => {
        const { seconds, said } = await wait({ a: 5 }, { hangs: true, buckets: ["a"] });
        expect(seconds).toBeGreaterThanOrEqual(600);
        expect(seconds).toBeLessThan(605);
        expect(said).toHaveLength(32);
        expect(said.at(-1)).toMatch(
            /^60\d s, warning: rustfs couldn't be asked .* objects of a: there has been no answer for 60\d s\. /,
        );
        const interrupted = await wait({ a: 5 }, { hangs: true, endsAt: 42 });
        expect(interrupted.seconds).toBeLessThan(48);
    });

    test("takes slow answers for answers: the warning says what isn't counted", async () => {
        const { seconds, said } = await wait({ a: Infinity }, { takes: 45, buckets: ["a"] });
        expect(seconds).toBeGreaterThanOrEqual(600);
        expect(said.at(-1)).toMatch(/^6\d\d s, warning: rustfs has not counted the objects of a within 10 minutes/);
    });

    test("ends if nobody hears it any more", async () => {
        expect((await wait({ a: 99 }, { reportFails: true })).seconds).toBe(0);
    });
});

test("the paths of a profile of one's own are checked", () => {
    const quotaPaths = { quota: "admin/quota?bucket=", count: "/admin/count/" };
    expect(checkServiceProfile({ ...rustfsProfile, quotaPaths })).toEqual([
        { propertyPath: "quotaPaths.quota", reason: expect.stringContaining("is not the path of a URL") as string },
    ]);
    const half = { quota: "/admin/quota?bucket=" } as typeof quotaPaths;
    expect(checkServiceProfile({ ...rustfsProfile, quotaPaths: half })).toEqual([
        { propertyPath: "quotaPaths.count", reason: expect.stringContaining("is not the path of a URL") as string },
    ]);
    expect(checkServiceProfile(rustfsProfile)).toEqual([]);
});
