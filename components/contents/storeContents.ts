import * as pulumi from "@pulumi/pulumi";
import { AccessKey } from "./accessKey";
import { Bucket } from "./bucket";
import { Policy } from "./policy";
import type { StoreContentsArgs, KeyPair } from "../args/contentsArgs";
import { hasGrants } from "../settings/contentsChecks";
import type { StoreReference } from "../args/storeReference";

/**
 * Creates what a store contains. A bucket is protected like the data that it holds, unless it has `forceDestroy`.
 *
 * @param prefix Beginning of the resources' names in the program.
 * @returns The access keys, by name; a secret.
 */
export function createStoreContents(
    prefix: string,
    { buckets = {}, policies = {}, accessKeys = {} }: StoreContentsArgs,
    store: pulumi.Input<StoreReference>,
    retainData: boolean,
    opts: pulumi.CustomResourceOptions,
): pulumi.Output<{ [name: string]: KeyPair }> {
    for (const [bucketName, settings] of Object.entries(buckets)) {
        new Bucket(
            `${prefix}${bucketName}`,
            { store, bucketName, ...settings },
            { ...opts, protect: retainData && settings.forceDestroy !== true },
        );
    }
    const made = Object.entries(policies).map(
        ([policyName, policy]) => new Policy(`${prefix}${policyName}`, { store, policyName, ...policy }, opts),
    );
    const keys = Object.entries(accessKeys).map(([keyName, key]) => {
        const { read, write, readWrite, policies: named = [], ...settings } = key;
        const own = hasGrants(key)
            ? [
                  new Policy(`${prefix}${keyName}`, { store, policyName: keyName, read, write, readWrite }, opts)
                      .policyName,
              ]
            : [];
        const attached = pulumi
            .all([pulumi.output(named), pulumi.all(own)])
            .apply(([given, made]) => [...given, ...made]);
        const accessKey = new AccessKey(
            `${prefix}${keyName}`,
            { store, namePrefix: keyName, policies: attached, ...settings },
            pulumi.mergeOptions(opts, { dependsOn: made }),
        );
        return [keyName, { accessKey: accessKey.accessKey, secretKey: accessKey.secretKey }] as const;
    });
    return pulumi.secret(pulumi.output(Object.fromEntries(keys)));
}
