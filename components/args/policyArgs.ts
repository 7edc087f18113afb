import type * as pulumi from "@pulumi/pulumi";
import type { StoreReference } from "./storeReference";

/** What a policy allows, in short form: each entry is a bucket, or the beginning of keys in one: `photos/2026/`. */
export interface PolicyGrants {
    /**
     * What may be listed and read.
     *
     * @default nothing
     */
    read?: pulumi.Input<pulumi.Input<string>[]>;
    /**
     * Where objects may be written and deleted, but not read.
     *
     * @default nowhere
     */
    write?: pulumi.Input<pulumi.Input<string>[]>;
    /**
     * What may be listed, read, written and deleted.
     *
     * @default nothing
     */
    readWrite?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Args of a `Policy`: at least one of `read`, `write` and `readWrite`, or `document`. A change applies at once. */
export interface PolicyArgs extends PolicyGrants {
    /** The store, as its output `reference` names it. A change of its name replaces the policy. */
    store: pulumi.Input<StoreReference>;
    /**
     * Name of the policy: letters, digits and hyphens, 128 characters at most. A change replaces the policy.
     *
     * @default the resource's name
     */
    policyName?: pulumi.Input<string>;
    /**
     * The policy as JSON, in the language of S3's policies. Excludes the short form.
     *
     * @default made from it
     */
    document?: pulumi.Input<string>;
}
