import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { labelList } from "../docker/containerArgs";
import type { HostEngine } from "../docker/hosts";
import type { ProxySettings } from "../settings/proxySettings";
import { gatewayOf, sameNetwork } from "../naming/ipv4Network";
import type { ClientNetwork } from "../settings/proxyGroup";

/** The network that a proxy creates. Undefined if it uses an existing one. */
export function clientNetwork(settings: ProxySettings): pulumi.Output<ClientNetwork | undefined> {
    const { publicNetworkName, publicSubnet, publicIpv6 } = settings;
    return publicNetworkName === undefined
        ? pulumi
              .all([networkName(settings), publicSubnet])
              .apply(([name, subnet]) => ({ name, subnet, ipv6Subnet: publicIpv6?.subnet }))
        : pulumi.output(undefined);
}

/** Whether the engine has a network with other subnets. Then the update replaces it, and with it each container on it. */
export async function isReplaced(
    { name, subnet, ipv6Subnet }: ClientNetwork,
    engine: Pick<HostEngine, "ipv6Networks" | "networks">,
): Promise<boolean> {
    const [ipv4, ipv6] = await Promise.all([engine.networks(), engine.ipv6Networks()]);
    return (
        ipv4.some((network) => network.name === name && !sameNetwork(network.subnet, subnet)) ||
        ipv6.some((network) => network.name === name && network.subnet !== ipv6Subnet)
    );
}

/** Name of the network that the proxy's ports are published on. */
export function networkName({ publicNetworkName, frontEndName }: ProxySettings): pulumi.Input<string> {
    return publicNetworkName ?? `${frontEndName}-public`;
}

export function publicNetwork(
    name: string,
    settings: ProxySettings,
    labels: { [name: string]: string },
    opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
    const { publicSubnet: subnet, publicIpv6: ipv6 } = settings;
    return new docker.Network(
        `${name}-network`,
        {
            name: networkName(settings),
            driver: "bridge",
            ipamConfigs: [
                { subnet, gateway: subnet.apply((network) => gatewayOf(network)) },
                ...(ipv6 === undefined ? [] : [{ subnet: ipv6.subnet, gateway: ipv6.gateway }]),
            ],
            ...(ipv6 === undefined ? {} : { ipv6: true }),
            labels: labelList(labels),
        },
        // A renamed stack should not replace the network, and the proxy with it.
        { ...opts, ignoreChanges: ["labels"] },
    ).name;
}
