import * as pulumi from "@pulumi/pulumi";
import { connectEngine } from "../docker/connectEngine";
import type { ListedContainer } from "../docker/model";
import type { DockerHost } from "../docker/providerHost";
import { LABELS } from "../naming/labels";
import type { Problem } from "../checks/problem";
import { PROXY_COUNT } from "../store/topology";

/** A network that a proxy joins. */
export interface ProxyNetwork {
    name: string;
    /** The proxy's address there. Undefined if the engine chooses it. */
    ipv4Address?: string;
}

/** A proxy, and the networks that it will join. */
export interface ProxyPlace {
    containerName: string;
    /** Its number among the proxies of a cluster. */
    proxyNumber: number;
    networks: ProxyNetwork[];
    /** Other proxies of the same program with the same number in front of the same cluster. */
    rivals: string[];
}

/** Names of the proxy containers in front of each cluster of a program, by their number. */
const claims = new WeakMap<object, Map<number, string>>();

/**
 * Records a proxy's number in front of clusters, and returns the proxies that have claimed it before. The existing
 * containers don't show such a conflict: in a preview none of them exists yet, and in an update each is replaced.
 */
export function claimNumber(clusters: readonly unknown[], proxyNumber: number, containerName: string): string[] {
    return clusters
        .filter((cluster) => pulumi.Output.isInstance(cluster))
        .flatMap((cluster) => {
            const claimed = claims.get(cluster) ?? new Map<number, string>();
            claims.set(cluster, claimed);
            const holder = claimed.get(proxyNumber) ?? containerName;
            claimed.set(proxyNumber, holder);
            return holder === containerName ? [] : [holder];
        });
}

/**
 * A problem for each address of a proxy that another proxy has. The engine is queried only if the proxy gets a fixed
 * address.
 */
export async function checkProxyAddresses(place: ProxyPlace, dockerHost: DockerHost | undefined): Promise<Problem[]> {
    if (place.networks.every(({ ipv4Address }) => ipv4Address === undefined)) {
        return [];
    }
    const { proxyNumber, rivals } = place;
    if (rivals.length > 0) {
        const reason =
            `${proxyNumber} is the number of ${[...new Set(rivals)].join(", ")} as well: ` +
            `set a number of its own for each proxy of a cluster, from 1 to ${PROXY_COUNT}`;
        return [{ propertyPath: "proxyNumber", reason }];
    }
    return takenAddresses(place, await (await connectEngine(dockerHost)).containers(LABELS.proxy));
}

/** The same check against known containers. */
export function takenAddresses(
    { containerName, proxyNumber, networks }: Omit<ProxyPlace, "rivals">,
    containers: Pick<ListedContainer, "name" | "addresses">[],
): Problem[] {
    return networks.flatMap(({ name, ipv4Address }) =>
        containers
            .filter((other) => ipv4Address !== undefined && other.addresses[name] === ipv4Address)
            .filter((other) => other.name !== containerName)
            .map((holder) => ({
                propertyPath: "proxyNumber",
                reason:
                    `${proxyNumber} means the address ${ipv4Address} on the network ${name}, which ${holder.name} uses already: ` +
                    `set a number of its own for each proxy of a cluster, from 1 to ${PROXY_COUNT}`,
            })),
    );
}
