import type { StoreHost } from "../../components/store/storeHosts";
import { hostOfProvider } from "../hosts/stackHosts";
import { say } from "../machine/step";
import { changeState } from "../pulumi/changedState";
import { readState, type StateResource } from "../pulumi/stackState";
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
