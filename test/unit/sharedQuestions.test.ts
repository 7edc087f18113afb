import { QuestionsOfStores, SharedQuestions } from "../../components/client/sharedQuestions";

/** Questions whose answers the test gives. */
function questions() {
    const asked: { buckets: readonly string[]; answer: (uncounted: string[]) => void; fail: (error: Error) => void }[] =
        [];
    const uncounted = (buckets: readonly string[]) =>
        new Promise<string[]>((answer, fail) => asked.push({ buckets, answer, fail }));
    return { asked, uncounted, limited: () => Promise.resolve([]) };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("questions of several waits about one store", () => {
    test("that come while an answer is awaited are one question, and each gets its own buckets", async () => {
        const { asked, ...of } = questions();
        const shared = new SharedQuestions(of);
        const first = shared.uncounted(["a"]);
        await soon();
        const others = [shared.uncounted(["b"]), shared.uncounted(["b", "c"])];
        await soon();
        expect(asked.map(({ buckets }) => buckets)).toEqual([["a"]]);
        asked[0]?.answer(["a"]);
        expect(await first).toEqual(["a"]);
        await soon();
        expect(asked.map(({ buckets }) => buckets)).toEqual([["a"], ["b", "c"]]);
        asked[1]?.answer(["c"]);
        expect(await Promise.all(others)).toEqual([[], ["c"]]);
    });

    test("that fail fail for those who asked, and not for the next", async () => {
        const { asked, ...of } = questions();
        const shared = new SharedQuestions(of);
        const first = shared.uncounted(["a"]);
        await soon();
        const next = shared.uncounted(["b"]);
        asked[0]?.fail(new Error("no node is healthy"));
        await expect(first).rejects.toThrow("no node is healthy");
        await soon();
        asked[1]?.answer([]);
        expect(await next).toEqual([]);
    });

    test("are opened once for each store, for as long as one of them waits", async () => {
        const stores = new QuestionsOfStores();
        const { asked, ...of } = questions();
        const opened: string[] = [];
        const wait = (key: string, bucket: string) =>
            stores.during(
                key,
                () => {
                    opened.push(key);
                    return Promise.resolve(of);
                },
                (open) => open.uncounted([bucket]),
            );
        const waits = [wait("one", "a"), wait("one", "b"), wait("two", "c")];
        await soon();
        expect(opened).toEqual(["one", "two"]);
        expect(asked.map(({ buckets }) => buckets)).toEqual([["a", "b"], ["c"]]);
        asked.forEach(({ answer }) => answer([]));
        await Promise.all(waits);
        const later = wait("one", "d");
        await soon();
        expect(opened).toEqual(["one", "two", "one"]);
        asked.at(-1)?.fail(new Error("gone"));
        await expect(later).rejects.toThrow("gone");
    });
});
