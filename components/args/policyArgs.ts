import type * as pulumi from "@pulumi/pulumi";
import type { StoreReference } from "./storeReference";

/** What a policy allows, in short form: each entry is a bucket, or the beginning of keys in one: `photos/2026/`. */
export interface PolicyGrants {
    /** What may be listed and read. Default: nothing. */
    read?: pulumi.Input<pulumi.Input<string>[]>;
    /** Where objects may be written and deleted, but not read. Default: nowhere. */
    write?: pulumi.Input<pulumi.Input<string>[]>;
    /** What may be listed, read, written and deleted. Default: nothing. */
    readWrite?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Args of a `Policy`: at least one of `read`, `write` and `readWrite`, or `document`. A change applies at once. */
export interface PolicyArgs extends PolicyGrants {
    /** The store, as its output `reference` names it. A change of its name replaces the policy. */
    store: pulumi.Input<StoreReference>;
    /**
     * Name of the policy: letters, digits and hyphens, 128 characters at most. Default: the resource's name. A change
     * replaces the policy.
     */
    policyName?: pulumi.Input<string>;
    /** The policy as JSON, in the language of S3's policies. Excludes the short form. Default: made from it. */
    document?: pulumi.Input<string>;
}
