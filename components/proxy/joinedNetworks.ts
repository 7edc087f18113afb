import * as pulumi from "@pulumi/pulumi";
import { connectEngine } from "../docker/connectEngine";
import type { DockerEngine } from "../docker/engine";
import type { ListedContainer } from "../docker/model";
import { LABELS } from "../naming/labels";
import type { ProxyNetwork } from "../requirements/proxyAddresses";
import { existingProxy, NO_PROXY } from "./existingProxy";
import type { ProxySettings } from "../settings/proxySettings";
import { proxyOf } from "../requirements/proxyOnEngine";
import { clientNetwork } from "./publicNetwork";

/** The networks behind the proxy that its container is created with. It joins further node networks while it runs. */
export interface CreatedNetworks {
    networks: ProxyNetwork[];
    /** Labels by which a later update knows them. */
    labels: { [name: string]: string };
    /** Whether the existing container stays. */
    kept: boolean;
    /** Why nothing may be changed: it isn't known whether a proxy exists, or there is one of another stack. */
    failure?: string;
}

/** The part of the engine that connects a proxy with networks. */
export type NetworkEngine = Pick<DockerEngine, "containers" | "nodeNetworks" | "join" | "leave">;

/**
 * The networks that the proxy's container is created with: those with which the existing one was created, if nothing else
 * about it changes. So an added or removed store doesn't replace it.
 *
 * A failure of the engine is part of the value: if many outputs shared a rejection, it would be followed along every path.
 *
 * @param digestWith Digest of the inputs of a container with these networks and labels.
 */
export function createdNetworks(
    settings: ProxySettings,
    away: boolean,
    digestWith: (created: CreatedNetworks) => pulumi.Output<string>,
): pulumi.Output<CreatedNetworks> {
    const { frontEndName, backendNetworks, nodeNetworks, dockerHost } = settings;
    const networks = pulumi.all([backendNetworks, nodeNetworks]);
    const stackName = `${pulumi.getProject()}/${pulumi.getStack()}`;
    const existing = pulumi
        .all([networks, dockerHost, clientNetwork(settings)])
        .apply(([, host, ofClients]) =>
            away
                ? NO_PROXY
                : pulumi.output(existingProxy(() => connectEngine(host), { frontEndName, stackName, ofClients })),
        );
    return pulumi
        .all([networks, existing])
        .apply(([[all, ofStores], { proxy, failure }]): pulumi.Output<CreatedNetworks> => {
            const wanted = { ...withLabel(all, ofStores), failure };
            if (proxy === undefined) {
                return pulumi.output(wanted);
            }
            const former = formerNetworks(all, ofStores, proxy);
            return digestWith(former).apply((digest) => (digest === proxy.labels[LABELS.inputs] ? former : wanted));
        });
}

/** The networks with which an existing proxy was created, if those of services and its addresses are the same. */
export function formerNetworks(
    all: ProxyNetwork[],
    ofStores: ProxyNetwork[],
    { labels }: Pick<ListedContainer, "labels">,
): CreatedNetworks {
    const former = fromLabel(labels[LABELS.nodeNetworks] ?? "").map(
        (network) => ofStores.find(({ name }) => name === network.name) ?? network,
    );
    const others = all.filter(({ name }) => ofStores.every((network) => network.name !== name));
    return { ...withLabel([...former, ...others], former), kept: true };
}

function withLabel(networks: ProxyNetwork[], ofStores: ProxyNetwork[]): CreatedNetworks {
    return { networks, labels: { [LABELS.nodeNetworks]: toLabel(ofStores) }, kept: false };
}

function toLabel(networks: ProxyNetwork[]): string {
    return networks.map(({ name, ipv4Address = "" }) => `${name}=${ipv4Address}`).join(",");
}

function fromLabel(label: string): ProxyNetwork[] {
    return label
        .split(",")
        .filter((one) => one !== "")
        .map((one) => {
            const [name = "", ipv4Address = ""] = one.split("=");
            return ipv4Address === "" ? { name } : { name, ipv4Address };
        });
}

/** Connects the existing proxy with the node networks that it isn't on. No connection of the proxy ends. */
export async function joinNetworks(
    engine: NetworkEngine,
    frontEndName: string,
    ofStores: readonly ProxyNetwork[],
): Promise<void> {
    const proxy = await proxyOf(engine, frontEndName);
    for (const { name, ipv4Address } of ofStores) {
        if (proxy?.networks.includes(name) === false) {
            await engine.join(name, proxy.id, ipv4Address);
        }
    }
}

/**
 * Disconnects the proxy from the node networks of stores that it doesn't serve any more, so that they can be removed.
 *
 * @param desired Names of all networks that it should be on.
 */
export async function leaveNetworks(
    engine: NetworkEngine,
    frontEndName: string,
    desired: readonly string[],
): Promise<void> {
    const proxy = await proxyOf(engine, frontEndName);
    const nodeNetworks = await engine.nodeNetworks();
    const left = (proxy?.networks ?? []).filter((name) => nodeNetworks.includes(name) && !desired.includes(name));
    for (const name of left) {
        await engine.leave(name, proxy?.id ?? "");
    }
}
