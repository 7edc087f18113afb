import { isDeepStrictEqual } from "node:util";
import type { KnownBucketSettings } from "../../components/settings/bucketChecks";
import { ask, askFor, target, type StoreClient } from "../../components/storeClient/storeClient";
import { corsOf, readCors, writeCors } from "./bucketCors";
import { lifecycleOf, readLifecycle, writeLifecycle } from "./bucketLifecycle";
import { notificationsOf, readNotifications, writeNotifications } from "./bucketNotifications";
import { policyOf, readPolicy, writePolicy } from "./bucketPolicy";
import { withoutUndefined } from "./unsetValues";

/** The settings of a bucket that are read from a store and written to it. */
export type BucketContent = Required<
    Omit<KnownBucketSettings, "retention" | "quota" | "durability" | "adopt" | "forceDestroy" | "publicReadPrefixes">
> &
    Pick<KnownBucketSettings, "retention" | "quota" | "durability">;

/** The settings of a bucket as its args want them, in the form in which a store has them. */
export function contentOf(bucket: string, settings: KnownBucketSettings): BucketContent {
    const { objectLock = false, retention, quota, durability } = settings;
    return {
        versioning: settings.versioning ?? objectLock,
        objectLock,
        ...(retention === undefined ? {} : { retention }),
        ...(quota === undefined ? {} : { quota }),
        ...(durability === undefined ? {} : { durability }),
        lifecycle: lifecycleOf(settings),
        policy: policyOf(bucket, settings),
        cors: corsOf(settings),
        notifications: notificationsOf(settings),
    };
}

/** Codes for a bucket that isn't there. */
export const MISSING = ["NoSuchBucket"];

/** The settings of a bucket as a store has them. Undefined if it has no such bucket. */
export async function readBucket(client: StoreClient, bucket: string): Promise<BucketContent | undefined> {
    const versions = await askFor(client, ["version", "info", target(bucket)], MISSING);
    if (versions === undefined) {
        return undefined;
    }
    const [{ versioning }] = versions as [{ versioning: { status: string } }];
    const lock = await readLock(client, bucket);
    return {
        versioning: versioning.status === "Enabled",
        ...lock,
        ...(await readQuota(client, bucket)),
        ...withoutUndefined({ durability: await client.durability?.read(bucket) }),
        lifecycle: await readLifecycle(client, bucket),
        policy: await readPolicy(client, bucket),
        cors: await readCors(client, bucket),
        notifications: await readNotifications(client, bucket),
    };
}

/** Gives a bucket the settings in which it differs. */
export async function applySettings(
    client: StoreClient,
    bucket: string,
    wanted: BucketContent,
    present: BucketContent,
): Promise<void> {
    const differs = (setting: keyof BucketContent) => !isDeepStrictEqual(wanted[setting], present[setting]);
    const steps: [keyof BucketContent, () => Promise<unknown>][] = [
        ["versioning", () => ask(client, ["version", wanted.versioning ? "enable" : "suspend", target(bucket)])],
        ["retention", () => writeRetention(client, bucket, wanted.retention)],
        ["quota", () => writeQuota(client, bucket, wanted.quota)],
        ["durability", () => writeDurability(client, bucket, wanted.durability)],
        ["lifecycle", () => writeLifecycle(client, bucket, wanted.lifecycle)],
        ["policy", () => writePolicy(client, bucket, wanted.policy)],
        ["cors", () => writeCors(client, bucket, wanted.cors)],
        ["notifications", () => writeNotifications(client, bucket, wanted.notifications, present.notifications)],
    ];
    for (const [setting, write] of steps) {
        if (differs(setting)) {
            await write().catch((error: unknown) => {
                throw new Error(`${setting}: ${(error as Error).message}`, { cause: error });
            });
        }
    }
}

async function readLock(client: StoreClient, bucket: string): Promise<Pick<BucketContent, "objectLock" | "retention">> {
    const found = await ask(client, ["retention", "info", "--default", target(bucket)]).catch((error: unknown) => {
        // The client says so of every failure: see the resource, which compares with what is known.
        if ((error as Error).message.includes("does not support locking")) {
            return [];
        }
        throw error;
    });
    const [{ enabled, mode, validity } = {}] = found as {
        enabled?: string;
        mode?: string;
        validity?: string;
    }[];
    const [, count = "", unit] = /^(\d+)(DAYS|YEARS)$/i.exec(validity ?? "") ?? [];
    return {
        objectLock: enabled === "Enabled",
        ...(mode === undefined || mode === "" || count === ""
            ? {}
            : {
                  retention: {
                      mode: mode.toLowerCase(),
                      days: Number(count) * (unit?.toUpperCase() === "YEARS" ? 365 : 1),
                  },
              }),
    };
}

async function writeRetention(
    client: StoreClient,
    bucket: string,
    retention: BucketContent["retention"],
): Promise<void> {
    await ask(
        client,
        retention === undefined
            ? ["retention", "clear", "--default", target(bucket)]
            : ["retention", "set", "--default", retention.mode, `${retention.days}d`, target(bucket)],
    );
}

async function readQuota(client: StoreClient, bucket: string): Promise<Pick<BucketContent, "quota">> {
    const found = await ask(client, ["quota", "info", target(bucket)]);
    const [{ quota = 0 } = {}] = found as { quota?: number }[];
    return quota === 0 ? {} : { quota };
}

async function writeQuota(client: StoreClient, bucket: string, quota: number | undefined): Promise<void> {
    await ask(
        client,
        quota === undefined
            ? ["quota", "clear", target(bucket)]
            : ["quota", "set", target(bucket), "--size", String(quota)],
    );
}

async function writeDurability(client: StoreClient, bucket: string, mode: string | undefined): Promise<void> {
    if (client.durability === undefined) {
        throw new Error("this store has no durability modes of buckets: leave it out");
    }
    await client.durability.write(bucket, mode);
}
