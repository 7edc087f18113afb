import { minioProfile } from "../../../components/store/profiles/minio";
import { rustfsProfile } from "../../../components/store/profiles/rustfs";
import { describeMigration } from "../../../migration/description";
import type { FoundCluster } from "../../../migration/foundCluster";
import { migrationBetween, type Migration } from "../../../migration/supported";

/** A cluster of one node with 36,000 files and these buckets. */
function clusterWith(buckets: string[]): FoundCluster {
    const engines = {
        run: (_: string, command: string[]) =>
            Promise.resolve({
                code: 0,
                output: command.includes("count")
                    ? "72000\n"
                    : `${buckets.map((name) => `<Name>${name}</Name>`).join("")}\n=== 200 0\n`,
            }),
    };
    const place = { name: "store-node1", drives: [{ mountPath: "/data1" }] };
    return { name: "store", nodes: [{ place }], engines } as unknown as FoundCluster;
}

const toRustfs = migrationBetween(minioProfile.name, rustfsProfile.name) as Migration;

test("`--check` says how long the store doesn't answer", async () => {
    const text = await describeMigration(clusterWith([]), toRustfs);
    expect(text).toContain("Without an answer: about 40 s, for 1 node(s) and 36000 files on the fullest.");
});

test("`--check` says that web pages of other origins are no longer allowed", async () => {
    const text = await describeMigration(clusterWith([]), toRustfs);
    expect(text).toContain("Web pages of other origins get no answer from rustfs unless their bucket has `cors`");
});

test("`--check` names the buckets of which the proxy will close parts", async () => {
    const text = await describeMigration(clusterWith(["photos", "profile", "iceberg"]), toRustfs);
    expect(text.split("\n").slice(-2)).toEqual([
        "Bucket profile: the proxy closes /profile/cpu, /profile/memory. Objects with such keys have to be copied to another bucket first.",
        "Bucket iceberg: the proxy closes /iceberg/v1/*. Objects with such keys have to be copied to another bucket first.",
    ]);
});

test("what the proxy closed before isn't a loss", async () => {
    const toMinio = migrationBetween(rustfsProfile.name, minioProfile.name) as Migration;
    const text = await describeMigration(clusterWith(["minio", "rustfs"]), toMinio);
    expect(text).toMatch(/Bucket minio: the proxy closes .*\/minio\/kms\/\*/);
    expect(text).not.toContain("/minio/admin/*");
    expect(text).not.toContain("Bucket rustfs");
});
