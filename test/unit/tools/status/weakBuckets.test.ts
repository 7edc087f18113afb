import { weakBucketLines } from "../../../../tools/status/weakBuckets";

test("buckets with a weaker durability than strict are named", () => {
    expect(weakBucketLines([{ store: "store", bucket: "old" }]).join("\n")).toContain("- old of store");
    expect(weakBucketLines([])).toEqual([]);
});
