import type { RunInNode } from "../components/storeClient/nodeRequests";
import { script, withParameters } from "../components/docker/script";
import type { Difference } from "./storeDifferences";
import type { Migration } from "./supported";

/** A drive whose objects are looked at, and how commands are run beside it. */
export interface LookedAtDrive {
    /** Name of its node. */
    node: string;
    /** Name of the node's host. Undefined in a cluster on one host. */
    host: string | undefined;
    /** Folder in the node's container. */
    folder: string;
    run: RunInNode;
}

/** An object that another store can't read. */
export interface UnreadableObject {
    /** A kind of the migration's `unreadable`; `older`: in a format that the other store doesn't know; or {@link DAMAGED}. */
    kind: string;
    /** Its bucket and key: `bucket/key`. */
    object: string;
}

/** Kind of an object whose metadata can't be read on a drive. */
export const DAMAGED = "damaged";

/** Name of the metadata file of an object. */
const METADATA = "xl.meta";

/** Number of objects that one command looks at, if they are named. */
const AT_ONCE = 100;

/** Time limit for looking at all objects on a drive, in seconds: drives of many small objects take hours. */
const SCAN_SECONDS = 24 * 3600;

/** Time limit for looking at some objects on a drive, in seconds. */
const LOOK_SECONDS = 600;

/**
 * The objects that another store can't read, by their metadata on drives: a drive lacks what was written while it was away.
 *
 * @param limit Number of objects that are reported of each drive, at most.
 * @throws {Error} with the output of a command that failed.
 */
export async function unreadableObjects(
    drives: readonly LookedAtDrive[],
    { unreadable }: Pick<Migration, "unreadable">,
    limit: number,
): Promise<UnreadableObject[]> {
    const scan = { unreadable, limit, seconds: SCAN_SECONDS };
    return lookAt(drives, scan, ({ folder }) => [[folder]]);
}

/**
 * Those of some objects that another store can't read.
 *
 * @param objects Buckets and keys: `bucket/key`.
 * @throws {Error} with the output of a command that failed.
 */
export async function unreadableAmong(
    drives: readonly LookedAtDrive[],
    { unreadable }: Pick<Migration, "unreadable">,
    objects: readonly string[],
): Promise<UnreadableObject[]> {
    const found: UnreadableObject[] = [];
    for (const drive of drives) {
        // The other drives have the same metadata of what was found.
        const known = new Set(found.map(({ object }) => object));
        const left = objects.filter((object) => !known.has(object));
        const look = { unreadable, limit: left.length * (unreadable.length + 2), seconds: LOOK_SECONDS };
        const chunks = Array.from({ length: Math.ceil(left.length / AT_ONCE) }, (_, index) =>
            left.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
        );
        const places = chunks.map((some) => some.map((object) => `${drive.folder}/${object}/${METADATA}`));
        found.push(...(await lookAt([drive], look, () => places)));
    }
    return found;
}

/**
 * The differences between two stores but those that come from objects that one of them can't read.
 *
 * @param unreadable These objects.
 */
export function unexplained(
    differences: readonly Difference[],
    unreadable: readonly UnreadableObject[],
    kinds: Migration["unreadable"],
): Difference[] {
    const listed = new Set(kinds.flatMap(({ kind, isListed }) => (isListed ? [kind] : [])));
    const all = new Set(unreadable.map(({ object }) => object));
    const unlisted = new Set(unreadable.flatMap(({ kind, object }) => (listed.has(kind) ? [] : [object])));
    return differences.filter(({ object = "", isContent = false }) => !(isContent ? all : unlisted).has(object));
}

/** Kinds of objects, number of those that are printed for each drive, and time limit for it in seconds. */
interface Look {
    unreadable: Migration["unreadable"];
    limit: number;
    seconds: number;
}

/** @param placesOf Arguments of each command for a drive. */
async function lookAt(
    drives: readonly LookedAtDrive[],
    { unreadable, limit, seconds }: Look,
    placesOf: (drive: LookedAtDrive) => string[][],
): Promise<UnreadableObject[]> {
    const text = withParameters(
        {
            _OLD_FILE: "xl.json",
            _FILE: METADATA,
            _MARKERS: unreadable.map(({ kind, marker }) => `${kind}:${marker}`).join(" "),
            _DAMAGED: DAMAGED,
            _LIMIT: limit,
        },
        script(__dirname, "scanDrives.sh"),
    );
    const onDrive = async (drive: LookedAtDrive): Promise<UnreadableObject[]> => {
        const lines: string[] = [];
        for (const places of placesOf(drive)) {
            const { code, output } = await drive.run(["/bin/sh", "-c", text, "scan", ...places], seconds);
            if (code !== 0) {
                throw new Error(
                    `${drive.node}: the objects on ${drive.folder} can't be looked at: ${output.trim()}. Correct that first; or, if ` +
                        "objects may be unreadable, add `--lose-unreadable`",
                );
            }
            lines.push(...output.split("\0").filter((line) => line !== ""));
        }
        return lines.map((line) => {
            const end = line.indexOf(" ");
            return { kind: line.slice(0, end), object: line.slice(end + drive.folder.length + 2) };
        });
    };
    // One at a time on each host, whose engine has few connections and serves clients meanwhile.
    const hosts = [...new Set(drives.map(({ host }) => host))];
    const found = await Promise.all(
        hosts.map(async (host) => {
            const objects: UnreadableObject[] = [];
            for (const drive of drives.filter((one) => one.host === host)) {
                objects.push(...(await onDrive(drive)));
            }
            return objects;
        }),
    );
    // Each of several drives has an object's metadata.
    return [...new Map(found.flat().map((one) => [`${one.kind} ${one.object}`, one])).values()];
}
