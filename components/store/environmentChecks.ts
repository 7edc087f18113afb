import { checkText } from "../checks/textChecks";
import type { Problem } from "../checks/problem";
import { ENVIRONMENT_NAME, whyNotSet } from "./environmentNames";

/**
 * Checks a user's environment variables. Allowed are portable names (POSIX.1-2017, XBD 8.1) that the component doesn't set
 * itself, directly or by a file, and values that are text. Messages never show a value.
 *
 * @param reserved Names that the user can't set. A `*` at the end of a name makes it a prefix.
 * @param refused Names that the user can't set, with the reason.
 */
function checkEnvironment(
    propertyPath: string,
    variables: { [name: string]: unknown },
    reserved: readonly string[],
    refused: { readonly [name: string]: string },
): Problem[] {
    return Object.entries(variables).flatMap(([name, value]) => {
        const isName = ENVIRONMENT_NAME.test(name);
        const path = isName ? `${propertyPath}.${name}` : `${propertyPath}["${name}"]`;
        const reason = whyNotSet(name, reserved) ?? (Object.hasOwn(refused, name) ? refused[name] : undefined);
        return reason === undefined ? checkText(path, value) : [{ propertyPath: path, reason }];
    });
}

/** Checks both environments of a cluster, each by itself and together. */
export function checkEnvironments(
    args: { environment?: { [name: string]: unknown }; secretEnvironment?: { [name: string]: unknown } },
    reserved: readonly string[],
    refused: { readonly [name: string]: string } = {},
): Problem[] {
    const { environment = {}, secretEnvironment = {} } = args;
    return [
        ...checkEnvironment("environment", environment, reserved, refused),
        ...checkEnvironment("secretEnvironment", secretEnvironment, reserved, refused),
        ...Object.keys(secretEnvironment)
            .filter((name) => Object.hasOwn(environment, name))
            .map((name) => ({
                propertyPath: `environment.${name}`,
                reason: "is in secretEnvironment too: remove it here",
            })),
    ];
}
