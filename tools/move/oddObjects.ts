import { pairsOf, pathOf, shownKey, type ListedObject } from "./bucketListing";
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

/**
 * Copies the objects that rclone leaves out, and deletes those that are gone. Returns what couldn't be copied.
 *
 * @param isCopied Which of them to copy. Default: all.
 * @param deletes Whether objects that the first store doesn't have are deleted. Default: true.
 */
export async function copyOddObjects(
    from: StoreRequests,
    to: StoreRequests,
    isCopied: (object: ListedObject) => boolean = () => true,
    deletes = true,
): Promise<{ copied: number; left: string[] }> {
    let copied = 0;
    const left: string[] = [];
    for await (const { bucket, from: one, to: other } of pairsOf(from, to)) {
        if (one === undefined && other !== undefined && isOdd(other.key) && deletes) {
            await demand(to, { method: "DELETE", path: pathOf(bucket, other.key) });
        }
        if (one === undefined || !isOdd(one.key) || other?.etag === one.etag || !isCopied(one)) {
            continue;
        }
        if (one.size > LARGEST) {
            left.push(`${bucket}/${shownKey(one.key)} has ${one.size} bytes, and a key that rclone can't copy`);
            continue;
        }
        const path = pathOf(bucket, one.key);
        const { status, headers, body } = await from.send({ method: "GET", path });
        if (status === 404) {
            continue;
        }
        const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
        const answer = await to.send({ method: "PUT", path, headers: Object.fromEntries(kept), body });
        if (status === 200 && answer.status === 200) {
            copied++;
        } else {
            left.push(`${bucket}/${shownKey(one.key)} can't be copied: ${status}, ${answer.status}`);
        }
    }
    return { copied, left };
}
