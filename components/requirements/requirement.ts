import type * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../checks/problem";
import type { DockerEngine } from "../docker/engine";
import { onHost } from "../docker/hosts";
import type { LocalHost } from "../docker/localHost";
import type { EngineCache } from "./engineCache";

/** What must hold on the engines before anything changes: why it doesn't, as problems of the args. It only reads, and pulls images. */
export type Requirement = (engines: EngineCache) => Promise<Problem[]>;

/** Requirements on values that other resources may provide. */
export interface LaterRequirements {
    /** Those that can be asked before the values are known. */
    before: readonly Requirement[];
    /** All of them, with the values. */
    known: pulumi.Output<readonly Requirement[]>;
}

/** All requirements of a component. */
export interface Requirements {
    /** Asked first: without them, the others would ask the wrong engines. */
    first: readonly Requirement[];
    /** Asked together. */
    then: readonly (Requirement | LaterRequirements)[];
}

/** The engine that a requirement on one host asks. */
export interface AskedEngine {
    engine: DockerEngine;
    /** Its host, if that is the one on which this program runs. */
    local: LocalHost | undefined;
    warn: (text: string) => Promise<void>;
}

/**
 * A requirement on one host, whose problems name the host. Nothing is required of a host that is away.
 *
 * @param host Name of the host. Undefined if the deployment has one host.
 */
export function onEngine(host: string | undefined, check: (asked: AskedEngine) => Promise<Problem[]>): Requirement {
    return async (engines) => {
        const cached = engines.hosts.get(host);
        if (cached === undefined) {
            return [];
        }
        const engine = await cached.engine();
        const problems = await check({
            engine,
            local: engine.local ? cached.local : undefined,
            warn: (text) => engines.warnOnce(host ?? "", text, onHost(host, text)),
        });
        return problems.map(({ propertyPath, reason }) => ({ propertyPath, reason: onHost(host, reason) }));
    };
}
