import { pairsOf, pathOf, shownKey } from "../../../../tools/move/bucketListing";
import { copyOddChanges, copyOddObjects, isOdd } from "../../../../tools/move/oddObjects";
import { VirtualStore } from "../../fakes/virtualStore";

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

/** After the objects of a virtual store. */
const LATER = Date.parse("2026-01-02T00:00:00Z");

test("what rclone leaves out is copied with its headers, and deleted where it is gone", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("bucket", "folder/", "", { "content-type": "text/x", "x-amz-meta-owner": "me", etag: "not kept" });
    from.put("bucket", "plain", "content");
    to.put("bucket", "gone/", "");
    to.put("bucket", "plain elsewhere", "content");
    expect(await copyOddObjects(from, to, LATER)).toMatchObject({ copied: 1, left: [] });
    expect(to.keys("bucket")).toEqual(["folder/", "plain elsewhere"]);
    expect(to.headers("bucket", "folder/")).toEqual({ "content-type": "text/x", "x-amz-meta-owner": "me" });
    expect(await copyOddObjects(from, to, LATER)).toMatchObject({ copied: 0, left: [] });
    // Its headers may have changed.
    expect(await copyOddObjects(from, to)).toMatchObject({ copied: 1, left: [] });
});

test("later only what has changed since then is copied, and deleted", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    for (const key of ["same//x", "changed//x", "gone//x"]) {
        from.put("bucket", key, "content");
    }
    from.put("gone bucket", "folder/", "");
    to.put("bucket", "plain", "content");
    const earlier = await copyOddObjects(from, to, LATER);
    from.put("bucket", "changed//x", "other content");
    from.put("new bucket", "new//x", "content");
    await from.send({ method: "DELETE", path: "/bucket/gone//x" });
    await from.send({ method: "DELETE", path: "/gone%20bucket" });
    to.requests.length = 0;
    expect(await copyOddChanges(from, to, earlier)).toMatchObject({ copied: 2, left: [] });
    expect(to.requests.sort()).toEqual(["DELETE /bucket/gone//x", "PUT /bucket/changed//x", "PUT /new bucket/new//x"]);
});

test("an object that can't be copied is named: without it, nothing may be switched", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("bucket", "a//b", "content");
    to.put("bucket", "plain", "content");
    to.refused = "PUT /bucket/a//b";
    const { left } = await copyOddChanges(from, to, { states: new Map() });
    expect(left).toEqual(['bucket/"a//b" can\'t be copied: 200, 405']);
});

test("an object that a client deletes while it is copied isn't left in the second store", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("bucket", "a//b", "content");
    to.put("bucket", "a//b", "former content");
    from.refused = "GET /bucket/a//b";
    from.refusal = 404;
    expect(await copyOddObjects(from, to)).toMatchObject({ copied: 0, left: [] });
    expect(to.keys("bucket")).toEqual([]);
});

test("a path is encoded byte by byte", () => {
    expect(pathOf("bucket", Buffer.from("a b/ü+%?").toString("latin1"))).toBe("/bucket/a%20b/%C3%BC%2B%25%3F");
});
