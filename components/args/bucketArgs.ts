import type * as pulumi from "@pulumi/pulumi";
import type { StoreReference } from "./storeReference";

/** How long objects in a bucket with object lock are kept by default. */
export interface BucketRetention {
    /**
     * `governance`: users with a permission for it may delete earlier. `compliance`: nobody can, not even the root
     * user.
     *
     * @oneOf governance, compliance
     */
    mode: string;
    /**
     * Days from an object's upload.
     *
     * @range 1..36500
     */
    days: number;
}

/** A rule by which the store deletes objects by itself. At least one of the three limits is required. */
export interface BucketLifecycleRule {
    /** Name of the rule in the bucket: letters, digits, hyphens, 255 characters at most. Can't be used twice. */
    id: string;
    /**
     * Beginning of the keys that it applies to.
     *
     * @default all
     */
    prefix?: string;
    /**
     * Days after which an object is deleted; in a versioned bucket it gets a delete marker.
     *
     * @default never
     * @range 1..36500
     */
    expireDays?: number;
    /**
     * Days after which a former version is deleted.
     *
     * @default never
     * @range 1..36500
     */
    expireFormerDays?: number;
    /**
     * Whether a delete marker without former versions is deleted. Excludes `expireDays`.
     *
     * @default false
     */
    expireDeleteMarkers?: boolean;
}

/** A rule that lets web pages of other origins use a bucket (CORS). */
export interface BucketCorsRule {
    /** Origins, as `https://app.example.com`; `*` for all. */
    allowedOrigins: string[];
    /**
     * Methods.
     *
     * @oneOf GET, PUT, POST, DELETE, HEAD
     */
    allowedMethods: string[];
    /**
     * Headers that a page may send; `*` for all.
     *
     * @default none
     */
    allowedHeaders?: string[];
    /**
     * Headers of the response that a page may read.
     *
     * @default none
     */
    exposeHeaders?: string[];
    /**
     * Seconds for which a browser remembers the answer.
     *
     * @default none
     * @range 0..86400
     */
    maxAgeSeconds?: number;
}

/** Events in a bucket of which the store notifies a target. */
export interface BucketNotification {
    /**
     * Name of a target that the store's own variables configure, such as
     * `arn:minio:sqs::primary:webhook` (`environment`, `secretEnvironment`).
     */
    target: string;
    /**
     * Events.
     *
     * @oneOf put, delete, get
     */
    events: string[];
    /**
     * Beginning of the keys.
     *
     * @default all
     */
    prefix?: string;
    /**
     * End of the keys.
     *
     * @default all
     */
    suffix?: string;
}

/** The settings of a bucket besides its name. */
export interface BucketSettings {
    /**
     * Whether former versions of objects are kept. Switched off later, versioning is suspended.
     *
     * @default false
     */
    versioning?: pulumi.Input<boolean>;
    /**
     * Whether objects can be locked against deletion. It switches `versioning` on. Stores set it when a bucket is
     * created, so a change replaces the bucket, which has to be empty.
     *
     * @default false
     */
    objectLock?: pulumi.Input<boolean>;
    /**
     * How long objects are locked by default; needs `objectLock`.
     *
     * @default not at all
     */
    retention?: pulumi.Input<BucketRetention>;
    /**
     * Most bytes in the bucket.
     *
     * @default no limit
     * @range 1048576..9007199254740991
     */
    quota?: pulumi.Input<number>;
    /**
     * Whether an upload is on the disks before it is acknowledged. `strict`: all of it. `relaxed`: faster, but a power
     * failure of several nodes at once can lose objects that were acknowledged shortly before. RustFS only; MinIO has
     * no such setting.
     *
     * @default that of the store, which the profile sets to `strict`
     * @oneOf strict, relaxed
     */
    durability?: pulumi.Input<string>;
    /**
     * Rules by which the store deletes objects by itself.
     *
     * @default none
     */
    lifecycle?: pulumi.Input<pulumi.Input<BucketLifecycleRule>[]>;
    /**
     * Beginnings of keys that everybody may read without credentials; `""` for all objects.
     *
     * @default none
     */
    publicReadPrefixes?: pulumi.Input<pulumi.Input<string>[]>;
    /**
     * Policy of the bucket as JSON, in the language of S3's policies, for more than reading by everybody. Excludes
     * `publicReadPrefixes`.
     *
     * @default none
     */
    policy?: pulumi.Input<string>;
    /**
     * Rules for web pages of other origins (CORS). MinIO's community edition has none.
     *
     * @default none
     */
    cors?: pulumi.Input<pulumi.Input<BucketCorsRule>[]>;
    /**
     * Events of which the store notifies a target.
     *
     * @default none
     */
    notifications?: pulumi.Input<pulumi.Input<BucketNotification>[]>;
    /**
     * Whether a bucket that exists already is taken over, and gets these settings in place of its own; by default it is
     * refused. Needed once, when the bucket isn't in the state yet.
     *
     * @default false
     */
    adopt?: pulumi.Input<boolean>;
    /**
     * Whether a bucket is deleted with all of its objects and versions once it is removed from the program. By default,
     * a bucket with objects is not deleted, and the update fails, unless the volumes of its store are deleted with it. One that
     * a change replaces has to be empty in both cases.
     *
     * @default false
     */
    forceDestroy?: pulumi.Input<boolean>;
}

/** Args of a `Bucket`. */
export interface BucketArgs extends BucketSettings {
    /** The store, as its output `reference` names it. A change of its name replaces the bucket. */
    store: pulumi.Input<StoreReference>;
    /**
     * Name of the bucket: 3 to 63 lower-case letters, digits, dots and hyphens. A change replaces the bucket, which has
     * to be empty.
     *
     * @default the resource's name
     */
    bucketName?: pulumi.Input<string>;
}
