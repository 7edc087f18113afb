import { systemClock } from "../components/docker/poll";
import type { ServiceProfile } from "../components/store/serviceProfile";
import type { RunInNode } from "../components/storeClient/nodeRequests";
import { closedKeys } from "../components/store/edgeRestrictions";
import type { FoundCluster } from "./foundCluster";
import { StoreQuestions } from "./storeContent";
import type { Migration } from "./supported";

/** Seconds without an answer, measured: on one node, and on several, where each start of RustFS reads all users. */
const OUTAGE_SECONDS = { one: 30, several: 100 };

/** Files whose owner is changed in a second, measured. */
const FILES_PER_SECOND = 8000;

/** Longest time for counting the files of a drive, in seconds. */
const COUNT_SECONDS = 3600;

/** What a migration will do, for the operator. */
export async function describeMigration(cluster: FoundCluster, { from, to, consequence }: Migration): Promise<string> {
    const { name, nodes, engines } = cluster;
    const counts = await Promise.all(
        nodes.map(async ({ place }) => {
            const folders = place.drives.map(({ mountPath }) => mountPath);
            const { output } = await engines
                .run(place.name, ["/bin/sh", "-c", 'ls -AR "$@" | wc -l', "count", ...folders], [], COUNT_SECONDS)
                .catch(() => ({ output: "" }));
            // Images have no `find`. `ls` prints three lines for a folder, and each folder of an object has one file: two for each entry.
            return Math.round((Number(output.trim()) || 0) / 2);
        }),
    );
    const files = Math.max(0, ...counts);
    const seconds = (nodes.length === 1 ? OUTAGE_SECONDS.one : OUTAGE_SECONDS.several) + files / FILES_PER_SECOND;
    return [
        `${name} can be migrated from ${from.name} to ${to.name}. Nothing was changed.`,
        `Without an answer: about ${Math.ceil(seconds / 10) * 10} s, for ${nodes.length} node(s) and ${files} files on the fullest.`,
        consequence,
        ...(await closedBuckets(cluster, from, to)),
    ].join("\n");
}

/** Says which buckets lose keys: the proxy closes other paths before each store. */
async function closedBuckets(
    { nodes, engines }: FoundCluster,
    from: ServiceProfile,
    to: ServiceProfile,
): Promise<string[]> {
    const [first] = nodes;
    if (first === undefined) {
        return [];
    }
    const run: RunInNode = (command, seconds) => engines.run(first.place.name, command, [], seconds);
    const buckets = await new StoreQuestions(run, from, systemClock).buckets();
    return buckets
        .map((bucket) => {
            const before = closedKeys(from.restrictedPaths, bucket);
            return { bucket, keys: closedKeys(to.restrictedPaths, bucket).filter((key) => !before.includes(key)) };
        })
        .filter(({ keys }) => keys.length > 0)
        .map(
            ({ bucket, keys }) =>
                `Bucket ${bucket}: the proxy closes ${keys.join(", ")}. Objects with such keys have to be copied to another bucket first.`,
        );
}
