import * as pulumi from "@pulumi/pulumi";
import type { StoreReference } from "../client/storeReference";
import { under, type Problem } from "../inputs/problem";
import { AccessKey } from "./accessKey";
import type { AccessKeySettings } from "./accessKeyArgs";
import { checkAccessKeySettings, MOST_PREFIX } from "./accessKeyChecks";
import { Bucket } from "./bucket";
import type { BucketSettings } from "./bucketArgs";
import { checkBucketName, checkBucketSettings } from "./bucketChecks";
import { Policy } from "./policy";
import type { PolicyGrants } from "./policyArgs";
import { checkGrants, checkName, checkPolicy } from "./policyChecks";
import type { KnownPolicyGrants } from "./policyDocument";

/** A policy among the args of a store: at least one of `read`, `write` and `readWrite`, or `document`. */
export interface StorePolicyArgs extends PolicyGrants {
    /** The policy as JSON, in the language of S3's policies. Excludes the short form. Default: made from it. */
    document?: pulumi.Input<string>;
}

/** An access key among the args of a store. */
export interface StoreAccessKeyArgs extends PolicyGrants, AccessKeySettings {
    /** Names of policies of the store, besides what the short form allows. Default: none. */
    policies?: pulumi.Input<pulumi.Input<string>[]>;
}

/** What a store contains, by name. */
export interface StoreContentsArgs {
    /**
     * Buckets, by name. Pulumi refuses to delete one, unless it was deployed with `forceDestroy`, or with `retainData` off.
     * Default: none.
     */
    buckets?: { [bucketName: string]: BucketSettings };
    /** Policies for access keys, by name. Default: none. */
    policies?: { [policyName: string]: StorePolicyArgs };
    /** Access keys for applications, by name: the beginning of the key's id. Default: none. */
    accessKeys?: { [name: string]: StoreAccessKeyArgs };
}

/** An access key and its secret. */
export interface KeyPair {
    /** Id of the key. */
    accessKey: string;
    /** Its secret. */
    secretKey: string;
}

/** Every problem of what a store should contain. Values that aren't known yet are checked in the update. */
export function checkStoreContents({ buckets = {}, policies = {}, accessKeys = {} }: StoreContentsArgs): Problem[] {
    const grantNames = Object.entries(accessKeys).filter(([, key]) => hasGrants(key));
    return [
        ...Object.entries(buckets).flatMap(([name, settings]) => [
            ...checkBucketName(`buckets.${name}`, name),
            ...ifKnown(settings, (known) => under(`buckets.${name}`, checkBucketSettings(known))),
        ]),
        ...Object.entries(policies).flatMap(([name, policy]) => [
            ...checkName(`policies.${name}`, name),
            ...ifKnown(policy, (known) =>
                under(
                    `policies.${name}`,
                    checkPolicy({ ...(known as KnownPolicyGrants & { document?: string }), store: SOME_STORE }),
                ),
            ),
        ]),
        ...Object.entries(accessKeys).flatMap(([name, key]) => [
            ...(new RegExp(`^[A-Za-z0-9-]{1,${MOST_PREFIX}}$`).test(name)
                ? []
                : [
                      {
                          propertyPath: `accessKeys.${name}`,
                          reason: `"${name}" is not allowed: give 1 to ${MOST_PREFIX} letters, digits and hyphens`,
                      },
                  ]),
            ...ifKnown(key, (known) =>
                under(`accessKeys.${name}`, [
                    ...checkGrants(known),
                    ...checkAccessKeySettings(known),
                    ...(hasGrants(key) || key.policies !== undefined
                        ? []
                        : [
                              {
                                  propertyPath: "policies",
                                  reason: "is missing: give it, or read, write or readWrite; without them the key may do nothing",
                              },
                          ]),
                ]),
            ),
        ]),
        ...grantNames
            .filter(([name]) => Object.hasOwn(policies, name))
            .map(([name]) => ({
                propertyPath: `policies.${name}`,
                reason: `has the name of the access key ${name}, whose own policy has it: give another name`,
            })),
    ];
}

/** Checks of policies don't depend on their store. */
const SOME_STORE: StoreReference = { name: "store" };

/** The problems of a value without outputs of other resources. */
function ifKnown(value: object, check: (known: object) => Problem[]): Problem[] {
    return holdsOutput(value) ? [] : check(value);
}

function holdsOutput(value: unknown): boolean {
    return (
        pulumi.Output.isInstance(value) ||
        value instanceof Promise ||
        (typeof value === "object" && value !== null && Object.values(value).some(holdsOutput))
    );
}

function hasGrants({ read, write, readWrite }: PolicyGrants): boolean {
    return [read, write, readWrite].some((grant) => grant !== undefined);
}

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
