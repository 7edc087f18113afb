import { limitFailures } from "../args/schema";
import { checkText } from "../checks/textChecks";
import { nearest } from "../checks/nearest";
import type { Problem } from "../checks/problem";
import { DNS_PROVIDERS } from "./dnsProviders";
import type { DnsChallengeArgs } from "../args/certificateArgs";

/** Variables that the client's scripts, its shell or its settings depend on. A `*` at the end makes a name a prefix. */
const RESERVED = [
    ...[
        "ACME_DIRECTORY",
        "ACME_SECRETS",
        "ACME_TEXTS_TO_REMOVE",
        "ACME_TRUSTED",
        "ALWAYS_DUE_DAYS",
        "CHALLENGE_PORT",
        "CHECK_INTERVAL",
    ],
    ...[
        "DIRECTORY_URL",
        "DNS_PROVIDER",
        "EMAIL",
        "HOSTNAMES",
        "KEY_TYPE",
        "LONGEST_RETRY_SECONDS",
        "ORDER",
        "PREFLIGHT",
        "PREFLIGHT_SECONDS",
        "PROPAGATION_WAIT",
    ],
    ...["RETRY_INTERVAL", "SECRETS", "SELF_CHECK", "SELF_CHECK_PATH"],
    ...["LEGO_CA_*", "LEGO_EAB*", "LEGO_EMAIL", "LEGO_PATH", "LEGO_PFX*", "LEGO_SERVER"],
    ...[
        "BASH*",
        "ENV",
        "EUID",
        "FUNCNAME",
        "IFS",
        "LD_*",
        "LINENO",
        "OLDPWD",
        "OPTARG",
        "OPTIND",
        "PATH",
        "PPID",
        "PWD",
    ],
    ...["RANDOM", "SECONDS", "SHELLOPTS", "SHLVL", "UID"],
];

/** Variables with which lego prints requests, and so credentials. */
const PRINTING = "LEGO_DEBUG_";

/**
 * Every problem of these args that can be found without querying the engine.
 *
 * @param isKnownImage Whether the client's image has exactly the {@link DNS_PROVIDERS}.
 */
export function checkDnsChallenge(args: DnsChallengeArgs, isKnownImage: boolean): Problem[] {
    const { environment = {}, secretEnvironment = {} } = args;
    return [
        ...checkProvider(args.provider, isKnownImage),
        ...checkVariables("environment", environment),
        ...checkVariables("secretEnvironment", secretEnvironment),
        ...Object.keys(environment)
            .filter((name) => Object.hasOwn(secretEnvironment, name))
            .flatMap((name) => problem(`environment.${name}`, "is in secretEnvironment too: remove it here")),
        ...limitFailures("DnsChallengeArgs", args),
    ];
}

/** Where lego's documentation lists the providers and their variables. */
export const PROVIDERS_PAGE = "https://go-acme.github.io/lego/dns/";

function checkProvider(provider: unknown, isKnownImage: boolean): Problem[] {
    if (typeof provider !== "string" || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(provider)) {
        const reason = `${JSON.stringify(provider)} is not the code of a DNS provider: give one of ${PROVIDERS_PAGE}, such as route53`;
        return problem("provider", reason);
    }
    if (provider === "manual") {
        return problem("provider", `"manual" asks a person at each renewal: give a provider that has an API`);
    }
    if (!isKnownImage || DNS_PROVIDERS.includes(provider)) {
        return [];
    }
    const meant = nearest(provider, DNS_PROVIDERS);
    const advice = meant === undefined ? `give one of ${PROVIDERS_PAGE}` : `did you mean ${meant}?`;
    return problem("provider", `"${provider}" is not a DNS provider of the ACME client: ${advice}`);
}

/** Messages never show a value. */
function checkVariables(propertyPath: string, variables: { [name: string]: unknown }): Problem[] {
    return Object.entries(variables).flatMap(([name, value]) => {
        if (!/^[A-Z][A-Z0-9_]*$/.test(name)) {
            const reason = `is not the name of a variable of a DNS provider: capital letters, digits and underscores, as in ${PROVIDERS_PAGE}`;
            return problem(`${propertyPath}["${name}"]`, reason);
        }
        const path = `${propertyPath}.${name}`;
        if (name.startsWith(PRINTING)) {
            return problem(path, "makes the client print credentials: remove it");
        }
        if (RESERVED.some((own) => (own.endsWith("*") ? name.startsWith(own.slice(0, -1)) : name === own))) {
            return problem(path, "is set by the component itself, or belongs to the client's shell: remove it");
        }
        return checkText(path, value);
    });
}

/** Shorter lines of secrets aren't removed from messages: they would match by chance. */
const SHORTEST_REMOVED = 4;

/**
 * What must not appear in messages, one text on each line: the lines of secrets, as they are and as a URL contains them.
 * Longer texts come first, since they may contain shorter ones.
 */
export function textsToRemove(secrets: string[]): string {
    const lines = secrets.flatMap((secret) => secret.split(/\r?\n/)).map((line) => line.trim());
    const forms = lines
        .filter((line) => line.length >= SHORTEST_REMOVED)
        .flatMap((line) => [line, inUrl(line), inUrl(line).replaceAll("+", "%20")]);
    return [...new Set(forms)].sort((one, other) => other.length - one.length).join("\n");
}

function inUrl(text: string): string {
    return new URLSearchParams({ "": text }).toString().slice(1);
}

function problem(propertyPath: string, reason: string): Problem[] {
    return [{ propertyPath, reason }];
}
