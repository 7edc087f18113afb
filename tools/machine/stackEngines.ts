import type Docker from "dockerode";
import { DockerEngine } from "../../components/engine/dockerEngine";
import { engineClient } from "../../components/engine/engineConnection";
import { engineEndpoint } from "../../components/engine/engineEndpoint";
import { onHost } from "../../components/engine/hostEngines";
import { dockerOn } from "../../components/preflight/swarmCommands";
import type { StoreHost } from "../../components/store/storeHosts";
import { hostEngine } from "../hosts/swarmMembership";
import { namedEngine } from "./namedEngine";
import { say, StepError } from "./step";

/** An engine of a stack. */
export interface StackEngine {
    /** Name of its host in the stack's config. Undefined for the only engine of a stack that names no hosts. */
    name?: string;
    docker: Docker;
    /** The docker CLI with the options that select this engine, for commands in messages. */
    command: string;
}

/** Where a stack's resources are. */
export interface StackTarget {
    /** The engines that are asked: of all hosts, except those that are known to be down. */
    engines: readonly StackEngine[];
    /** All hosts. Undefined if the stack names none. */
    hosts?: readonly StoreHost[];
}

/** The only engine of a stack that names no hosts: the one in the environment. */
export async function onlyEngine(): Promise<StackTarget> {
    return { engines: [{ docker: await namedEngine(), command: "docker" }] };
}

/**
 * The engines of a stack's hosts.
 *
 * @param down Names of hosts that are known to be down. They are not asked.
 * @param rule Which hosts must answer, for the message.
 * @throws {StepError} that names every other host whose engine doesn't answer.
 */
export async function enginesOfHosts(
    all: readonly StoreHost[],
    down: readonly string[] = [],
    rule = "Every host must answer.",
): Promise<StackTarget> {
    const hosts = all.filter(({ name }) => !down.includes(name));
    const found = await Promise.allSettled(hosts.map((host) => connectToHost(host)));
    const failures = hosts.flatMap(({ name }, place) => {
        const result = found[place];
        return result?.status === "rejected" ? [onHost(name, (result.reason as Error).message)] : [];
    });
    if (failures.length > 0) {
        throw new StepError(`${failures.join("\n")}\n${rule} Nothing was changed on any of them.`);
    }
    const engines = hosts.map(async (host): Promise<StackEngine> => {
        say(`found the engine of host ${host.name} at ${host.dockerHost}`);
        return { name: host.name, docker: await hostEngine(host), command: dockerOn(host) };
    });
    return { engines: await Promise.all(engines), hosts: all };
}

/** Time limit for an engine's answer, in seconds. The ssh client has one of 30, and its message says more. */
const ANSWER_SECONDS = 35;

/**
 * Connects to the engine of a host.
 *
 * @param seconds Time limit. Default: 35.
 * @throws {Error} if it doesn't answer in time; the message says what to do.
 */
export async function connectToHost(host: StoreHost, seconds = ANSWER_SECONDS): Promise<DockerEngine> {
    const settings = { givenHost: host.dockerHost, certPath: host.certPath };
    const docker = (await engineClient(engineEndpoint(settings))) as Docker & AbortablePing;
    const signal = AbortSignal.timeout(seconds * 1000);
    // Without a limit, a host that drops all packets is waited for minutes.
    await docker.ping({ abortSignal: signal }).catch(() => {
        if (signal.aborted) {
            throw new Error(
                `Docker doesn't answer at ${host.dockerHost} within ${seconds} s: check that host, its route and firewalls`,
            );
        }
    });
    return DockerEngine.connect(settings);
}

/** An option that the client's types lack. */
interface AbortablePing {
    ping(options: { abortSignal: AbortSignal }): Promise<unknown>;
}

/** Whether a stack has several engines. Messages then name the host of each thing. */
function isSpread(engines: readonly StackEngine[]): boolean {
    return engines.some(({ name }) => name !== undefined);
}

/** The place of what the engines of a stack have, for messages. */
export function placeOf(engines: readonly StackEngine[]): string {
    return isSpread(engines) ? "its hosts" : "this engine";
}
