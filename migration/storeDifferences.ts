import type { ListedObjects, StoreContent } from "./storeContent";

/** A difference between the content of two stores. */
export interface Difference {
    /** What differs, for the operator. */
    text: string;
    /** Bucket and key of the object that differs: `bucket/key`. Undefined if it is a bucket, or a setting of one. */
    object?: string;
    /** Whether only its content or its length differs, and not whether it is listed, its ETag, or which version is the latest. */
    isContent?: boolean;
}

/** Bucket settings that may differ between two stores. */
export interface DifferentSettings {
    /** Names of those that the second store need not have. */
    missing: readonly string[];
    /** Names of those that the second store may have, and the first one has not. */
    added: readonly string[];
}

/** What differs between two stores, or the same one at two times. */
export function differencesBetween(
    before: StoreContent,
    after: StoreContent,
    { missing, added }: DifferentSettings,
): Difference[] {
    const found: Difference[] = [];
    for (const [bucket, had] of before.buckets) {
        const has = after.buckets.get(bucket);
        if (has === undefined) {
            found.push({ text: `the bucket ${bucket} isn't there` });
            continue;
        }
        const lost = had.settings.filter((name) => !has.settings.includes(name) && !missing.includes(name));
        const gained = has.settings.filter((name) => !had.settings.includes(name) && !added.includes(name));
        found.push(
            ...lost.map((name) => ({ text: `${bucket}: its ${name} isn't there` })),
            ...gained.map((name) => ({ text: `${bucket}: has a ${name} that it didn't have` })),
            ...ofListings(bucket, had.objects, has.objects),
            ...ofListings(bucket, had.versions, has.versions, (name) => name.replace(/ version \S*$/, "")),
        );
    }
    found.push(
        ...[...after.buckets.keys()]
            .filter((bucket) => !before.buckets.has(bucket))
            .map((bucket) => ({ text: `there is a bucket ${bucket} that wasn't there` })),
        ...[...before.samples]
            .filter(([path, read]) => after.samples.get(path) !== read)
            .map(([path, read]) => ({
                text: `${path} reads as ${after.samples.get(path) ?? "nothing"}, was ${read}`,
                object: decodeURIComponent(path.slice(1)),
                isContent: true,
            })),
    );
    return found;
}

/** @param keyOf The key in the name of an entry. Default: the name is the key. */
function ofListings(
    bucket: string,
    had: ListedObjects,
    has: ListedObjects,
    keyOf = (name: string): string => name,
): Difference[] {
    const ends = [had.upTo, has.upTo].filter((key) => key !== undefined);
    // Where a listing ends, another store may have listed more or fewer versions of the last key.
    const isBeyond = (name: string) =>
        ends.some((key) => name.startsWith(key) || Buffer.compare(Buffer.from(name), Buffer.from(key)) > 0);
    const names = [...new Set([...had.entries.keys(), ...has.entries.keys()])].filter((name) => !isBeyond(name));
    return names
        .filter((name) => had.entries.get(name) !== has.entries.get(name))
        .map((name) => ({
            text: `${bucket}/${name} is listed as ${has.entries.get(name) ?? "nothing"}, was ${had.entries.get(name) ?? "nothing"}`,
            object: `${bucket}/${keyOf(name)}`,
            isContent: withoutLength(has.entries.get(name)) === withoutLength(had.entries.get(name)),
        }));
}

function withoutLength(entry: string | undefined): string | undefined {
    return entry?.replace(/ \d+ bytes/, "");
}
