import * as pulumi from "@pulumi/pulumi";
import type { DockerEngine } from "../engine/dockerEngine";
import { ProcessInterruptions, pulumiConnection, type Interruptions } from "./interruption";
import { systemClock, type Clock } from "../engine/poll";
import { withoutStack } from "../inputs/problem";
import { ProxyServers, type ProxyControl } from "../traffic/proxyServers";
import type { ServiceProfile } from "../store/serviceProfile";

/** What of the engine the replacement of nodes needs. */
export type NodeEngine = Pick<DockerEngine, "checkHealth" | "health" | "logTail" | "now" | "run">;

/** What Pulumi does to a node once it is asked to. */
export interface NodeSteps {
    /** Writes the files that the node's next start reads. Rejects where that fails. */
    prepare(name: string): Promise<void>;
    /** Replaces the node's container where its inputs changed, and gives the id of the one that is there then. May never settle. */
    replace(name: string): Promise<string>;
}

/** Where progress and failures of a rollout are reported. */
export interface RolloutReport {
    /** What goes on right now. */
    progress(text: string): Promise<void>;
    /** What the operator should know afterwards too. */
    warning(text: string): Promise<void>;
    /** A failure of the component. */
    error(message: string): Error;
}

/** All that a rollout talks to. */
export interface RolloutWorld {
    engine: NodeEngine;
    proxies: ProxyControl;
    steps: NodeSteps;
    report: RolloutReport;
    interruptions: Interruptions;
    clock: Clock;
}

/** Limits of a rollout. */
export interface RolloutLimits {
    profile: Pick<ServiceProfile, "maintenancePath" | "settleSeconds">;
    /** Limit for a node to be ready, in seconds. */
    readyTimeout: number;
    /** Limit for requests that run on a node to end before it is stopped, in seconds. */
    drainTimeout: number;
}

/** Pulumi ends a plugin or a program that has not ended 5 s after SIGINT. */
const GRACE_MILLISECONDS = 10_000;

/** The world of a rollout on a real engine. */
export function rolloutWorld(
    engine: DockerEngine,
    steps: NodeSteps,
    component: pulumi.Resource,
    networkName: string,
    addresses: string[],
): RolloutWorld {
    return {
        engine,
        proxies: new ProxyServers(engine, networkName, { addresses }),
        steps,
        report: {
            progress: (text) => pulumi.log.info(text, component, undefined, true),
            warning: (text) => pulumi.log.warn(text, component),
            error: (message) => withoutStack(new pulumi.ResourceError(message, component, true)),
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
