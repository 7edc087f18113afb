import { createHash } from "node:crypto";
import { bucketsOf, objectsOf, pathOf } from "./bucketListing";
import { demand, type StoreRequests } from "./nodeStore";

/** The settings of a bucket that are copied, by their names in S3's API. */
const SETTINGS = ["object-lock", "versioning", "policy", "tagging", "lifecycle", "cors"];

/** What a store answers if a bucket doesn't have a setting, or if it knows no such setting. */
const NO_SETTING = [404, 405, 501];

/** Versioning that was enabled can be suspended, and not removed. */
const SUSPENDED =
    '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Suspended</Status></VersioningConfiguration>';

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
 * Creates the buckets of one store in another, and gives them the same settings. A bucket that is there gets the same settings
 * too: those that the first store doesn't have are removed.
 *
 * @param known Buckets whose settings stay as they are in the other store. Default: none.
 * @throws {StepError} if a store doesn't say what is set.
 */
export async function copyBuckets(
    from: StoreRequests,
    to: StoreRequests,
    known: readonly string[] = [],
): Promise<CopiedBuckets> {
    const [names, there] = await Promise.all([bucketsOf(from), bucketsOf(to)]);
    const changed = names.filter((name) => !known.includes(name) || !there.includes(name));
    const refused = await eachOf(changed, (bucket) => copyBucket(from, to, bucket, there.includes(bucket)));
    return { names, created: names.filter((name) => !there.includes(name)), refused: refused.flat() };
}

/** Works on several at once. Returns the results in no certain order. */
export async function eachOf<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
    const left = [...items];
    const results: Result[] = [];
    const worker = async () => {
        for (let item = left.shift(); item !== undefined; item = left.shift()) {
            results.push(await work(item));
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return results;
}

async function copyBucket(from: StoreRequests, to: StoreRequests, bucket: string, isThere: boolean): Promise<string[]> {
    const lock = await settingOf(from, bucket, "object-lock");
    if (!isThere) {
        const headers: { [name: string]: string } =
            lock === undefined ? {} : { "x-amz-bucket-object-lock-enabled": "true" };
        await demand(to, { method: "PUT", path: `/${bucket}`, headers });
    }
    const refused: string[] = [];
    for (const name of SETTINGS) {
        const [wanted, found] = [
            name === "object-lock" ? lock : await settingOf(from, bucket, name),
            await settingOf(to, bucket, name),
        ];
        if (wanted === undefined ? found === undefined : found?.equals(wanted) === true) {
            continue;
        }
        const body = wanted ?? (name === "versioning" ? Buffer.from(SUSPENDED) : undefined);
        const path = `/${bucket}?${name}`;
        const { status, body: answer } = await to.send(
            body === undefined
                ? { method: "DELETE", path }
                : {
                      method: "PUT",
                      path,
                      headers: { "content-md5": createHash("md5").update(body).digest("base64") },
                      body,
                  },
        );
        if (status > 299) {
            const what = wanted === undefined ? `${name}, which can't be removed` : name;
            refused.push(`${bucket}: ${what}: ${status} ${answer.toString().trim()}`);
        }
    }
    return refused;
}

/** A setting of a bucket. Undefined if it has none. */
async function settingOf(store: StoreRequests, bucket: string, name: string): Promise<Buffer | undefined> {
    const request = { method: "GET" as const, path: `/${bucket}?${name}` };
    const answer = await store.send(request);
    if (NO_SETTING.includes(answer.status)) {
        return undefined;
    }
    const { body } = answer.status === 200 ? answer : await demand(store, request);
    return isEmpty(body) ? undefined : body;
}

/** Whether a setting says nothing: versioning that was never enabled is an element without content. */
function isEmpty(body: Buffer): boolean {
    return /^(<\?xml[^>]*>)?\s*<\w+[^>]*(\/>|><\/\w+>)\s*$/.test(body.toString()) || body.length === 0;
}

/**
 * Removes the buckets that the first store doesn't have, with their objects. Returns those that can't be removed, since they
 * have former versions.
 */
export async function removeGoneBuckets(from: StoreRequests, to: StoreRequests): Promise<string[]> {
    const [names, there] = await Promise.all([bucketsOf(from), bucketsOf(to)]);
    const gone = there.filter((bucket) => !names.includes(bucket));
    const kept = await eachOf(gone, async (bucket) => {
        for await (const { key } of objectsOf(to, bucket)) {
            await demand(to, { method: "DELETE", path: pathOf(bucket, key) });
        }
        const { status } = await to.send({ method: "DELETE", path: `/${bucket}` });
        return status < 300 || status === 404 ? [] : [bucket];
    });
    return kept.flat();
}
