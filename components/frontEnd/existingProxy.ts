import type { DockerEngine } from "../engine/dockerEngine";
import type { ListedContainer } from "../engine/engine";
import { LABELS } from "../naming/labels";
import { isReplaced, type ClientNetwork } from "./publicNetwork";

/** A front end's proxy before the update, as far as it is known. */
export interface ExistingProxy {
    /** Undefined if there is none, or if it will be replaced together with its network. */
    proxy?: ListedContainer;
    /** Why it isn't known whether there is one. */
    failure?: string;
}

/** The part of the engine that knows the existing proxy and its networks. */
export type ExistingProxyEngine = Pick<DockerEngine, "containers" | "networks" | "ipv6Networks">;

/** No proxy exists. */
export const NO_PROXY: ExistingProxy = {};

/**
 * The existing proxy. One that will be replaced together with the network of its clients doesn't count: the next one has to
 * be created with networks that exist, and with all of them.
 */
export async function existingProxy(
    connect: () => Promise<ExistingProxyEngine>,
    frontEndName: string,
    ofClients: ClientNetwork | undefined,
): Promise<ExistingProxy> {
    try {
        const engine = await connect();
        const proxy = await proxyOf(engine, frontEndName);
        if (proxy === undefined || (ofClients !== undefined && (await isReplaced(ofClients, engine)))) {
            return NO_PROXY;
        }
        return { proxy };
    } catch (error) {
        const message = `${frontEndName}-proxy: it isn't known whether it exists: ${(error as Error).message}`;
        return { failure: `${message.trim()}. The front end stays as it was: run the same command again` };
    }
}

/** A front end's proxy on an engine. */
export async function proxyOf(
    engine: Pick<DockerEngine, "containers">,
    frontEndName: string,
): Promise<ListedContainer | undefined> {
    const containers = await engine.containers(LABELS.frontEnd, frontEndName);
    return containers.find(({ name }) => name === `${frontEndName}-proxy`);
}
