import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { CERTIFICATE_DIRECTORY } from "../certificate/acmeScripts";
import { containerBasics, openFilesLimit } from "../docker/containerBasics";
import { allLabels, labelList, type Labels } from "../docker/containerArgs";
import { script } from "../docker/script";
import { HTTP_PORT, HTTPS_PORT, IPV6_PORTS } from "../haproxyConfig/args";
import {
    MASTER_SOCKET,
    RELOAD_LOCK,
    SERVER_STATE_FILE,
    SOCKET_DIRECTORY,
    STATS_SOCKET,
} from "../proxyControl/proxyFiles";
import type { ProxySettings } from "../settings/proxySettings";
import type { CreatedNetworks } from "./joinedNetworks";

/** Folder in the proxy's container that holds its configuration and certificate. */
export const CONFIGURATION_DIRECTORY = "/usr/local/etc/haproxy";

/**
 * Time that requests have to finish when the proxy's container is replaced, in seconds (measurements:
 * docs/contributing/code-map.md).
 */
const REPLACED_WITHIN_SECONDS = 2;

/** User and group of HAProxy's official image. */
export const HAPROXY_USER = "99:99";

/** Name of the file, in the same folder as haproxy.cfg, with the states that servers have when the proxy starts. */
export const INITIAL_SERVER_STATES = "servers.state";

/** The parts that the proxy's container is made of. */
export interface ProxyParts {
    image: pulumi.Input<string>;
    /** Names of the volumes that it mounts. */
    configuration: pulumi.Input<string>;
    sockets: pulumi.Input<string>;
    certificate: pulumi.Input<string>;
    /** Name of the network through which clients connect. */
    network: pulumi.Input<string>;
    /** The networks behind it that it is created with. */
    created: pulumi.Input<CreatedNetworks>;
    labels: Labels;
}

/** Args of the proxy's container, as the Docker provider takes them. */
export function proxyContainer(settings: ProxySettings, parts: ProxyParts): docker.ContainerArgs {
    const created = pulumi.output(parts.created);
    return {
        ...containerBasics,
        // Its ports are closed from the stop signal on: all clients wait as long as the stop takes.
        destroyGraceSeconds: REPLACED_WITHIN_SECONDS,
        name: `${settings.frontEndName}-proxy`,
        image: parts.image,
        entrypoints: ["/bin/sh", "-c"],
        command: [script(__dirname, "startProxy.sh")],
        user: HAPROXY_USER,
        restart: "unless-stopped",
        readOnly: true,
        capabilities: { drops: ["ALL"] },
        // A soft stop: existing connections may finish, new ones are refused (HAProxy management guide, section 4).
        stopSignal: "SIGUSR1",
        healthcheck: {
            tests: ["CMD", "perl", "-e", script(__dirname, "checkProxy.pl")],
            interval: "2s",
            timeout: "5s",
            retries: 3,
            startPeriod: "10s",
            startInterval: "0s",
        },
        labels: labelList(allLabels(parts.labels, created.labels)),
        volumes: [
            {
                volumeName: parts.configuration,
                containerPath: CONFIGURATION_DIRECTORY,
                readOnly: true,
            },
            { volumeName: parts.sockets, containerPath: SOCKET_DIRECTORY },
            { volumeName: parts.certificate, containerPath: CERTIFICATE_DIRECTORY, readOnly: true },
        ],
        networksAdvanced: pulumi
            .all([parts.network, created.networks])
            .apply(([network, others]) => [{ name: network }, ...others]),
        ports: publishedPorts(settings),
        // Connecting to a node that is gone fails after 3 s, before the contract's limit of 10 s, and is tried on another node.
        sysctls: { "net.ipv4.tcp_syn_retries": "1" },
        ulimits: openFilesLimit(settings.openFiles),
    };
}

/** Shell command that reloads the proxy, see reload.pl. */
export const RELOAD = [
    `perl -e '${script(__dirname, "reload.pl")}'`,
    ...[MASTER_SOCKET, STATS_SOCKET, SERVER_STATE_FILE, RELOAD_LOCK],
    ...HAPROXY_USER.split(":"),
].join(" ");

/**
 * IPv6 has ports of its own in the container. The engine returns several bindings of one port in an order of its own, which
 * a refresh would show as a change.
 */
function publishedPorts(settings: ProxySettings) {
    const { httpPort, httpsPort, publishAddress, publicIpv6 } = settings;
    const ofFamily = (ip: string, [http, https]: [number, number]) => [
        { internal: http, external: httpPort, ip, protocol: "tcp" },
        { internal: https, external: httpsPort, ip, protocol: "tcp" },
    ];
    return [
        ...ofFamily(publishAddress, [HTTP_PORT, HTTPS_PORT]),
        ...(publicIpv6 === undefined
            ? []
            : ofFamily(publicIpv6.publishAddress, [IPV6_PORTS[HTTP_PORT], IPV6_PORTS[HTTPS_PORT]])),
    ].sort((one, other) => one.internal - other.internal);
}
