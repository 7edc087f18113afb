import * as pulumi from "@pulumi/pulumi";
import type { AccessKeyArgs } from "../args/accessKeyArgs";
import type { StoreReference } from "../args/storeReference";

/**
 * An access key for an application: a user of a store, with policies. A change of its secret or of `rotation` makes a new
 * key; the former one is deleted at the end of the update, when everything that uses this resource has the new one. Import
 * it by `pulumi import docker-object-store:index:AccessKey NAME STORE/ACCESS_KEY`; its secret stays unknown to Pulumi.
 *
 * Pulumi needs the package's plugin for it (docs/how-to/buckets-and-keys.md).
 */
export class AccessKey extends pulumi.CustomResource {
    /** Id of the key. */
    declare readonly accessKey: pulumi.Output<string>;
    /** Its secret key; a secret. Empty for an imported key. */
    declare readonly secretKey: pulumi.Output<string>;
    /** Names of its policies. */
    declare readonly policies: pulumi.Output<string[]>;
    /** The store that it is in. */
    declare readonly store: pulumi.Output<StoreReference>;

    constructor(name: string, args: AccessKeyArgs, opts?: pulumi.CustomResourceOptions) {
        const { secretKey, ...others } = args;
        super(
            "docker-object-store:index:AccessKey",
            name,
            {
                accessKey: undefined,
                ...others,
                secretKey: secretKey === undefined ? undefined : pulumi.secret(secretKey),
            },
            pulumi.mergeOptions({ additionalSecretOutputs: ["secretKey"] }, opts),
        );
    }
}
