import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { labelList } from "../docker/containerArgs";
import type { Host } from "../docker/hosts";
import { isolatedGateway } from "../docker/isolatedGateway";
import { gatewayOf, upperHalf } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";
import type { NodeSpec } from "../store/topology";
import type { StorageClusterSettings } from "../settings/clusterSettings";

/**
 * The internal network between the nodes: a bridge on one host, an overlay over several hosts.
 *
 * @param accepted Resolves once the engines were checked.
 */
export function nodeNetwork(
    name: string,
    { clusterName, stackName, subnet, encrypted }: StorageClusterSettings,
    hosts: readonly Host[],
    opts: pulumi.CustomResourceOptions,
    accepted: pulumi.Input<pulumi.Resource[]>,
): docker.Network {
    const [first] = hosts;
    const several = first?.name !== undefined;
    return new docker.Network(
        `${name}-network`,
        {
            name: `${clusterName}-nodes`,
            driver: several ? "overlay" : "bridge",
            attachable: several ? true : undefined,
            internal: true,
            // Docker assigns dynamic addresses from the upper half, so that they never conflict with a node's fixed
            // address.
            ipamConfigs: [{ subnet, gateway: gatewayOf(subnet), ipRange: upperHalf(subnet) }],
            options: several ? (encrypted ? { encrypted: "" } : {}) : isolatedGateway(first?.dockerHost, accepted),
            labels: labelList({ [LABELS.cluster]: clusterName, [LABELS.stack]: stackName }),
        },
        // Neither a newer engine nor a renamed stack should replace the network, and every node with it.
        { ...opts, ignoreChanges: ["options", "labels"] },
    );
}

/** The network for the outgoing connections of a host's nodes, created only with `egress`. */
export function egressNetwork(
    name: string,
    { clusterName, stackName }: StorageClusterSettings,
    opts: pulumi.CustomResourceOptions,
): docker.Network {
    const labels = labelList({ [LABELS.cluster]: clusterName, [LABELS.stack]: stackName });
    return new docker.Network(
        name,
        { name: `${clusterName}-egress`, driver: "bridge", labels },
        // As for the node network.
        { ...opts, ignoreChanges: ["labels"] },
    );
}

/** The networks that a node is attached to. */
export function nodeNetworks(
    { name, address }: NodeSpec,
    network: pulumi.Input<string>,
    egress?: pulumi.Input<string>,
): docker.types.input.ContainerNetworksAdvanced[] {
    return [
        { name: network, ipv4Address: address, aliases: [name] },
        ...(egress === undefined ? [] : [{ name: egress }]),
    ];
}
