import { HEALTH_QUESTION } from "../naming/containerFiles";
import { checkText } from "../inputs/textChecks";
import type { Problem } from "../inputs/problem";
import { isNamed } from "./serviceProfile";

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables that the start of a container and its health check depend on: another value would run other code, or none. */
const SHELL_VARIABLES = ["PATH", "IFS", "ENV", "BASH_ENV", "LD_*", HEALTH_QUESTION];

/**
 * Variables that belong to shells (dash, bash, busybox) and to the start script: a user's value would be lost, or would end
 * the script.
 */
const OWNED_BY_SHELL = [
    ...[
        "BASH",
        "BASHOPTS",
        "BASHPID",
        "BASH_*",
        "DIRSTACK",
        "EUID",
        "FUNCNAME",
        "GROUPS",
        "HISTCMD",
        "LINENO",
        "OLDPWD",
    ],
    ...["OPTARG", "OPTIND", "PPID", "PWD", "RANDOM", "SECONDS", "SHELLOPTS", "SHLVL", "UID"],
    ...["_", "_CLOSED_FOR", "_CURRENT", "_FOLDER", "_OF_VERSION", "_ROOT_KEYS", "_STORE_PID_FILE"],
    ...["_name", "_secrets", "_status", "_stop", "_stopping", "_store", "_value"],
];

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
    const taken = [...reserved, ...reserved.map((name) => `${name}_FILE`)];
    return Object.entries(variables).flatMap(([name, value]) => {
        if (!ENVIRONMENT_NAME.test(name)) {
            const reason = "is not a name of an environment variable: letters, digits and underscores, no digit first";
            return [{ propertyPath: `${propertyPath}["${name}"]`, reason }];
        }
        const path = `${propertyPath}.${name}`;
        if (isNamed(name, SHELL_VARIABLES)) {
            const reason = "decides which programs a container runs, and how: remove it";
            return [{ propertyPath: path, reason }];
        }
        if (isNamed(name, OWNED_BY_SHELL)) {
            const reason = "belongs to the shell that starts the store, which would lose it: use another name";
            return [{ propertyPath: path, reason }];
        }
        if (isNamed(name, taken)) {
            const reason = "is set by the component itself: use the property made for it, or leave it out";
            return [{ propertyPath: path, reason }];
        }
        const reason = Object.hasOwn(refused, name) ? refused[name] : undefined;
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
