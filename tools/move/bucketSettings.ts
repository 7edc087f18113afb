import { createHash } from "node:crypto";
import { bucketsOf } from "./bucketListing";
import { demand, type StoreRequests } from "./nodeStore";

/** The settings of a bucket that are copied, by their names in S3's API. */
const SETTINGS = ["object-lock", "versioning", "policy", "tagging", "lifecycle", "cors"];

/** Number of buckets that are worked on at once. */
const AT_ONCE = 4;

/** What copying the buckets of a store led to. */
export interface CopiedBuckets {
    names: string[];
    created: string[];
    /** Settings that the other store refused, with its answer. */
    refused: string[];
}

/**
 * Creates the buckets of one store in another, and sets what is set there. A bucket that is there gets the settings too.
 *
 * @param known Buckets whose settings stay as they are in the other store. Default: none.
 */
export async function copyBuckets(
    from: StoreRequests,
    to: StoreRequests,
    known: readonly string[] = [],
): Promise<CopiedBuckets> {
    const [names, there] = await Promise.all([bucketsOf(from), bucketsOf(to)]);
    const left = names.filter((name) => !known.includes(name));
    const refused: string[] = [];
    const work = async () => {
        for (let bucket = left.shift(); bucket !== undefined; bucket = left.shift()) {
            refused.push(...(await copyBucket(from, to, bucket, there.includes(bucket))));
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { names, created: names.filter((name) => !there.includes(name)), refused };
}

async function copyBucket(from: StoreRequests, to: StoreRequests, bucket: string, isThere: boolean): Promise<string[]> {
    const setting = (store: StoreRequests, name: string) => store.send({ method: "GET", path: `/${bucket}?${name}` });
    const lock = await setting(from, "object-lock");
    if (!isThere) {
        const headers: { [name: string]: string } =
            lock.status === 200 ? { "x-amz-bucket-object-lock-enabled": "true" } : {};
        await demand(to, { method: "PUT", path: `/${bucket}`, headers });
    }
    const refused: string[] = [];
    for (const name of SETTINGS) {
        const [wanted, found] = [name === "object-lock" ? lock : await setting(from, name), await setting(to, name)];
        if (wanted.status !== 200 || (found.status === 200 && found.body.equals(wanted.body)) || isEmpty(wanted.body)) {
            continue;
        }
        const answer = await to.send({
            method: "PUT",
            path: `/${bucket}?${name}`,
            headers: { "content-md5": createHash("md5").update(wanted.body).digest("base64") },
            body: wanted.body,
        });
        if (answer.status > 299) {
            refused.push(`${bucket}: ${name}: ${answer.status} ${answer.body.toString().trim()}`);
        }
    }
    return refused;
}

/** Whether a setting says nothing: versioning that was never enabled is an element without content. */
function isEmpty(body: Buffer): boolean {
    return /^(<\?xml[^>]*>)?\s*<\w+[^>]*(\/>|><\/\w+>)\s*$/.test(body.toString());
}
