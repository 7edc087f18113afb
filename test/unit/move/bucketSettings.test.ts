import { copyBuckets } from "../../../tools/move/bucketSettings";
import { VirtualStore } from "./virtualStore";

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
