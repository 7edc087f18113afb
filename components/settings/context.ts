import type * as pulumi from "@pulumi/pulumi";
import type { At } from "../checks/problem";
import type { Host } from "../docker/hosts";
import type { EngineCache } from "../requirements/engineCache";

/** What the parts of a component share. */
export interface Context {
    /** Its hosts, in the order of the args; at least one. */
    hosts: readonly [Host, ...Host[]];
    /** Their engines. */
    engines: EngineCache;
    /** For `dependsOn`: known once everything holds that is required of the engines. */
    allowed: pulumi.Output<pulumi.Resource[]>;
    /** The paths that the user wrote of a part's args. */
    at: At;
}

/** Options of a component whose caller has asked its engines for all requirements. */
export interface CheckedOptions extends pulumi.ComponentResourceOptions {
    /** The engines that were asked. */
    engines?: EngineCache;
}

/**
 * Options with which resources stay as they are, whatever their inputs: those of a host that is away. The wildcard doesn't
 * cover what the engine has added to a property, so the properties that a resource ignores anyway are named too.
 */
const LEFT_AS_THEY_ARE: pulumi.ComponentResourceOptions = {
    transformations: [
        ({ props, opts }) => ({
            props,
            opts: { ...opts, ignoreChanges: [...((opts as pulumi.CustomResourceOptions).ignoreChanges ?? []), "*"] },
        }),
    ],
};

/** Options of resources on a host: its provider; and if it is away, they stay as they are. */
export function resourcesOn({
    away,
    provider,
}: Host): Pick<pulumi.ComponentResourceOptions, "provider" | "transformations"> {
    return { ...(away === true ? LEFT_AS_THEY_ARE : {}), ...(provider === undefined ? {} : { provider }) };
}
