import { isDeepStrictEqual } from "node:util";
import { ask, askFor, INPUT_FILE, type StoreClient } from "../../components/storeClient/storeClient";
import type { BucketLifecycleRule } from "../../components/args/bucketArgs";
import type { KnownBucketSettings } from "../../components/settings/bucketChecks";
import { canonical } from "../../components/settings/policyDocument";

/** The settings of a bucket that are read from a store and written to it. */
export type BucketContent = Required<
    Omit<KnownBucketSettings, "retention" | "quota" | "durability" | "adopt" | "forceDestroy" | "publicReadPrefixes">
> &
    Pick<KnownBucketSettings, "retention" | "quota" | "durability">;

/** The settings of a bucket as its args want them, in the form in which a store has them. */
export function contentOf(bucket: string, settings: KnownBucketSettings): BucketContent {
    const { objectLock = false, retention, quota, durability, policy, publicReadPrefixes = [] } = settings;
    return {
        versioning: settings.versioning ?? objectLock,
        objectLock,
        ...(retention === undefined ? {} : { retention }),
        ...(quota === undefined ? {} : { quota }),
        ...(durability === undefined ? {} : { durability }),
        lifecycle: (settings.lifecycle ?? [])
            .map((rule) => ({
                ...rule,
                prefix: rule.prefix === "" ? undefined : rule.prefix,
                expireDeleteMarkers: rule.expireDeleteMarkers === true ? true : undefined,
            }))
            .map(withoutUndefined)
            .sort((one, other) => (one.id < other.id ? -1 : 1)),
        policy: policy === undefined ? publicPolicy(bucket, publicReadPrefixes) : canonical(policy),
        cors: (settings.cors ?? []).map((rule) =>
            withoutUndefined({
                ...rule,
                allowedHeaders: nonEmpty(rule.allowedHeaders),
                exposeHeaders: nonEmpty(rule.exposeHeaders),
                maxAgeSeconds: positive(rule.maxAgeSeconds),
            }),
        ),
        notifications: (settings.notifications ?? [])
            .map((rule) => ({
                ...rule,
                events: [...new Set(rule.events)].sort(),
                prefix: rule.prefix === "" ? undefined : rule.prefix,
                suffix: rule.suffix === "" ? undefined : rule.suffix,
            }))
            .map(withoutUndefined)
            .sort((one, other) => (one.target < other.target ? -1 : 1)),
    };
}

/** Codes for a bucket that isn't there. */
export const MISSING = ["NoSuchBucket"];

/** A bucket in the client's arguments. */
export function target(bucket: string): string {
    return `store/${bucket}`;
}

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

/** A lifecycle rule as the S3 API has it (PutBucketLifecycleConfiguration). */
interface StoredRule {
    ID: string;
    Status: string;
    Filter?: { Prefix?: string };
    Expiration?: { Days?: number; ExpiredObjectDeleteMarker?: boolean };
    NoncurrentVersionExpiration?: { NoncurrentDays?: number };
}

async function readLifecycle(client: StoreClient, bucket: string): Promise<BucketContent["lifecycle"]> {
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
        prefix: filter?.Prefix === "" ? undefined : filter?.Prefix,
        expireDays: positive(expiration?.Days),
        expireFormerDays: positive(former?.NoncurrentDays),
        expireDeleteMarkers: expiration?.ExpiredObjectDeleteMarker === true ? true : undefined,
    });
    return isDeepStrictEqual({ ...rule, Filter: { Prefix: "", ...filter } }, storedRule(known)) ? known : { id };
}

async function writeLifecycle(client: StoreClient, bucket: string, rules: BucketContent["lifecycle"]): Promise<void> {
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

/** A bucket's policy that lets everybody read what begins with these. Empty for none. */
function publicPolicy(bucket: string, prefixes: string[]): string {
    const resources = prefixes.map((prefix) => `${objectsOf(bucket)}${prefix}*`);
    const statement = { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: resources };
    return prefixes.length === 0 ? "" : canonical(JSON.stringify({ Version: "2012-10-17", Statement: [statement] }));
}

function objectsOf(bucket: string): string {
    return `arn:aws:s3:::${bucket}/`;
}

/** The settings that lead to a bucket's policy: the short form, if it has one. */
export function settingsOfPolicy(
    bucket: string,
    policy: string,
): Pick<KnownBucketSettings, "policy" | "publicReadPrefixes"> {
    const { Statement: statements } = JSON.parse(policy || "{}") as { Statement?: { Resource?: string[] }[] };
    const start = objectsOf(bucket);
    const prefixes = (statements ?? [])
        .flatMap(({ Resource: resources = [] }) => resources)
        .filter((resource) => resource.startsWith(start) && resource.endsWith("*"))
        .map((resource) => resource.slice(start.length, -1));
    return publicPolicy(bucket, prefixes) === policy
        ? prefixes.length === 0
            ? {}
            : { publicReadPrefixes: prefixes }
        : { policy };
}

/** A bucket's policy in the form in which two are compared. Empty if it has none. */
async function readPolicy(client: StoreClient, bucket: string): Promise<string> {
    const found = await askFor(client, ["anonymous", "get-json", target(bucket)], ["NoSuchBucketPolicy"]);
    const [{ anonymous } = {}] = (found ?? []) as { anonymous?: object }[];
    return anonymous === undefined ? "" : canonical(JSON.stringify(anonymous));
}

async function writePolicy(client: StoreClient, bucket: string, policy: string): Promise<void> {
    await (policy === ""
        ? ask(client, ["anonymous", "set", "private", target(bucket)])
        : ask(client, ["anonymous", "set-json", INPUT_FILE, target(bucket)], policy));
}

/** A CORS rule as the client prints it. */
interface StoredCorsRule {
    allowedOrigins?: string[];
    allowedMethods?: string[];
    allowedHeaders?: string[];
    exposeHeaders?: string[];
    maxAgeSeconds?: number;
}

async function readCors(client: StoreClient, bucket: string): Promise<BucketContent["cors"]> {
    const found = await askFor(client, ["cors", "get", target(bucket)], ["NoSuchCORSConfiguration", "NotImplemented"]);
    const [{ cors } = {}] = (found ?? []) as { cors?: { CORSRules?: { [name: string]: unknown }[] } }[];
    return (cors?.CORSRules ?? []).map((rule) => {
        const {
            allowedOrigins = [],
            allowedMethods = [],
            ...others
        } = Object.fromEntries(Object.entries(rule).map(([name, value]) => [corsName(name), value])) as StoredCorsRule;
        return withoutUndefined({
            allowedOrigins,
            allowedMethods,
            allowedHeaders: nonEmpty(others.allowedHeaders),
            exposeHeaders: nonEmpty(others.exposeHeaders),
            maxAgeSeconds: positive(others.maxAgeSeconds),
        });
    });
}

function corsName(name: string): string {
    const names: { [stored: string]: string } = {
        AllowedOrigin: "allowedOrigins",
        AllowedMethod: "allowedMethods",
        AllowedHeader: "allowedHeaders",
        ExposeHeader: "exposeHeaders",
        MaxAgeSeconds: "maxAgeSeconds",
    };
    return names[name] ?? name;
}

async function writeCors(client: StoreClient, bucket: string, rules: BucketContent["cors"]): Promise<void> {
    await (rules.length === 0
        ? ask(client, ["cors", "remove", target(bucket)])
        : ask(client, ["cors", "set", target(bucket), INPUT_FILE], corsDocument(rules)));
}

/** CORS rules as XML (PutBucketCors), the format that the client reads. */
function corsDocument(rules: BucketContent["cors"]): string {
    const elements = (name: string, values: (string | number)[]) =>
        values.map((value) => `<${name}>${escaped(String(value))}</${name}>`).join("");
    const stored = rules.map(
        ({ allowedOrigins, allowedMethods, allowedHeaders = [], exposeHeaders = [], maxAgeSeconds }) =>
            [
                "<CORSRule>",
                elements("AllowedOrigin", allowedOrigins),
                elements("AllowedMethod", allowedMethods),
                elements("AllowedHeader", allowedHeaders),
                elements("ExposeHeader", exposeHeaders),
                elements("MaxAgeSeconds", maxAgeSeconds === undefined ? [] : [maxAgeSeconds]),
                "</CORSRule>",
            ].join(""),
    );
    return `<CORSConfiguration>${stored.join("")}</CORSConfiguration>`;
}

function escaped(text: string): string {
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A notification as the client prints it. */
interface StoredNotification {
    arn?: string;
    event?: string[];
    prefix?: string;
    suffix?: string;
}

async function readNotifications(client: StoreClient, bucket: string): Promise<BucketContent["notifications"]> {
    const found = (await ask(client, ["event", "ls", target(bucket)])) as StoredNotification[];
    return found
        .filter(({ arn }) => arn !== undefined)
        .map(({ arn = "", event = [], prefix = "", suffix = "" }) =>
            withoutUndefined({
                target: arn,
                events: [...new Set(event.map(eventOf))].sort(),
                prefix: prefix === "" ? undefined : prefix,
                suffix: suffix === "" ? undefined : suffix,
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
async function writeNotifications(
    client: StoreClient,
    bucket: string,
    wanted: BucketContent["notifications"],
    present: BucketContent["notifications"],
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
    notifications: BucketContent["notifications"],
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

function positive(value: number | undefined): number | undefined {
    return value === undefined || value <= 0 ? undefined : value;
}

function nonEmpty(list: string[] | null | undefined): string[] | undefined {
    return list === undefined || list === null || list.length === 0 ? undefined : list;
}

/** The value without its undefined properties, which a store doesn't return. */
function withoutUndefined<Value extends object>(value: Value): Value {
    return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Value;
}
