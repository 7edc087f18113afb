import * as pulumi from "@pulumi/pulumi";
import { under, type Problem } from "../checks/problem";
import { checkAccessKeySettings, MOST_PREFIX } from "./accessKeyChecks";
import { checkBucketName, checkBucketSettings } from "./bucketChecks";
import type { PolicyGrants } from "../args/policyArgs";
import { checkGrants, checkName, checkPolicy } from "./policyChecks";
import type { KnownPolicyGrants } from "./policyDocument";
import type { StoreContentsArgs } from "../args/contentsArgs";
import type { StoreReference } from "../args/storeReference";

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

export function hasGrants({ read, write, readWrite }: PolicyGrants): boolean {
    return [read, write, readWrite].some((grant) => grant !== undefined);
}
