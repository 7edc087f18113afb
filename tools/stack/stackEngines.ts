import type Docker from "dockerode";
import { answeringEngine } from "../../components/docker/engineConnection";
import type { EngineSettings } from "../../components/docker/engineEndpoint";
import { onHost } from "../../components/docker/hosts";
import { readSwarm, type EngineSwarm } from "../../components/docker/swarm";
import { describeProblems } from "../../components/checks/problem";
import { checkSwarmOfPresent } from "../../components/hosts/swarm/swarmChecks";
import { dockerOn } from "../../components/hosts/swarm/swarmCommands";
import type { StoreHost } from "../../components/args/hostArgs";
import { hostEngine } from "./hostConnection";
import { say, StepError } from "../cli/step";

/** An engine of a stack. */
export interface StackEngine {
    /** Name of its host in the stack's config. Undefined for the only engine of a stack that names no hosts. */
    name?: string;
    docker: Docker;
    /** The docker CLI with the options that select this engine, for commands in messages. */
    command: string;
    /** How the components connect to it. Default: as the environment says. */
    settings?: EngineSettings;
}

/** Where a stack's resources are. */
export interface StackTarget {
    /** The engines that are asked: of all hosts, except those that are known to be down. */
    engines: readonly StackEngine[];
    /** All hosts. Undefined if the stack names none. */
    hosts?: readonly StoreHost[];
}

/**
 * The only engine of a stack that names no hosts: the one in the environment.
 *
 * @throws {StepError} if it doesn't answer; the message says what to do.
 */
export async function onlyEngine(): Promise<StackTarget> {
    const docker = await answeringEngine({}).catch((error: unknown) => {
        throw new StepError((error as Error).message);
    });
    return { engines: [{ docker, command: "docker", settings: {} }] };
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
    const found = await Promise.all(
        hosts.map((host) => hostEngine(host).catch((error: unknown) => onHost(host.name, (error as Error).message))),
    );
    const failures = found.filter((engine) => typeof engine === "string");
    if (failures.length > 0) {
        throw new StepError(`${failures.join("\n")}\n${rule} Nothing was changed on any of them.`);
    }
    const engines = hosts.flatMap((host, index): StackEngine[] => {
        const docker = found[index];
        if (docker === undefined || typeof docker === "string") {
            return [];
        }
        say(`found the Docker daemon of host ${host.name} at ${host.dockerHost}`);
        return [
            {
                name: host.name,
                docker,
                command: dockerOn(host),
                settings: { host: host.dockerHost, certPath: host.certPath },
            },
        ];
    });
    return { engines, hosts: all };
}

/** What the engine of each host reports about its swarm, by the host's name; an error if it doesn't answer. */
export async function swarmsOf({ engines }: StackTarget): Promise<Map<string, EngineSwarm | Error>> {
    const swarms = engines.map(async ({ name = "", docker }): Promise<[string, EngineSwarm | Error]> => [
        name,
        await readSwarm(docker).catch((error: unknown) => error as Error),
    ]);
    return new Map(await Promise.all(swarms));
}

/**
 * Refuses hosts that aren't members of one swarm under their names: an address may lead to the engine of another host.
 *
 * @throws {StepError} with all problems.
 */
export async function refuseOtherSwarm(target: StackTarget): Promise<void> {
    const problems = checkSwarmOfPresent(target.hosts ?? [], await swarmsOf(target));
    if (problems.length > 0) {
        throw new StepError(`the hosts are no swarm for this stack:\n${describeProblems(problems)}`);
    }
}

/** Whether a stack has several engines. Messages then name the host of each thing. */
function isSpread(engines: readonly StackEngine[]): boolean {
    return engines.some(({ name }) => name !== undefined);
}

/** The place of what the engines of a stack have, for messages. */
export function placeOf(engines: readonly StackEngine[]): string {
    return isSpread(engines) ? "its hosts" : "this Docker daemon";
}
