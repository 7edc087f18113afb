import type { ContainerArgs } from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";

/** One rule of the service contract, and what shows that it holds. */
export interface Rule {
    /** Part of the contract and place in it, such as `4.7`; unique. */
    id: string;
    /** The rule, in a few words. */
    rule: string;
    /** What implements it: a file and a part of it. */
    where: string;
    /** The test that proves it on a running system. */
    test: RuleTest;
    /** How the rule is broken, so that the test is seen to fail; or why it can't be. */
    broken: Break | { notBroken: string };
}

/** A test, by its file below test/e2e and its full name, as Jest has it. */
export interface RuleTest {
    file: string;
    name: string;
}

/** One change of what is deployed that breaks one rule. */
export interface Break {
    /** What is changed, in words. */
    change: string;
    /** Changes a file that a container gets: `haproxy.cfg`, `certificate.pem`, `environment`. */
    file?: { name: string; edit: (text: string) => string };
    /** Changes the inputs of a node's container. */
    node?: (inputs: ContainerArgs) => ContainerArgs;
    /** Changes the inputs of the proxy's container. */
    proxy?: (inputs: ContainerArgs) => ContainerArgs;
    /** Changes the inputs of the containers that write files. */
    writer?: (inputs: ContainerArgs) => ContainerArgs;
}

/** Name of the variable that tells the broken program, and nothing else, which rule to break. */
export const BROKEN_RULE = "OBJECT_STORE_BROKEN_RULE";

/** The rule is broken by one line of haproxy.cfg: every line that matches becomes another, or goes where there is none. */
export function line(pattern: RegExp, replacement?: string): Break {
    return {
        change:
            replacement === undefined ? `\`${shown(pattern)}\` left out` : `\`${shown(pattern)}\` → \`${replacement}\``,
        file: {
            name: "haproxy.cfg",
            edit: (text) => {
                const lines = text.split("\n");
                if (!lines.some((found) => pattern.test(found))) {
                    throw new Error(`haproxy.cfg has no line ${pattern}`);
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

/** The rule is broken by one more line at the end of a section of haproxy.cfg. */
export function moreIn(section: string, added: string): Break {
    return {
        change: `\`${added}\` added to \`${section}\``,
        file: {
            name: "haproxy.cfg",
            edit: (text) => {
                if (!text.includes(`\n${section}\n`)) {
                    throw new Error(`haproxy.cfg has no section ${section}`);
                }
                return text.replace(`\n${section}\n`, `\n${section}\n    ${added}\n`);
            },
        },
    };
}

/** The rule is broken by a variable of the node's containers. */
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

/** The rule is broken by a variable of the store's that `docker inspect` doesn't show. */
export function secretVariable(name: string, value: string): Break {
    return {
        change: `\`${name}=${value}\``,
        file: {
            name: "environment",
            edit: (text) => text.replace(new RegExp(`^${name}=.*$`, "m"), `${name}='${value}'`),
        },
    };
}

function shown(pattern: RegExp): string {
    return pattern.source.replaceAll("\\", "").replace(/\^|\$/g, "");
}
