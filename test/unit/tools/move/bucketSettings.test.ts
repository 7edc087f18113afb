import { copyBuckets, removeGoneBuckets } from "../../../../tools/move/bucketSettings";
import { VirtualStore } from "../../fakes/virtualStore";

test("buckets are created with their settings; what is the same stays as it is", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("new", "key", "content");
    from.put("there", "key", "content");
    to.put("there", "key", "content");
    from.settings.set("new?policy", '{"Version":"2012-10-17"}');
    from.settings.set("new?versioning", "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>");
    from.settings.set("there?versioning", '<VersioningConfiguration xmlns="http://s3.amazonaws.com/"/>');
    from.settings.set("there?tagging", "<Tagging/>same");
    to.settings.set("there?tagging", "<Tagging/>same");
    expect(await copyBuckets(from, to)).toEqual({ names: ["new", "there"], created: ["new"], refused: [] });
    expect(to.names).toEqual(["new", "there"]);
    expect(to.requests.filter((request) => request.startsWith("PUT"))).toEqual([
        "PUT /new",
        "PUT /new?versioning",
        "PUT /new?policy",
    ]);
    expect(to.settings.get("new?policy")).toBe('{"Version":"2012-10-17"}');
});

test("settings of known buckets aren't read", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("known", "key", "content");
    from.put("later", "key", "content");
    to.put("known", "key", "content");
    expect((await copyBuckets(from, to, ["known"])).created).toEqual(["later"]);
    expect(from.requests.filter((request) => request.includes("known"))).toEqual([]);
});

test("what the first store doesn't set any more is removed", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("bucket", "key", "content");
    to.put("bucket", "key", "content");
    for (const setting of ["policy", "tagging", "lifecycle", "cors"]) {
        to.settings.set(`bucket?${setting}`, "<Former>value</Former>");
    }
    to.settings.set("bucket?versioning", "<V><Status>Enabled</Status></V>");
    expect((await copyBuckets(from, to)).refused).toEqual([]);
    expect([...to.settings.keys()]).toEqual(["bucket?versioning"]);
    expect(to.settings.get("bucket?versioning")).toContain("<Status>Suspended</Status>");
});

test("object lock can't be removed, which is said", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("bucket", "key", "content");
    to.put("bucket", "key", "content");
    to.settings.set("bucket?object-lock", "<Lock>on</Lock>");
    to.refused = "DELETE /bucket?object-lock";
    expect((await copyBuckets(from, to)).refused).toEqual([
        expect.stringMatching(/^bucket: object-lock, which can't be removed: 405/),
    ]);
});

test("a store that gives no answer has not removed a setting", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    from.put("bucket", "key", "content");
    to.put("bucket", "key", "content");
    to.settings.set("bucket?policy", "kept");
    from.refused = "GET /bucket?policy";
    from.refusal = 503;
    await expect(copyBuckets(from, to)).rejects.toThrow("503");
    expect(to.settings.get("bucket?policy")).toBe("kept");
});

test("a bucket that is gone is removed with its objects; one with former versions is named", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    for (const store of [from, to]) {
        store.put("stays", "key", "content");
    }
    to.put("gone", "a//b", "content");
    to.put("versioned", "key", "content");
    to.refused = "DELETE /versioned";
    expect(await removeGoneBuckets(from, to)).toEqual(["versioned"]);
    expect(to.names).toEqual(["stays", "versioned"]);
});
