import type Docker from "dockerode";
import { hostSettings } from "../../components/storeClient/storeReference";
import { answeringEngine } from "../../components/docker/engineConnection";
import type { StoreHost } from "../../components/args/hostArgs";
import { hostOf, hostOfProvider, hostsInState } from "./stackHosts";
import type { StackTarget } from "./stackEngines";
import { say, StepError } from "../cli/step";
import { changeState } from "../pulumi/changedState";
import { isDataVolume, nameOf, readState, type StackState, type StateResource } from "../pulumi/stackState";
import { list } from "./dataVolumes";
import type { Workspace } from "../pulumi/workspace";

/** A provider in the state, with the part of it that says where its host is. */
interface HostProvider extends Omit<StateResource, "inputs"> {
    inputs?: Place;
    outputs?: Place;
}

interface Place {
    host?: string;
    certPath?: string;
}

/**
 * The resources of a state, with the providers where the config says that their hosts are.
 *
 * @returns Undefined if none has moved.
 */
export function withMovedHosts(
    resources: readonly StateResource[],
    hosts: readonly StoreHost[],
): { resources: StateResource[]; moved: StoreHost[] } | undefined {
    const moved: StoreHost[] = [];
    const changed = resources.map((resource): StateResource => {
        const provider = resource as HostProvider;
        const host = hosts.find(({ name }) => name === hostOfProvider(resource));
        const { inputs = {}, outputs = {} } = provider;
        if (host === undefined || (inputs.host === host.dockerHost && inputs.certPath === host.certPath)) {
            return resource;
        }
        moved.push(host);
        // In JSON an undefined property is none.
        const place: Place = { host: host.dockerHost, certPath: host.certPath };
        return { ...provider, inputs: { ...inputs, ...place }, outputs: { ...outputs, ...place } } as StateResource;
    });
    return moved.length === 0 ? undefined : { resources: changed, moved };
}

/** Time limit for the first answer of the engine that a host had, in seconds. */
const FORMER_ENGINE_SECONDS = 15;

/**
 * Refuses a host that has moved to another machine, although its former engine answers and has data volumes of the stack: the
 * entry of a living host was changed. The same engine may be reached in another way.
 *
 * @param connect Connects to an engine. Default: as the Docker provider does.
 * @throws {StepError} with the host and both addresses.
 */
export async function refuseLivingHosts(
    { engines, hosts = [] }: StackTarget,
    state: StackState,
    connect: (host: StoreHost) => Promise<Docker> = formerEngine,
): Promise<void> {
    const formerHosts = hostsInState(state.resources);
    const moved = withMovedHosts(state.resources, hosts)?.moved ?? [];
    for (const { name, dockerHost } of moved) {
        const former = formerHosts.find((host) => host.name === name);
        const docker = former && (await connect(former).catch(() => undefined));
        if (former === undefined || docker === undefined) {
            continue;
        }
        const now = engines.find((engine) => engine.name === name);
        const [before, after] = await Promise.all([docker.info(), now?.docker.info()] as Promise<{ ID?: string }>[]);
        const { Volumes: volumes } = await docker.listVolumes();
        const own = state.resources.filter((volume) => isDataVolume(volume) && hostOf(volume) === name).map(nameOf);
        const there = volumes.map(({ Name: volume }) => volume).filter((volume) => own.includes(volume));
        if (there.length > 0 && before?.ID !== after?.ID) {
            const index = hosts.findIndex((host) => host.name === name);
            throw new StepError(
                `hosts[${index}].dockerHost: "${dockerHost}" is another machine than the one that host ${name} was at, ${former.dockerHost}. ` +
                    `That one answers, and has the data:\n${list(there.sort())}\n` +
                    "Data doesn't move with a host: set the key back. If that machine is to be replaced although it lives, stop its Docker\n" +
                    "daemon first.",
            );
        }
    }
}

function formerEngine(host: StoreHost): Promise<Docker> {
    return answeringEngine(hostSettings(host), FORMER_ENGINE_SECONDS);
}

/**
 * Sets the hosts of the providers in the state to those in the config. A refresh and a removal by Pulumi use the providers
 * in the state, and can't reach a machine that has been replaced since the last update.
 */
export async function followMovedHosts(
    workspace: Workspace,
    stack: string,
    hosts: readonly StoreHost[] = [],
): Promise<void> {
    if (withMovedHosts((await readState(workspace)).resources, hosts) === undefined) {
        return;
    }
    await changeState(workspace, stack, (state) => {
        const changed = withMovedHosts(state.deployment.resources ?? [], hosts);
        changed?.moved.forEach(({ name, dockerHost }) => say(`host ${name} is at ${dockerHost} now`));
        return changed && { ...state, deployment: { ...state.deployment, resources: changed.resources } };
    });
}
