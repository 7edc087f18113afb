import { answersIn } from "../../../components/storeClient/nodeRequests";
import { objectsIn, samplesOf, StoreQuestions, type StoreContent } from "../../../migration/storeContent";
import { differencesBetween, type Difference } from "../../../migration/storeDifferences";
import { minioProfile } from "../../../components";
import { VirtualClock } from "../fakes/virtualClock";

const contents = (key: string, etag: string, size: number) =>
    `<Contents><Key>${key}</Key><ETag>${etag}</ETag><Size>${size}</Size></Contents>`;

describe("listings of two stores", () => {
    test("are equal, whatever the order of their elements and the way in which keys and ETags are encoded", () => {
        const ofMinio = objectsIn(contents("a+b%2Bc%26", "&#34;1&#34;", 3));
        const ofRustfs = objectsIn(
            "<Contents><Size>3</Size><ETag>&quot;1&quot;</ETag><Key>a%20b%2Bc%26</Key></Contents>",
        );
        expect(ofMinio).toEqual(ofRustfs);
        expect([...ofMinio.entries]).toEqual([["a b+c&", "1 3 bytes"]]);
    });

    test("name versions and delete markers, and say which is the latest", () => {
        const listing =
            "<Version><Key>k</Key><VersionId>2</VersionId><IsLatest>false</IsLatest><ETag>e</ETag><Size>1</Size></Version>" +
            "<DeleteMarker><Key>k</Key><VersionId>3</VersionId><IsLatest>true</IsLatest></DeleteMarker>";
        expect([...objectsIn(listing).entries]).toEqual([
            ["k version 2", "e 1 bytes"],
            ["k version 3", "delete marker, latest"],
        ]);
    });
});

describe("the content of two stores", () => {
    const store = (listing: string, settings: string[] = [], samples: [string, string][] = []): StoreContent => ({
        buckets: new Map([["b", { settings, objects: objectsIn(listing), versions: objectsIn("") }]]),
        samples: new Map(samples),
    });
    const one = contents("one", "1", 1);
    const NONE = { missing: [], added: [] };
    const textsOf = (differences: Difference[]) => differences.map(({ text }) => text);

    test("is equal if nothing differs", () => {
        expect(textsOf(differencesBetween(store(one, ["policy"]), store(one, ["policy"]), NONE))).toEqual([]);
    });

    test.each<[string, StoreContent, string]>([
        ["a missing object", store(""), "b/one is listed as nothing, was 1 1 bytes"],
        ["another ETag", store(contents("one", "2", 1)), "b/one is listed as 2 1 bytes, was 1 1 bytes"],
        ["another length", store(contents("one", "1", 2)), "b/one is listed as 1 2 bytes, was 1 1 bytes"],
        [
            "an object that wasn't there",
            store(one + contents("two", "2", 2)),
            "b/two is listed as 2 2 bytes, was nothing",
        ],
        ["a setting that wasn't there", store(one, ["policy"]), "b: has a policy that it didn't have"],
        ["a missing bucket", { buckets: new Map(), samples: new Map() }, "the bucket b isn't there"],
    ])("differs by %s", (_, after, difference) => {
        expect(textsOf(differencesBetween(store(one), after, NONE))).toEqual([difference]);
    });

    test("differs by a missing setting, unless that may lose its effect", () => {
        const [before, after] = [store(one, ["notification"]), store(one)];
        expect(textsOf(differencesBetween(before, after, NONE))).toEqual(["b: its notification isn't there"]);
        expect(textsOf(differencesBetween(before, after, { ...NONE, missing: ["notification"] }))).toEqual([]);
    });

    test("differs by a setting that another store shows again, unless it may", () => {
        const [before, after] = [store(one), store(one, ["notification"])];
        expect(differencesBetween(before, after, { ...NONE, missing: ["notification"] })).toHaveLength(1);
        expect(differencesBetween(before, after, { ...NONE, added: ["notification"] })).toEqual([]);
    });

    test.each<[string, StoreContent, boolean]>([
        ["only its length", store(contents("one", "1", 2)), true],
        ["its ETag", store(contents("one", "2", 1)), false],
        ["that it isn't listed", store(""), false],
    ])("says whether only the content of an object differs: %s", (_, after, isContent) => {
        expect(differencesBetween(store(one), after, NONE)).toMatchObject([{ object: "b/one", isContent }]);
    });

    test("names the object that differs, without its version", () => {
        const version = (etag: string) =>
            `<Version><Key>a+%26</Key><VersionId>2</VersionId><IsLatest>true</IsLatest><ETag>${etag}</ETag><Size>1</Size></Version>`;
        const of = (etag: string): StoreContent => ({
            buckets: new Map([["b", { settings: [], objects: objectsIn(""), versions: objectsIn(version(etag)) }]]),
            samples: new Map([["/b/a%20%26", `readable, ETag ${etag}`]]),
        });
        expect(differencesBetween(of("1"), of("2"), NONE).map(({ object }) => object)).toEqual(["b/a &", "b/a &"]);
    });

    test("differs by an object that reads differently, although it is listed as before", () => {
        const before = store(one, [], [["/b/one", "readable, sha256 1"]]);
        const after = store(one, [], [["/b/one", "readable, sha256 2"]]);
        expect(textsOf(differencesBetween(before, after, NONE))).toEqual([
            "/b/one reads as readable, sha256 2, was readable, sha256 1",
        ]);
    });

    test("isn't compared beyond the end of a listing that has more", () => {
        const truncated = "<IsTruncated>true</IsTruncated>";
        const before = store(one + contents("p", "2", 2) + truncated);
        const after = store(one + contents("p", "2", 2) + contents("q", "3", 3) + truncated);
        expect(textsOf(differencesBetween(before, after, NONE))).toEqual([]);
    });
});

describe("the sample of objects", () => {
    test("is even over each listing, has objects of every bucket, and none that is empty", () => {
        const many = Array.from({ length: 100 }, (_, index) =>
            contents(`key-${String(index).padStart(2, "0")}`, "e", 1),
        );
        const bucket = (listing: string) => ({ settings: [], objects: objectsIn(listing), versions: objectsIn("") });
        const buckets = new Map([
            ["large", bucket(many.join(""))],
            ["small", bucket(contents("empty", "e", 0) + contents("a+b%2F'c", "e", 5))],
        ]);
        const paths = samplesOf(buckets);
        expect(paths).toHaveLength(11);
        expect(paths.slice(0, 2)).toEqual(["/large/key-00", "/small/a%20b/%27c"]);
        expect(paths.at(-1)).toBe("/large/key-99");
    });

    test("has no keys with dot segments, which a client would resolve", () => {
        const objects = objectsIn(contents("a/../b", "e", 1) + contents("./c", "e", 1) + contents("d", "e", 1));
        expect(samplesOf(new Map([["b", { settings: [], objects, versions: objects }]]))).toEqual(["/b/d"]);
    });
});

describe("requests to a store", () => {
    test("answers are found by their statuses, whatever they contain", () => {
        expect(answersIn(["/a", "/b"], "one\n=== 200 0\ntwo\nlines\n=== 404 0\n")).toEqual([
            { path: "/a", body: "one", status: 200 },
            { path: "/b", body: "two\nlines", status: 404 },
        ]);
    });

    test("an answer that breaks off after its status is none", () => {
        const answers = answersIn(["/a", "/b"], "curl: (18) 9 bytes missing\nhal\n=== 200 18\ntwo\n=== 200 0\n");
        expect(answers.map(({ status }) => status)).toEqual([0, 200]);
    });

    test("a store that doesn't answer is an error with its words", async () => {
        const silent = new StoreQuestions(
            () => Promise.resolve({ code: 7, output: "curl: (7) refused" }),
            minioProfile,
            new VirtualClock(),
        );
        await expect(silent.content(false)).rejects.toThrow("minio doesn't answer: curl: (7) refused");
        const answer = "no such key\n=== 403 0\n";
        const refusing = new StoreQuestions(
            () => Promise.resolve({ code: 0, output: answer }),
            minioProfile,
            new VirtualClock(),
        );
        await expect(refusing.content(false)).rejects.toThrow("minio answers GET / with 403: no such key");
    });

    /** A store with one object, whose nodes have no quorum until a time in seconds. */
    const starting = (clock: VirtualClock, quorumAt: number, listed = contents("one", "1", 1)) => {
        const answerTo = (path: string) => (path === "/" ? "<Name>b</Name>" : path.includes("list-type") ? listed : "");
        return new StoreQuestions(
            ([, , , , ...paths]) => {
                const isServed = clock.now() >= quorumAt * 1000;
                const isRead = paths[0] === "/b/one";
                const output = paths.map((path) =>
                    isRead
                        ? `${isServed ? "200 1 1 0-0/1 abc" : "503   abc"}\n`
                        : `${isServed ? answerTo(path) : "SlowDown"}\n=== ${isServed ? 200 : 503} 0\n`,
                );
                return clock.sleep(100).then(() => ({ code: 0, output: output.join("") }));
            },
            minioProfile,
            clock,
        );
    };

    test("are sent again while a store has no quorum, for a minute", async () => {
        const clock = new VirtualClock();
        const { buckets, samples } = await starting(clock, 20).content(false);
        expect([...(buckets.get("b")?.objects.entries ?? [])]).toEqual([["one", "1 1 bytes"]]);
        expect([...samples]).toEqual([["/b/one", "readable, ETag 1, 1 bytes, sha256 abc"]]);
        expect(clock.now()).toBeLessThan(25_000);
    });

    test("read the objects that another store has read, whatever this one lists", async () => {
        const { samples } = await starting(new VirtualClock(), 0, contents("two", "2", 1)).content(false, ["/b/one"]);
        expect([...samples.keys()]).toEqual(["/b/one"]);
    });

    test("are sent again while an object can't be read", async () => {
        const clock = new VirtualClock();
        const samples = await starting(clock, 20).read(["/b/one"]);
        expect(samples.get("/b/one")).toContain("readable");
    });

    test("are sent again alone: what was answered stays as it is", async () => {
        const clock = new VirtualClock();
        const sent: string[][] = [];
        // As curl says it, before the status that came first.
        const brokenOff = 'curl: (18) end of response with 3 bytes missing 206 "1" 4 bytes 0-3/4 x';
        const store = new StoreQuestions(
            ([, , , , ...paths]) => {
                sent.push(paths);
                const lines = paths.map((path) => (path === "/b/two" && clock.now() < 3000 ? brokenOff : "200 1 1  x"));
                return clock.sleep(100).then(() => ({ code: 0, output: lines.join("\n") }));
            },
            minioProfile,
            clock,
        );
        const samples = await store.read(["/b/one", "/b/two"]);
        expect([...samples.keys()]).toEqual(["/b/one", "/b/two"]);
        expect([...samples.values()].every((text) => text.startsWith("readable"))).toBe(true);
        expect(sent).toEqual([["/b/one", "/b/two"], ["/b/two"], ["/b/two"]]);
    });

    test("that get no answer are a failure, also those for a setting that a bucket may lack", async () => {
        const clock = new VirtualClock();
        const store = new StoreQuestions(
            ([, , , , ...paths]) => {
                const answer = (path: string) => (path === "/" ? "<Name>b</Name>\n=== 200 0\n" : "\n=== 000 7\n");
                return clock.sleep(100).then(() => ({ code: 0, output: paths.map(answer).join("") }));
            },
            minioProfile,
            clock,
        );
        await expect(store.settings()).rejects.toThrow(/minio gave no complete answer to GET \/b\?\w+=/);
    });

    test("aren't sent again if the store doesn't implement them", async () => {
        const clock = new VirtualClock();
        const output = "NotImplemented\n=== 501 0\n";
        const store = new StoreQuestions(() => Promise.resolve({ code: 0, output }), minioProfile, clock);
        await expect(store.content(false)).rejects.toThrow("minio answers GET / with 501");
        expect(clock.now()).toBe(0);
    });

    test("for an object that can't be read are compared by their status alone", async () => {
        const clock = new VirtualClock();
        const unreadable = (digest: string) =>
            new StoreQuestions(
                () => clock.sleep(100).then(() => ({ code: 0, output: `500  ${digest}` })),
                minioProfile,
                clock,
            ).read(["/b/one"]);
        expect(await unreadable("1")).toEqual(await unreadable("2"));
    });

    test("for an object without an answer fail, however much of it there was", async () => {
        for (const line of [
            "curl: (28) Operation timed out 206 e1 9 bytes 0-8/9 x",
            "curl: (52) Empty reply 000   y",
            "503   z",
        ]) {
            const clock = new VirtualClock();
            const store = new StoreQuestions(
                () => clock.sleep(100).then(() => ({ code: 0, output: line })),
                minioProfile,
                clock,
            );
            await expect(store.read(["/b/one"])).rejects.toThrow("minio doesn't say whether /b/one can be read");
        }
    });

    test("are sent again once, also after that minute", async () => {
        const clock = new VirtualClock();
        let served = true;
        const answers = () => ({ code: 0, output: served ? "200 1 1  x" : "503   x" });
        const store = new StoreQuestions(() => clock.sleep(100).then(answers), minioProfile, clock);
        const failOnce = async () => {
            served = false;
            const read = store.read(["/b/one"]);
            await clock.sleep(1000);
            served = true;
            return read;
        };
        await failOnce();
        await clock.sleep(100_000);
        expect((await failOnce()).get("/b/one")).toContain("readable");
    });

    test("fail with the store's last answer after that", async () => {
        const clock = new VirtualClock();
        await expect(starting(clock, 3600).content(false)).rejects.toThrow("minio answers GET / with 503: SlowDown");
        expect(clock.now()).toBeLessThan(70_000);
    });
});
