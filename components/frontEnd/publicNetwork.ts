import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { labelList } from "../engine/containerBasics";
import type { HaproxyFrontEndSettings } from "./haproxyFrontEndSettings";
import { gatewayOf } from "../naming/ipv4Network";

/** Name of the network that the proxy's ports are published on. */
export function networkName({ publicNetworkName, frontEndName }: HaproxyFrontEndSettings): pulumi.Input<string> {
    return publicNetworkName ?? `${frontEndName}-public`;
}

export function publicNetwork(
    name: string,
    settings: HaproxyFrontEndSettings,
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
