import * as pulumi from "@pulumi/pulumi";
import type { HostEngine } from "../docker/hosts";
import { ProcessInterruptions, type Interruptions } from "../pulumi/interruption";
import { pulumiConnection } from "../pulumi/pulumiConnection";
import { systemClock, type Clock } from "../docker/poll";
import { withMessageOnly } from "../checks/problem";
import { ProxyServers, type ProxiedNode, type ProxyControl } from "../proxyControl/proxyServers";
import { GRACE_MILLISECONDS } from "./limits";

/** The part of the engines that the replacement of nodes uses. */
export type NodeEngine = Pick<HostEngine, "checkHealth" | "health" | "logTail" | "now" | "run">;

/** The steps that Pulumi takes for a node on request. */
export interface NodeSteps {
    /** Writes the files that the node reads at its next start. Rejects if that fails. */
    prepare(name: string): Promise<void>;
    /**
     * Replaces the node's container if its inputs changed. Resolves to the id of the container that exists afterwards. May
     * never settle.
     */
    replace(name: string): Promise<string>;
}

/** Where progress and failures of a rollout are reported. */
export interface RolloutReport {
    /** Reports what is happening now. */
    progress(text: string): Promise<void>;
    /** Reports what the operator should also see afterwards. */
    warning(text: string): Promise<void>;
    /** Makes the error of a failure of the component. */
    error(message: string): Error;
}

/** Everything that a rollout interacts with. */
export interface RolloutDependencies {
    engine: NodeEngine;
    proxies: ProxyControl;
    steps: NodeSteps;
    report: RolloutReport;
    interruptions: Interruptions;
    clock: Clock;
}

/** The {@link RolloutDependencies} of a rollout on real engines. */
export function rolloutDependencies(
    engine: HostEngine,
    steps: NodeSteps,
    component: pulumi.Resource,
    networkName: string,
    nodes: readonly ProxiedNode[],
): RolloutDependencies {
    return {
        engine,
        proxies: new ProxyServers(engine, networkName, { nodes }),
        steps,
        report: {
            progress: (text) => pulumi.log.info(text, component, undefined, true),
            warning: (text) => pulumi.log.warn(text, component),
            error: (message) => withMessageOnly(new pulumi.ResourceError(message, component, true)),
        },
        interruptions: new ProcessInterruptions({
            process,
            isPulumiGone: pulumiConnection(),
            interval: 1000,
            grace: GRACE_MILLISECONDS,
        }),
        clock: systemClock,
    };
}
