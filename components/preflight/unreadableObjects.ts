import type { RunInNode } from "../client/nodeRequests";
import { script, withParameters } from "../engine/script";
import type { TakeOver } from "../store/profiles/takeOvers";

/** A drive whose objects are looked at, and how commands are run beside it. */
export interface LookedAtDrive {
    /** Name of its node. */
    node: string;
    /** Folder in the node's container. */
    folder: string;
    run: RunInNode;
}

/** An object that another store can't read. */
export interface UnreadableObject {
    /** A kind of the take-over's `unreadable`; or `older`: in a format that the other store doesn't know. */
    kind: string;
    /** Its bucket and key: `bucket/key`. */
    object: string;
}

/** Name of the metadata file of an object. */
const METADATA = "xl.meta";

/** Number of objects that one command looks at, if they are named. */
const AT_ONCE = 100;

/** Time limit for looking at all objects on a drive, in seconds: drives of many small objects take hours. */
const SCAN_SECONDS = 24 * 3600;

/**
 * The objects that another store can't read, by their metadata on drives: a drive lacks what was written while it was away.
 *
 * @param limit Number of objects that are reported of each drive, at most.
 * @throws {Error} with the output of a command that failed.
 */
export async function unreadableObjects(
    drives: readonly LookedAtDrive[],
    { unreadable }: Pick<TakeOver, "unreadable">,
    limit: number,
): Promise<UnreadableObject[]> {
    return lookAt(drives, unreadable, limit, ({ folder }) => [[folder]]);
}

/**
 * Those of some objects that another store can't read.
 *
 * @param objects Buckets and keys: `bucket/key`.
 * @throws {Error} with the output of a command that failed.
 */
export async function unreadableAmong(
    drives: readonly LookedAtDrive[],
    { unreadable }: Pick<TakeOver, "unreadable">,
    objects: readonly string[],
): Promise<UnreadableObject[]> {
    const most = objects.length * (unreadable.length + 1);
    const chunks = Array.from({ length: Math.ceil(objects.length / AT_ONCE) }, (_, place) =>
        objects.slice(place * AT_ONCE, (place + 1) * AT_ONCE),
    );
    return lookAt(drives, unreadable, most, ({ folder }) =>
        chunks.map((some) => some.map((object) => `${folder}/${object}/${METADATA}`)),
    );
}

/** @param placesOf Arguments of each command for a drive. */
async function lookAt(
    drives: readonly LookedAtDrive[],
    unreadable: TakeOver["unreadable"],
    limit: number,
    placesOf: (drive: LookedAtDrive) => string[][],
): Promise<UnreadableObject[]> {
    const text = withParameters(
        {
            _OLD_FILE: "xl.json",
            _FILE: METADATA,
            _MARKERS: unreadable.map(({ kind, marker }) => `${kind}:${marker}`).join(" "),
            _LIMIT: limit,
        },
        script(__dirname, "scanDrives.sh"),
    );
    const found = await Promise.all(
        drives.map(async (drive) => {
            const lines: string[] = [];
            for (const places of placesOf(drive)) {
                const command = ["/bin/sh", "-c", text, "scan", ...places];
                const { code, output } = await drive.run(command, SCAN_SECONDS);
                if (code !== 0) {
                    throw new Error(
                        `${drive.node}: the objects on ${drive.folder} can't be looked at: ${output.trim()}`,
                    );
                }
                lines.push(...output.split("\n").filter((line) => line !== ""));
            }
            return lines.map((line) => {
                const end = line.indexOf(" ");
                return { kind: line.slice(0, end), object: line.slice(end + drive.folder.length + 2) };
            });
        }),
    );
    // Each of several drives has an object's metadata.
    return [...new Map(found.flat().map((one) => [`${one.kind} ${one.object}`, one])).values()];
}
