import type * as pulumi from "@pulumi/pulumi";
import type { AcmeCertificateArgs } from "../certificate/acmeCertificate";
import type { AcmeSettings } from "../certificate/acmeSettings";
import type { Labels } from "../docker/containerArgs";
import { CURRENT } from "../naming/containerFiles";
import { EXCHANGE_SOCKET, PEERS_SOCKET, SOCKET_DIRECTORY, STATS_SOCKET } from "../proxyControl/proxyFiles";
import type { ProxyGroup } from "../settings/proxyGroup";
import type { ProxySettings } from "../settings/proxySettings";
import { acmeAddress, selfCheck } from "./certificateKind";
import { CONFIGURATION_DIRECTORY, HAPROXY_USER, RELOAD } from "./proxyContainer";

/** What the ACME client of a proxy is made of. */
export interface AcmeParts {
    acme: AcmeSettings;
    clientImage: pulumi.Input<string>;
    proxyImage: pulumi.Input<string>;
    /** Name of the network through which clients connect. */
    networkName: pulumi.Input<string>;
    /** Names of the volumes. */
    volumes: AcmeCertificateArgs["volumes"];
    configuration: pulumi.Input<string>;
    sockets: pulumi.Input<string>;
    labels: Labels;
    away: boolean;
}

/** Args of the ACME client of a proxy, or of one that is in a group. */
export function acmeClient(
    settings: ProxySettings,
    group: ProxyGroup | undefined,
    { acme, configuration, sockets, ...parts }: AcmeParts,
): AcmeCertificateArgs {
    return {
        ...acme,
        ...parts,
        frontEndName: settings.frontEndName,
        hostnames: settings.hostnames,
        user: HAPROXY_USER,
        address: acmeAddress(settings),
        selfCheck: selfCheck(settings, group),
        configuration: { volumeName: configuration, containerPath: CONFIGURATION_DIRECTORY },
        configurationFolder: `${CONFIGURATION_DIRECTORY}/${CURRENT}`,
        sockets: { volumeName: sockets, containerPath: SOCKET_DIRECTORY },
        statsSocket: STATS_SOCKET,
        reload: RELOAD,
        dockerHost: settings.dockerHost,
        ...(group && {
            exchange: {
                proxies: group.hosts,
                proxy: group.host,
                peersSocket: PEERS_SOCKET,
                exchangeSocket: EXCHANGE_SOCKET,
            },
        }),
    };
}
