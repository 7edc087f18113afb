import { isDeepStrictEqual } from "node:util";
import type { BucketLifecycleRule } from "../../components/args/bucketArgs";
import type { KnownBucketSettings } from "../../components/settings/bucketChecks";
import { ask, askFor, target, type StoreClient } from "../../components/storeClient/storeClient";
import { nonEmpty, positive, withoutUndefined } from "./unsetValues";

/** A lifecycle rule as the S3 API has it (PutBucketLifecycleConfiguration). */
interface StoredRule {
    ID: string;
    Status: string;
    Filter?: { Prefix?: string };
    Expiration?: { Days?: number; ExpiredObjectDeleteMarker?: boolean };
    NoncurrentVersionExpiration?: { NoncurrentDays?: number };
}

/** The rules as a bucket's args want them, in the form in which a store has them. */
export function lifecycleOf({ lifecycle }: Pick<KnownBucketSettings, "lifecycle">): BucketLifecycleRule[] {
    return (lifecycle ?? [])
        .map((rule) => ({
            ...rule,
            prefix: nonEmpty(rule.prefix),
            expireDeleteMarkers: rule.expireDeleteMarkers === true ? true : undefined,
        }))
        .map(withoutUndefined)
        .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** A bucket's lifecycle rules as a store has them. */
export async function readLifecycle(client: StoreClient, bucket: string): Promise<BucketLifecycleRule[]> {
    const found = await askFor(client, ["ilm", "rule", "export", target(bucket)], ["NoSuchLifecycleConfiguration"]);
    const [{ config } = {}] = (found ?? []) as { config?: { Rules?: StoredRule[] } }[];
    return (config?.Rules ?? []).map(knownRule).sort((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * A rule of a store. Of one that has more than the settings here can say, such as a filter by tags, only the id: it differs
 * from every rule that is allowed, and so is a difference, and no import takes it for a rule that deletes more.
 */
function knownRule(rule: StoredRule): BucketLifecycleRule {
    const { ID: id, Filter: filter, Expiration: expiration, NoncurrentVersionExpiration: former } = rule;
    const known = withoutUndefined({
        id,
        prefix: nonEmpty(filter?.Prefix),
        expireDays: positive(expiration?.Days),
        expireFormerDays: positive(former?.NoncurrentDays),
        expireDeleteMarkers: expiration?.ExpiredObjectDeleteMarker === true ? true : undefined,
    });
    return isDeepStrictEqual({ ...rule, Filter: { Prefix: "", ...filter } }, storedRule(known)) ? known : { id };
}

/** Replaces a bucket's lifecycle rules. */
export async function writeLifecycle(client: StoreClient, bucket: string, rules: BucketLifecycleRule[]): Promise<void> {
    if (rules.length === 0) {
        await ask(client, ["ilm", "rule", "rm", "--all", "--force", target(bucket)]);
        return;
    }
    const stored = rules.map(storedRule);
    await ask(client, ["ilm", "rule", "import", target(bucket)], JSON.stringify({ Rules: stored }));
}

function storedRule({
    id,
    prefix = "",
    expireDays,
    expireFormerDays,
    expireDeleteMarkers = false,
}: BucketLifecycleRule): StoredRule {
    const expiration =
        expireDays !== undefined
            ? { Days: expireDays }
            : expireDeleteMarkers
              ? { ExpiredObjectDeleteMarker: true }
              : undefined;
    return withoutUndefined({
        ID: id,
        Status: "Enabled",
        Filter: { Prefix: prefix },
        Expiration: expiration,
        NoncurrentVersionExpiration: expireFormerDays === undefined ? undefined : { NoncurrentDays: expireFormerDays },
    });
}
