import type { DockerEngine } from "../docker/engine";
import type { ListedContainer } from "../docker/model";
import { LABELS } from "../naming/labels";
import { isContainerInState } from "../requirements/stackState";
import { proxyOf } from "../requirements/proxyOnEngine";
import { isReplaced } from "./publicNetwork";
import type { ClientNetwork } from "../settings/proxyGroup";

/** A proxy's container before the update, as far as it is known. */
export interface ExistingProxy {
    /** Undefined if there is none, or if it will be replaced together with its network. */
    proxy?: ListedContainer;
    /** Why it isn't known whether there is one, or why there must not be. */
    failure?: string;
}

/** The part of the engine that knows the existing proxy and its networks. */
export type ExistingProxyEngine = Pick<DockerEngine, "containers" | "networks" | "ipv6Networks">;

/** No proxy exists. */
export const NO_PROXY: ExistingProxy = {};

/** What an existing proxy is looked for with. */
export interface WantedProxy {
    frontEndName: string;
    /** Project and stack of this program, as in the label. */
    stackName: string;
    /** Network of its clients. Undefined for an existing network. */
    ofClients: ClientNetwork | undefined;
}

/**
 * The existing proxy. One that will be replaced together with the network of its clients doesn't count: the next one has to
 * be created with networks that exist, and with all of them. One of another stack is a failure: this stack would use its
 * volumes, and delete them one day.
 *
 * @param isInState Whether this stack's state has a container: it may have had another name when it created the proxy.
 */
export async function existingProxy(
    connect: () => Promise<ExistingProxyEngine>,
    { frontEndName, stackName, ofClients }: WantedProxy,
    isInState = isContainerInState,
): Promise<ExistingProxy> {
    try {
        const engine = await connect();
        const proxy = await proxyOf(engine, frontEndName);
        if (proxy === undefined) {
            return NO_PROXY;
        }
        const stack = proxy.labels[LABELS.stack];
        const isOwn = stack === stackName || (await isInState(proxy.name));
        if (isOwn === undefined) {
            throw new Error(
                `it is of the stack ${stack}, and this stack's state, which would have it after a change of names, can't be read`,
            );
        }
        if (!isOwn) {
            const failure = `the name "${frontEndName}" is that of the proxy of the stack ${stack} (container ${proxy.name}): give this one another`;
            return { failure };
        }
        return ofClients !== undefined && (await isReplaced(ofClients, engine)) ? NO_PROXY : { proxy };
    } catch (error) {
        const message = `${frontEndName}-proxy: it isn't known whether it exists and belongs to this stack: ${(error as Error).message}`;
        return { failure: `${message.trim()}. The proxy stays as it was: run the same command again` };
    }
}
