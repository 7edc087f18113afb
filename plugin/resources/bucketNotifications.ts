import type { BucketNotification } from "../../components/args/bucketArgs";
import type { KnownBucketSettings } from "../../components/settings/bucketChecks";
import { ask, target, type StoreClient } from "../../components/storeClient/storeClient";
import { nonEmpty, withoutUndefined } from "./unsetValues";

/** A notification as the client prints it. */
interface StoredNotification {
    arn?: string;
    event?: string[];
    prefix?: string;
    suffix?: string;
}

/** The notifications as a bucket's args want them, in the form in which a store has them. */
export function notificationsOf({ notifications }: Pick<KnownBucketSettings, "notifications">): BucketNotification[] {
    return (notifications ?? [])
        .map((rule) => ({
            ...rule,
            events: [...new Set(rule.events)].sort(),
            prefix: nonEmpty(rule.prefix),
            suffix: nonEmpty(rule.suffix),
        }))
        .map(withoutUndefined)
        .sort((one, other) => (one.target < other.target ? -1 : 1));
}

/** A bucket's notifications as a store has them. */
export async function readNotifications(client: StoreClient, bucket: string): Promise<BucketNotification[]> {
    const found = (await ask(client, ["event", "ls", target(bucket)])) as StoredNotification[];
    return found
        .filter(({ arn }) => arn !== undefined)
        .map(({ arn = "", event = [], prefix, suffix }) =>
            withoutUndefined({
                target: arn,
                events: [...new Set(event.map(eventOf))].sort(),
                prefix: nonEmpty(prefix),
                suffix: nonEmpty(suffix),
            }),
        )
        .sort((one, other) => (one.target < other.target ? -1 : 1));
}

/** The short name of an event such as `s3:ObjectCreated:*`. */
function eventOf(name: string): string {
    const names: [beginning: string, event: string][] = [
        ["s3:ObjectCreated:", "put"],
        ["s3:ObjectRemoved:", "delete"],
        ["s3:ObjectAccessed:", "get"],
    ];
    return names.find(([beginning]) => name.startsWith(beginning))?.[1] ?? name;
}

/** Replaces a bucket's notifications: two of one target may not overlap, so the former ones go first. */
export async function writeNotifications(
    client: StoreClient,
    bucket: string,
    wanted: BucketNotification[],
    present: BucketNotification[],
): Promise<void> {
    try {
        await setNotifications(client, bucket, wanted);
    } catch (error) {
        // The former ones work. What prevents this too is in the first error.
        await setNotifications(client, bucket, present).catch(() => undefined);
        throw error;
    }
}

async function setNotifications(
    client: StoreClient,
    bucket: string,
    notifications: BucketNotification[],
): Promise<void> {
    await ask(client, ["event", "rm", "--force", target(bucket)]);
    for (const { target: arn, events, prefix, suffix } of notifications) {
        await ask(client, [
            ...["event", "add", target(bucket), arn, "--event", events.join(",")],
            ...(prefix === undefined ? [] : ["--prefix", prefix]),
            ...(suffix === undefined ? [] : ["--suffix", suffix]),
        ]);
    }
}
