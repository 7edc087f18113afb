import { limitFailures } from "../args/schema";
import { isIPv4 } from "node:net";
import type { UnwrappedObject } from "@pulumi/pulumi";
import { checkStoreReference } from "../storeClient/storeReference";
import { shown } from "../checks/inputChecks";
import { under, type Problem } from "../checks/problem";
import type {
    BucketArgs,
    BucketCorsRule,
    BucketLifecycleRule,
    BucketNotification,
    BucketSettings,
} from "../args/bucketArgs";
import { checkDocument } from "./policyDocument";

/** The args of a bucket, all known. */
export type KnownBucketArgs = UnwrappedObject<BucketArgs>;

/** The settings of a bucket, all known. */
export type KnownBucketSettings = UnwrappedObject<BucketSettings>;

/** Checks the name of a bucket by the rules of S3 (Amazon S3 User Guide, "General purpose bucket naming rules"). */
export function checkBucketName(propertyPath: string, name: string): Problem[] {
    const allowed = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/\.\.|\.-|-\./.test(name) && !isIPv4(name);
    return allowed
        ? []
        : [
              {
                  propertyPath,
                  reason:
                      `${shown(name)} is not the name of a bucket: give 3 to 63 lower-case letters, digits, dots and hyphens, ` +
                      "with a letter or digit first and last, and not an IP address",
              },
          ];
}

/** Every problem of a bucket's args that can be found without asking the store. */
export function checkBucket(args: KnownBucketArgs): Problem[] {
    return [
        ...checkStoreReference("store", args.store),
        ...(args.bucketName === undefined ? [] : checkBucketName("bucketName", args.bucketName)),
        ...checkBucketSettings(args),
    ];
}

/** Every problem of a bucket's settings. */
export function checkBucketSettings(settings: KnownBucketSettings): Problem[] {
    const { objectLock = false, versioning, retention, lifecycle = [], cors = [] } = settings;
    return [
        ...(objectLock && versioning === false
            ? [{ propertyPath: "versioning", reason: "false excludes objectLock, which needs versions: remove it" }]
            : []),
        ...(retention === undefined
            ? []
            : [
                  ...(objectLock
                      ? []
                      : [{ propertyPath: "retention", reason: "needs objectLock: set objectLock to true" }]),
                  ...under("retention", limitFailures("BucketRetention", retention)),
              ]),
        ...limitFailures("BucketSettings", settings),
        ...lifecycle.flatMap((rule, index) => under(`lifecycle[${index}]`, checkLifecycleRule(rule))),
        ...repeated(lifecycle.map(({ id }) => id)).map((id) => ({
            propertyPath: "lifecycle",
            reason: `has the id "${id}" more than once: give each rule its own`,
        })),
        ...(settings.publicReadPrefixes ?? []).flatMap((prefix, index) =>
            checkPrefix(`publicReadPrefixes[${index}]`, prefix),
        ),
        ...(settings.policy === undefined ? [] : checkDocument("policy", settings.policy)),
        ...(settings.policy !== undefined && settings.publicReadPrefixes !== undefined
            ? [{ propertyPath: "policy", reason: "and publicReadPrefixes exclude each other: give one of them" }]
            : []),
        ...cors.flatMap((rule, index) => under(`cors[${index}]`, checkCorsRule(rule))),
        ...(settings.notifications ?? []).flatMap((rule, index) =>
            under(`notifications[${index}]`, checkNotification(rule)),
        ),
    ];
}

function checkLifecycleRule(rule: BucketLifecycleRule): Problem[] {
    const { id, expireDays, expireFormerDays, expireDeleteMarkers = false } = rule;
    return [
        ...(/^[A-Za-z0-9_-]{1,255}$/.test(id)
            ? []
            : [{ propertyPath: "id", reason: `${shown(id)} is not allowed: give letters, digits and hyphens` }]),
        ...limitFailures("BucketLifecycleRule", rule),
        ...(expireDays === undefined && expireFormerDays === undefined && !expireDeleteMarkers
            ? [{ propertyPath: "expireDays", reason: "is missing: give it, expireFormerDays or expireDeleteMarkers" }]
            : []),
        ...(expireDays !== undefined && expireDeleteMarkers
            ? [{ propertyPath: "expireDeleteMarkers", reason: "and expireDays exclude each other: give two rules" }]
            : []),
    ];
}

/** Checks a beginning of keys, in which wildcards would mean more than themselves. */
export function checkPrefix(propertyPath: string, prefix: string): Problem[] {
    return /[*?$]/.test(prefix)
        ? [{ propertyPath, reason: `${shown(prefix)} holds one of * ? $: give the beginning of keys without these` }]
        : [];
}

function checkCorsRule(rule: BucketCorsRule): Problem[] {
    const { allowedOrigins, allowedMethods } = rule;
    return [
        ...(allowedOrigins.length === 0
            ? [{ propertyPath: "allowedOrigins", reason: 'is empty: give origins, or ["*"]' }]
            : []),
        ...(allowedMethods.length === 0
            ? [{ propertyPath: "allowedMethods", reason: 'is empty: give methods, such as ["GET"]' }]
            : []),
        ...limitFailures("BucketCorsRule", rule),
    ];
}

function checkNotification({ target, events }: BucketNotification): Problem[] {
    return [
        ...(target.startsWith("arn:")
            ? []
            : [
                  {
                      propertyPath: "target",
                      reason: `${shown(target)} is not an ARN: give one, such as arn:minio:sqs::primary:webhook`,
                  },
              ]),
        ...(events.length === 0
            ? [{ propertyPath: "events", reason: "is empty: give some of put, delete, get" }]
            : limitFailures("BucketNotification", { events })),
    ];
}

function repeated(texts: string[]): string[] {
    return [...new Set(texts.filter((text, index) => texts.indexOf(text) !== index))];
}
