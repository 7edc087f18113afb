import type { BucketCount } from "../../../../components/storeClient/countedQuotas";
import { QuestionsOfStores, SharedQuestions } from "../../../../components/storeClient/sharedQuestions";
import { VirtualClock } from "../../fakes/virtualClock";

/** Questions that take half a second each. */
function questions(clock: VirtualClock, countOf: (bucket: string, time: number) => BucketCount) {
    const asked: { at: number; buckets: readonly string[] }[] = [];
    const counts = async (buckets: readonly string[]) => {
        asked.push({ at: clock.now() / 1000, buckets });
        await clock.sleep(500);
        return buckets.map((bucket) => countOf(bucket, clock.now() / 1000));
    };
    return { asked, counts, limited: () => Promise.resolve([]) };
}

describe("questions of several waits about one store", () => {
    test("that come before the next may begin are one question, and each wait gets its own buckets", async () => {
        const clock = new VirtualClock();
        const asking = questions(clock, (bucket) => (bucket === "b" ? "counted" : "uncounted"));
        const shared = new SharedQuestions(asking, clock);
        const first = shared.uncounted(["a"]);
        await clock.sleep(100);
        const second = shared.uncounted(["b"]);
        await clock.sleep(1500);
        const third = shared.uncounted(["b", "c"]);
        expect(await Promise.all([first, second, third])).toEqual([["a"], [], ["c"]]);
        expect(asking.asked).toEqual([
            { at: 0, buckets: ["a"] },
            { at: 2, buckets: ["b", "c"] },
        ]);
    });

    test("of a hundred buckets are at most one every two seconds", async () => {
        const clock = new VirtualClock();
        const asking = questions(clock, (_, time) => (time < 60 ? "uncounted" : "counted"));
        const shared = new SharedQuestions(asking, clock);
        const wait = async (bucket: string, begin: number) => {
            await clock.sleep(begin);
            while ((await shared.uncounted([bucket])).length > 0) {
                await clock.sleep(2000);
            }
        };
        await Promise.all(Array.from({ length: 100 }, (_, index) => wait(`bucket-${index}`, index * 37)));
        expect(asking.asked.length).toBeLessThanOrEqual(clock.now() / 2000 + 1);
    });

    test("that fail fail for those who asked, and not for the next", async () => {
        const clock = new VirtualClock();
        const asking = questions(clock, (bucket) => {
            if (bucket === "a") {
                throw new Error("no node is healthy");
            }
            return "counted";
        });
        const shared = new SharedQuestions(asking, clock);
        const first = shared.uncounted(["a"]);
        await clock.sleep(100);
        const next = shared.uncounted(["b"]);
        await expect(first).rejects.toThrow("no node is healthy");
        expect(await next).toEqual([]);
    });

    test("of which one has no answer fail for those who asked it alone", async () => {
        const clock = new VirtualClock();
        const asking = questions(clock, (bucket) => (bucket === "a" ? new Error("it answers with 500") : "counted"));
        const shared = new SharedQuestions(asking, clock);
        const [bad, good] = [shared.uncounted(["a"]), shared.uncounted(["b"])];
        await expect(bad).rejects.toThrow("it answers with 500");
        expect(await good).toEqual([]);
        expect(asking.asked).toHaveLength(1);
    });

    test("are opened once for each store, for as long as one of them waits", async () => {
        const clock = new VirtualClock();
        const stores = new QuestionsOfStores(clock);
        const asking = questions(clock, () => "uncounted");
        const opened: string[] = [];
        const wait = (key: string) => {
            const open = () => {
                opened.push(key);
                return Promise.resolve(asking);
            };
            return stores.during(key, open, (shared) => shared.uncounted([key]));
        };
        await Promise.all([wait("one"), wait("one"), wait("two")]);
        expect(opened).toEqual(["one", "two"]);
        await wait("one");
        expect(opened).toEqual(["one", "two", "one"]);
    });
});
