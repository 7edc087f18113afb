import { bucketsOf, objectsOf, pairsOf, pathOf, shownKey, type ListedObject } from "./bucketListing";
import { eachOf } from "./bucketSettings";
import { demand, type StoreRequests } from "./nodeStore";

/** Largest object that is copied without rclone, in bytes. */
const LARGEST = 64 * 1024 * 1024;

/** Headers of an object that are copied with it. */
const KEPT_HEADERS = /^(content-(type|disposition|encoding|language)|cache-control|expires|x-amz-meta-.*)$/;

/**
 * Whether rclone leaves out an object: it takes keys for paths of files, so it has no empty objects that stand for folders,
 * and no paths with empty segments or segments of dots.
 */
export function isOdd(key: string): boolean {
    return /^\/|\/\/|\/$|(^|\/)\.{1,2}(\/|$)/.test(key);
}

/** The objects that rclone leaves out, as a copy found them. */
export interface OddCopy {
    copied: number;
    /** What couldn't be copied. */
    left: string[];
    /** Which state of each object the second store has, by its path. */
    states: Map<string, string>;
}

/**
 * Copies the objects that rclone leaves out, and deletes those that are gone.
 *
 * @param since Objects that have changed since then, in milliseconds since 1970, are copied even if they look the same.
 * Default: all.
 */
export async function copyOddObjects(from: StoreRequests, to: StoreRequests, since = 0): Promise<OddCopy> {
    const copy: OddCopy = { copied: 0, left: [], states: new Map() };
    for await (const { bucket, from: one, to: other } of pairsOf(from, to)) {
        if (one === undefined && other !== undefined && isOdd(other.key)) {
            await demand(to, { method: "DELETE", path: pathOf(bucket, other.key) });
        }
        if (one !== undefined && isOdd(one.key)) {
            if (other?.etag === one.etag && one.modified < since) {
                copy.states.set(pathOf(bucket, one.key), stateOf(one));
            } else {
                await copyObject(from, to, bucket, one, copy);
            }
        }
    }
    return copy;
}

/** Copies what has changed since such a copy, and deletes what is gone. Reads only the listing of the first store. */
export async function copyOddChanges(
    from: StoreRequests,
    to: StoreRequests,
    { states: known }: Pick<OddCopy, "states">,
): Promise<OddCopy> {
    const copy: OddCopy = { copied: 0, left: [], states: new Map() };
    const buckets = await bucketsOf(from);
    await eachOf(buckets, async (bucket) => {
        for await (const one of objectsOf(from, bucket)) {
            const path = pathOf(bucket, one.key);
            if (isOdd(one.key) && known.get(path) === stateOf(one)) {
                copy.states.set(path, stateOf(one));
            } else if (isOdd(one.key)) {
                await copyObject(from, to, bucket, one, copy);
            }
        }
    });
    // A bucket that is gone is removed as a whole.
    const gone = [...known.keys()].filter((path) => !copy.states.has(path) && buckets.includes(bucketIn(path)));
    for (const path of gone) {
        await demand(to, { method: "DELETE", path });
    }
    return copy;
}

async function copyObject(
    from: StoreRequests,
    to: StoreRequests,
    bucket: string,
    object: ListedObject,
    copy: OddCopy,
): Promise<void> {
    const path = pathOf(bucket, object.key);
    if (object.size > LARGEST) {
        copy.left.push(`${bucket}/${shownKey(object.key)} has ${object.size} bytes, and a key that rclone can't copy`);
        return;
    }
    const { status, headers, body } = await from.send({ method: "GET", path });
    if (status === 404) {
        await demand(to, { method: "DELETE", path });
        return;
    }
    const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
    const isRead = status === 200 && body.length === Number(headers["content-length"] ?? body.length);
    const answer = isRead
        ? await to.send({ method: "PUT", path, headers: Object.fromEntries(kept), body })
        : { status: "not sent" };
    if (answer.status === 200) {
        copy.copied++;
        copy.states.set(path, stateOf(object));
    } else {
        copy.left.push(`${bucket}/${shownKey(object.key)} can't be copied: ${status}, ${answer.status}`);
    }
}

function stateOf({ etag, modified }: ListedObject): string {
    return `${etag} ${modified}`;
}

function bucketIn(path: string): string {
    return path.split("/")[1] ?? "";
}
