import * as pulumi from "@pulumi/pulumi";
import type { AccessKeySettings } from "./accessKeyArgs";
import type { BucketSettings } from "./bucketArgs";
import type { PolicyGrants } from "./policyArgs";

/** A policy among the args of a store: at least one of `read`, `write` and `readWrite`, or `document`. */
export interface StorePolicyArgs extends PolicyGrants {
    /**
     * The policy as JSON, in the language of S3's policies. Excludes the short form.
     *
     * @default made from it
     */
    document?: pulumi.Input<string>;
}

/** An access key among the args of a store. */
export interface StoreAccessKeyArgs extends PolicyGrants, AccessKeySettings {
    /**
     * Names of policies of the store, besides what the short form allows.
     *
     * @default none
     */
    policies?: pulumi.Input<pulumi.Input<string>[]>;
}

/** What a store contains, by name. */
export interface StoreContentsArgs {
    /**
     * Buckets, by name: `{photos: {versioning: true}}` (docs/reference/Bucket.md#inputs). Pulumi refuses to delete one,
     * unless it was deployed with `forceDestroy`, or with `retainData` off.
     *
     * @default none
     * @group contents
     */
    buckets?: { [bucketName: string]: BucketSettings };
    /**
     * Policies for access keys, by name: `{reports: {read: ["photos/reports/"]}}` (docs/how-to/buckets-and-keys.md).
     *
     * @default none
     * @group contents
     */
    policies?: { [policyName: string]: StorePolicyArgs };
    /**
     * Access keys for applications, by name, which is the beginning of the key's id: `{app: {readWrite: ["photos"]}}`
     * (docs/how-to/buckets-and-keys.md).
     *
     * @default none
     * @group contents
     */
    accessKeys?: { [name: string]: StoreAccessKeyArgs };
}

/** An access key and its secret. */
export interface KeyPair {
    /** Id of the key. */
    accessKey: string;
    /**
     * Its secret.
     *
     * @secret
     */
    secretKey: string;
}
