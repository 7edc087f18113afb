import { HEALTH_QUESTION } from "../naming/containerFiles";
import { isNamed } from "./variableNames";

/** A portable name (POSIX.1-2017, XBD 8.1). */
export const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

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
 * Why a user can't set an environment variable, with what to do. Undefined if it is allowed.
 *
 * @param reserved Names that the component sets itself, directly or by a file. A `*` at the end of a name makes it a prefix.
 */
export function whyNotSet(name: string, reserved: readonly string[]): string | undefined {
    if (!ENVIRONMENT_NAME.test(name)) {
        return "is not a name of an environment variable: letters, digits and underscores, no digit first";
    }
    if (isNamed(name, SHELL_VARIABLES)) {
        return "decides which programs a container runs, and how: remove it";
    }
    if (isNamed(name, OWNED_BY_SHELL)) {
        return "belongs to the shell that starts the store, which would lose it: use another name";
    }
    return isNamed(name, [...reserved, ...reserved.map((one) => `${one}_FILE`)])
        ? "is set by the component itself: use the property made for it, or leave it out"
        : undefined;
}
