import type { ContainerArgs } from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";

/** One rule of the service contract, with its implementation and its test. */
export interface Rule {
    /** Part of the contract and position in it, such as `4.7`; unique. */
    id: string;
    /** The rule, in a few words. */
    rule: string;
    /** What implements it: a file and a name in it, such as `` `components/haproxyConfig/config.ts`, httpFrontend ``; or the store. */
    where: string;
    /** The test that proves it on a running system. */
    test: RuleTest;
    /** How the rule is broken, to show that the test then fails; or the reason why it can't be broken. */
    broken: Break | { notBroken: string };
}

/** A test: its file below test/e2e, and its full name in Jest. */
export interface RuleTest {
    file: string;
    name: string;
}

/** One change of the deployment that breaks one rule. */
export interface Break {
    /** What is changed, in words. */
    change: string;
    /** Changes a file that is written for a container: `haproxy.cfg`, `certificate.pem`, `environment`. */
    file?: { name: string; edit: (text: string) => string };
    /** Changes the inputs of a node's container. */
    node?: (inputs: ContainerArgs) => ContainerArgs;
    /** Changes the inputs of the proxy's container. */
    proxy?: (inputs: ContainerArgs) => ContainerArgs;
    /** Changes the inputs of the containers that write files. */
    writer?: (inputs: ContainerArgs) => ContainerArgs;
}

/** Name of the variable that selects the rule to break. Only the broken program reads it. */
export const BROKEN_RULE = "OBJECT_STORE_BROKEN_RULE";

/** Beginning of the message of a deployment that doesn't break its rule. */
export const NOT_BROKEN = "the rule is not broken:";

function notBroken(reason: string): Error {
    return new Error(`${NOT_BROKEN} ${reason}`);
}

/** Breaks the rule by one line of haproxy.cfg: every matching line is replaced, or removed if no replacement is set. */
export function line(pattern: RegExp, replacement?: string): Break {
    return {
        change:
            replacement === undefined ? `\`${shown(pattern)}\` left out` : `\`${shown(pattern)}\` → \`${replacement}\``,
        file: {
            name: "haproxy.cfg",
            edit: (text) => {
                const lines = text.split("\n");
                if (!lines.some((found) => pattern.test(found))) {
                    throw notBroken(`haproxy.cfg has no line ${pattern}`);
                }
                return lines
                    .flatMap((found) =>
                        !pattern.test(found)
                            ? [found]
                            : replacement === undefined
                              ? []
                              : [found.replace(pattern, replacement)],
                    )
                    .join("\n");
            },
        },
    };
}

/** Breaks the rule by one more line at the end of a section of haproxy.cfg. */
export function moreIn(section: string, added: string): Break {
    return {
        change: `\`${added}\` added to \`${section}\``,
        file: {
            name: "haproxy.cfg",
            edit: (text) => {
                if (!text.includes(`\n${section}\n`)) {
                    throw notBroken(`haproxy.cfg has no section ${section}`);
                }
                return text.replace(`\n${section}\n`, `\n${section}\n    ${added}\n`);
            },
        },
    };
}

/** Breaks the rule by a variable of the nodes' containers. */
export function variable(name: string, value: string): Break {
    return {
        change: `\`${name}=${value}\``,
        node: (inputs) => ({
            ...inputs,
            envs: pulumi
                .output(inputs.envs)
                .apply((envs) => [...(envs ?? []).filter((text) => !text.startsWith(`${name}=`)), `${name}=${value}`]),
        }),
    };
}

/** Breaks the rule by a variable of the store that `docker inspect` doesn't show. */
export function secretVariable(name: string, value: string): Break {
    return {
        change: `\`${name}=${value}\``,
        file: {
            name: "environment",
            edit: (text) => text.replace(new RegExp(`^${name}=.*$`, "m"), `${name}='${value}'`),
        },
    };
}

/**
 * A text with one part replaced.
 *
 * @throws {Error} if it doesn't have that part: the rule would not be broken.
 */
export function replaced(text: string, part: string, replacement: string): string {
    if (!text.includes(part)) {
        throw notBroken(`there is no ${part}`);
    }
    return text.replace(part, () => replacement);
}

function shown(pattern: RegExp): string {
    return pattern.source.replaceAll("\\", "").replace(/\^|\$/g, "");
}
