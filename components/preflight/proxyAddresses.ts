import * as pulumi from "@pulumi/pulumi";
import { DockerEngine } from "../engine/dockerEngine";
import type { ListedContainer } from "../engine/engine";
import type { DockerHost } from "../engine/dockerHost";
import { LABELS } from "../naming/labels";
import type { Problem } from "../inputs/problem";
import { PROXY_COUNT } from "../store/topology";

/** A network that a proxy joins. */
export interface ProxyNetwork {
    name: string;
    /** The proxy's address there; none for one that the engine chooses. */
    ipv4Address?: string;
}

/** A proxy, and where it is to be. */
export interface ProxyPlace {
    containerName: string;
    /** Its number among the proxies of a cluster. */
    proxyNumber: number;
    networks: ProxyNetwork[];
    /** Other proxies of the same program that have that number in front of the same cluster. */
    rivals: string[];
}

/** Containers of the proxies in front of each cluster of a program, by their number. */
const claims = new WeakMap<object, Map<number, string>>();

/**
 * Notes a proxy's number in front of clusters, and gives the proxies that have had it before. In a preview none of them is there yet,
 * and in an update each is replaced.
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

/** Every address of a proxy that another proxy has. The engine is asked only where it is to have one. */
export async function checkProxyAddresses(place: ProxyPlace, dockerHost: DockerHost | undefined): Promise<Problem[]> {
    if (place.networks.every(({ ipv4Address }) => ipv4Address === undefined)) {
        return [];
    }
    const { proxyNumber, rivals } = place;
    if (rivals.length > 0) {
        const reason =
            `${proxyNumber} is the number of ${[...new Set(rivals)].join(", ")} as well: ` +
            `give each proxy of a cluster a number of its own, from 1 to ${PROXY_COUNT}`;
        return [{ propertyPath: "proxyNumber", reason }];
    }
    return takenAddresses(place, await (await DockerEngine.connect(dockerHost)).containers(LABELS.frontEnd));
}

/** The same, among containers that are known. */
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
                    `${proxyNumber} stands for ${ipv4Address} on the network ${name}, which ${holder.name} has already: ` +
                    `give each proxy of a cluster a number of its own, from 1 to ${PROXY_COUNT}`,
            })),
    );
}
