import * as pulumi from "@pulumi/pulumi";
import type { PolicyArgs } from "../args/policyArgs";
import type { StoreReference } from "../args/storeReference";

/**
 * A policy of a store: what the access keys that have it may do. Import it by
 * `pulumi import docker-object-store:index:Policy NAME STORE/POLICY`.
 *
 * Pulumi needs the package's plugin for it (docs/how-to/buckets-and-keys.md).
 */
export class Policy extends pulumi.CustomResource {
    /** Name of the policy. */
    declare readonly policyName: pulumi.Output<string>;
    /** The policy as JSON. */
    declare readonly document: pulumi.Output<string>;
    /** The store that it is in. */
    declare readonly store: pulumi.Output<StoreReference>;

    constructor(name: string, args: PolicyArgs, opts?: pulumi.CustomResourceOptions) {
        super("docker-object-store:index:Policy", name, { policyName: undefined, document: undefined, ...args }, opts);
    }
}
