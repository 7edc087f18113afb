import * as pulumi from "@pulumi/pulumi";
import { connectEngine } from "../engine/connectEngine";
import type { DockerEngine } from "../engine/dockerEngine";
import type { ListedContainer } from "../engine/engine";
import { LABELS } from "../naming/labels";
import type { ProxyNetwork } from "../preflight/proxyAddresses";
import { existingProxy, NO_PROXY } from "./existingProxy";
import type { HaproxyFrontEndSettings } from "./haproxyFrontEndSettings";
import { proxyOf } from "./proxyOnEngine";
import { clientNetwork } from "./publicNetwork";

/** The networks behind the proxy that its container is created with. It joins further node networks while it runs. */
export interface CreatedNetworks {
    networks: ProxyNetwork[];
    /** Labels by which a later update knows them. */
    labels: { [name: string]: string };
    /** Whether the existing container stays. */
    kept: boolean;
    /** Digest of the inputs of the existing container, as in its label. */
    existing?: string;
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
 * @param digestsWith Digests of the inputs of a container with these networks and labels, in all forms that it may have.
 */
export function createdNetworks(
    settings: HaproxyFrontEndSettings,
    away: boolean,
    digestsWith: (created: CreatedNetworks) => pulumi.Output<string>[],
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
    const digested = pulumi
        .all([networks, existing])
        .apply(([[all, ofStores], { proxy }]) =>
            pulumi.all(
                possibleNetworks(all, ofStores, proxy).map((created) =>
                    pulumi.all(digestsWith(created)).apply((digests) => ({ created, digests })),
                ),
            ),
        );
    return pulumi
        .all([networks, existing, digested])
        .apply(([[all, ofStores], { proxy, failure }, possible]): CreatedNetworks => {
            const inputs = proxy?.labels[LABELS.inputs] ?? "";
            const kept = possible.find(({ digests }) => digests.includes(inputs))?.created;
            return { ...(kept ?? { ...withLabel(all, ofStores), failure }), existing: proxy && inputs };
        });
}

/** The networks with which an existing proxy may have been created. A proxy of one store has no label for them. */
export function possibleNetworks(
    all: ProxyNetwork[],
    ofStores: ProxyNetwork[],
    existing: Pick<ListedContainer, "labels"> | undefined,
): CreatedNetworks[] {
    if (existing === undefined) {
        return [];
    }
    const others = all.filter(({ name }) => ofStores.every((network) => network.name !== name));
    const label = existing.labels[LABELS.nodeNetworks];
    if (label !== undefined) {
        return [{ ...withLabel([...fromLabel(label), ...others], fromLabel(label)), kept: true }];
    }
    const unlabelled = [[...ofStores.slice(0, 1), ...others], all];
    return unlabelled.map((networks) => ({ networks, labels: {}, kept: true }));
}

function withLabel(networks: ProxyNetwork[], ofStores: ProxyNetwork[]): CreatedNetworks {
    const labels = ofStores.length < 2 ? [] : [[LABELS.nodeNetworks, toLabel(ofStores)]];
    return { networks, labels: Object.fromEntries(labels) as { [name: string]: string }, kept: false };
}

function toLabel(networks: ProxyNetwork[]): string {
    return networks.map(({ name, ipv4Address = "" }) => `${name}=${ipv4Address}`).join(",");
}

function fromLabel(label: string): ProxyNetwork[] {
    return label.split(",").map((one) => {
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
