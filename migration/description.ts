import type { FoundCluster } from "./foundCluster";
import type { Migration } from "./supported";

/** Seconds without an answer, measured: on one node, and on several, where each start of RustFS reads all users. */
const OUTAGE_SECONDS = { one: 30, several: 100 };

/** Files whose owner is changed in a second, measured. */
const FILES_PER_SECOND = 8000;

/** Longest time for counting the files of a drive, in seconds. */
const COUNT_SECONDS = 3600;

/** What a migration will do, for the operator. */
export async function describeMigration(
    { name, nodes, engines }: FoundCluster,
    { from, to, consequence }: Migration,
): Promise<string> {
    const counts = await Promise.all(
        nodes.map(async ({ place }) => {
            const folders = place.drives.map(({ mountPath }) => mountPath);
            const { output } = await engines
                .run(place.name, ["/bin/sh", "-c", 'find "$@" | wc -l', "count", ...folders], [], COUNT_SECONDS)
                .catch(() => ({ output: "" }));
            return Number(output.trim()) || 0;
        }),
    );
    const files = Math.max(0, ...counts);
    const seconds = (nodes.length === 1 ? OUTAGE_SECONDS.one : OUTAGE_SECONDS.several) + files / FILES_PER_SECOND;
    return [
        `${name} can be migrated from ${from.name} to ${to.name}. Nothing was changed.`,
        `Without an answer: about ${Math.ceil(seconds / 10) * 10} s, for ${nodes.length} node(s) and ${files} files on the fullest.`,
        consequence,
    ].join("\n");
}
