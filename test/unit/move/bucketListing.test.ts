import { pairsOf, pathOf, shownKey } from "../../../tools/move/bucketListing";
import { copyOddObjects, isOdd } from "../../../tools/move/oddObjects";
import { VirtualStore } from "./virtualStore";

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
    const found: Item[] = [];
    for await (const item of items) {
        found.push(item);
    }
    return found;
}

test("two stores are read page by page, each key once, in order", async () => {
    const [one, other] = [new VirtualStore(2), new VirtualStore(2)];
    for (const key of ["a", "a b", "a+b", "c&<d>", "ü", "z"]) {
        one.put("bucket", key, `content of ${key}`);
    }
    for (const key of ["a", "b", "c&<d>", "ü", "zz"]) {
        other.put("bucket", key, `content of ${key}`);
    }
    one.put("only here", "key", "content");
    const pairs = (await all(pairsOf(one, other))).map(({ bucket, from, to }) => [
        bucket,
        from && shownKey(from.key),
        to && shownKey(to.key),
    ]);
    expect(pairs).toEqual([
        ["bucket", '"a"', '"a"'],
        ["bucket", '"a b"', undefined],
        ["bucket", '"a+b"', undefined],
        ["bucket", undefined, '"b"'],
        ["bucket", '"c&<d>"', '"c&<d>"'],
        ["bucket", '"z"', undefined],
        ["bucket", undefined, '"zz"'],
        ["bucket", '"ü"', '"ü"'],
        ["only here", '"key"', undefined],
    ]);
});

test.each([
    ["folder/", true],
    ["/leading", true],
    ["a//b", true],
    ["a/../b", true],
    ["a/.", true],
    ["a/b", false],
    [".hidden", false],
    ["a/..b", false],
])("%s is left out by rclone: %s", (key, odd) => expect(isOdd(key)).toBe(odd));

test("what rclone leaves out is copied with its headers, and deleted where it is gone", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("bucket", "folder/", "", { "content-type": "text/x", "x-amz-meta-owner": "me", etag: "not kept" });
    from.put("bucket", "plain", "content");
    to.put("bucket", "gone/", "");
    to.put("bucket", "plain elsewhere", "content");
    expect(await copyOddObjects(from, to)).toEqual({ copied: 1, left: [] });
    expect(to.keys("bucket")).toEqual(["folder/", "plain elsewhere"]);
    expect(to.headers("bucket", "folder/")).toEqual({ "content-type": "text/x", "x-amz-meta-owner": "me" });
    expect(await copyOddObjects(from, to)).toEqual({ copied: 0, left: [] });
});

test("after the switch nothing is deleted, and only what changed lately is copied", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("bucket", "early/", "");
    from.put("bucket", "late/", "");
    to.put("bucket", "of a client/", "");
    const isLate = ({ key }: { key: string }) => key.startsWith("late");
    expect(await copyOddObjects(from, to, isLate, false)).toEqual({ copied: 1, left: [] });
    expect(to.keys("bucket")).toEqual(["late/", "of a client/"]);
});

test("a path is encoded byte by byte", () => {
    expect(pathOf("bucket", Buffer.from("a b/ü+%?").toString("latin1"))).toBe("/bucket/a%20b/%C3%BC%2B%25%3F");
});
