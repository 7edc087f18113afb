import { SECRETS_VERSION } from "../naming/containerFiles";
import { findProfile } from "./profiles/all";
import type { ServiceProfile } from "./serviceProfile";

/**
 * The variables that the component sets for a profile, and those that would override them.
 *
 * @param bucketDomains Whether the component sets the variable for these. If it doesn't, a user may set it.
 */
export function reservedVariables(
    { name, variables: { bucketDomains: domains, ...variables }, conflictingVariables }: ServiceProfile,
    bucketDomains: boolean,
): string[] {
    const own: unknown = conflictingVariables ?? findProfile(name)?.conflictingVariables;
    // A value that is not a list of names is reported by the check of the profile itself.
    const conflicting = Array.isArray(own) ? own.filter((variable) => typeof variable === "string") : [];
    const ofDomains = bucketDomains && domains !== undefined ? [domains] : [];
    return [SECRETS_VERSION, ...Object.values<string>({ ...variables }), ...ofDomains, ...conflicting];
}
