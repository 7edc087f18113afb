import * as pulumi from "@pulumi/pulumi";
import type { BucketArgs } from "../args/bucketArgs";
import type { StoreReference } from "../args/storeReference";

/**
 * A bucket in a store. One that has objects is not deleted, unless `forceDestroy` is set. Import it by
 * `pulumi import docker-object-store:index:Bucket NAME STORE/BUCKET`.
 *
 * Pulumi needs the package's plugin for it (docs/how-to/buckets-and-keys.md).
 */
export class Bucket extends pulumi.CustomResource {
    /** Name of the bucket. */
    declare readonly bucketName: pulumi.Output<string>;
    /** The store that it is in. */
    declare readonly store: pulumi.Output<StoreReference>;

    constructor(name: string, args: BucketArgs, opts?: pulumi.CustomResourceOptions) {
        super("docker-object-store:index:Bucket", name, { bucketName: undefined, ...args }, opts);
    }
}
