import { checkText } from "../inputs/textChecks";
import type { Problem } from "../inputs/problem";
import { ENVIRONMENT_NAME, whyNotSet } from "./environmentNames";

/**
 * Checks a user's environment variables. Allowed are portable names (POSIX.1-2017, XBD 8.1) that the component doesn't set
 * itself, directly or by a file, and values that are text. Messages never show a value.
 *
 * @param reserved Names that the user can't set. A `*` at the end of a name makes it a prefix.
 */
function checkEnvironment(
    propertyPath: string,
    variables: { [name: string]: unknown },
    reserved: readonly string[],
): Problem[] {
    return Object.entries(variables).flatMap(([name, value]) => {
        const isName = ENVIRONMENT_NAME.test(name);
        const path = isName ? `${propertyPath}.${name}` : `${propertyPath}["${name}"]`;
        const reason = whyNotSet(name, reserved);
        if (reason !== undefined) {
            return [{ propertyPath: path, reason }];
        }
        return checkText(path, value);
    });
}

/** Checks both environments of a cluster, each by itself and together. */
export function checkEnvironments(
    args: { environment?: { [name: string]: unknown }; secretEnvironment?: { [name: string]: unknown } },
    reserved: readonly string[],
): Problem[] {
    const { environment = {}, secretEnvironment = {} } = args;
    return [
        ...checkEnvironment("environment", environment, reserved),
        ...checkEnvironment("secretEnvironment", secretEnvironment, reserved),
        ...Object.keys(secretEnvironment)
            .filter((name) => Object.hasOwn(environment, name))
            .map((name) => ({
                propertyPath: `environment.${name}`,
                reason: "is in secretEnvironment too: remove it here",
            })),
    ];
}
