import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { connectEngine } from "../docker/connectEngine";
import {
    ACME_DIRECTORY,
    CERTIFICATE_DIRECTORY,
    CLIENT_IN_TURN_SCRIPT,
    CLIENT_SCRIPT,
    CLIENT_VARIABLES,
    DEPLOYED_CHECK,
    EXCHANGE_SCRIPT,
    EXCHANGE_VARIABLES,
    LOADER_SCRIPT,
    LOADER_VARIABLES,
    VALUES_FILE,
} from "./acmeScripts";
import { acmeHostnames, acmeOrder, type AcmeSettings } from "./acmeSettings";
import { containerBasics, DAEMON_SETTINGS, type ContainerBasics } from "../docker/containerBasics";
import { environmentList, labelList, replacedOnAnyChange, type Labels } from "../docker/containerArgs";
import type { DockerHost } from "../docker/providerHost";
import { waitUntilHealthy } from "../docker/readiness";
import { componentError } from "../checks/refusal";
import type { MountedVolume } from "../docker/volumeFiles";

/** Args of {@link AcmeCertificate}. */
export interface AcmeCertificateArgs extends AcmeSettings {
    /** Name of the proxy: prefix of the containers' names. */
    frontEndName: string;
    /** Names that the certificate covers. */
    hostnames: pulumi.Input<string[]>;
    /** User that owns the files and runs both containers, `uid:gid`. */
    user: string;
    /** Image id of the client. */
    clientImage: pulumi.Input<string>;
    /** Image of the proxy, used to check certificates. */
    proxyImage: pulumi.Input<string>;
    /** Network on which the client reaches the CA, and the proxy reaches the client. */
    networkName: pulumi.Input<string>;
    /** The client's address on that network. */
    address: pulumi.Input<string>;
    /** The proxy's response to the preflight request. */
    selfCheck: string;
    /** Volume of the ACME client, and volume of the served certificate. */
    volumes: { acme: pulumi.Input<string>; certificate: pulumi.Input<string> };
    /** Volume with the proxy's configuration and the client's secrets, and its mount path in both containers. */
    configuration: MountedVolume;
    /** Folder in that volume with the current files. */
    configurationFolder: string;
    /** Volume with the proxy's sockets. */
    sockets: MountedVolume;
    statsSocket: string;
    /** Shell command that makes the proxy reload its files. */
    reload: string;
    labels: Labels;
    dockerHost?: DockerHost;
    /** Whether the host is away, so that nothing is waited for. Default: false. */
    away?: boolean;
    /** The exchange with other proxies that serve the same certificate. Default: none; the proxy is the only one. */
    exchange?: AcmeExchange;
}

/** How proxies exchange a certificate. */
export interface AcmeExchange {
    /** Names of all proxies: an earlier one orders before a later one. */
    proxies: string[];
    /** Name of this one. */
    proxy: string;
    /** Socket of the proxy through which it reaches the others, and the one through which others reach it. */
    peersSocket: string;
    exchangeSocket: string;
}

/** Settings that both containers share. */
const hardened = {
    ...containerBasics,
    entrypoints: ["/bin/sh", "-c"],
    restart: "unless-stopped",
    readOnly: true,
    capabilities: { drops: ["ALL"] },
    tmpfs: { "/tmp": "size=16m,mode=1777" },
} satisfies ContainerBasics & Partial<docker.ContainerArgs>;

/**
 * A certificate by ACME (RFC 8555; service contract, section 4, rules 12 and 13), in two containers. The client
 * orders and renews; it can reach the CA but not the proxy's sockets. The deployer checks and loads certificates; it has
 * the sockets but no network. Neither has a published port or the engine's socket. Of several proxies, each has both, and
 * a third container, which exchanges the certificate through the proxies and decides which client orders.
 */
export class AcmeCertificate extends pulumi.ComponentResource {
    /**
     * Expiry time of the served certificate (`notAfter`), RFC 3339. Known once the requested certificate is served. Empty if
     * the host is away.
     */
    readonly notAfter: pulumi.Output<string>;

    constructor(name: string, args: AcmeCertificateArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:AcmeCertificate", name, {}, opts);
        const childOptions = {
            parent: this,
            dependsOn: opts?.dependsOn,
            deleteBeforeReplace: true,
            ignoreChanges: DAEMON_SETTINGS,
        };
        new docker.Container(`${name}-client`, clientContainer(args), childOptions);
        const deployer = new docker.Container(`${name}-deployer`, deployerContainer(args), childOptions);
        if (args.exchange !== undefined) {
            new docker.Container(`${name}-exchange`, exchangeContainer(args, args.exchange), childOptions);
        }
        this.notAfter = pulumi.all([deployer.name, deployer.id]).apply(([container, id]) =>
            this.servedUntil(container, id, args).catch((error: unknown) => {
                throw componentError(this, error);
            }),
        );
        this.registerOutputs({ notAfter: this.notAfter });
    }

    /** Reads from the engine at each update, since renewals happen between updates. */
    private async servedUntil(name: string, id: string, args: AcmeCertificateArgs): Promise<string> {
        const { dockerHost, issueTimeout: timeout } = args;
        if (args.away === true) {
            return "";
        }
        if (!pulumi.runtime.isDryRun()) {
            await waitUntilHealthy([{ name, id }], { hosts: [{ dockerHost }], timeout, component: this });
        }
        const engine = await connectEngine(dockerHost);
        const values = new Map(
            ((await engine.readFile(id, VALUES_FILE)) ?? "")
                .split("\n")
                .map((line) => line.split(" ") as [string, string]),
        );
        const failures = Number(values.get("renewal_failures") ?? 0);
        if (failures > 0) {
            const reason = (await engine.readFile(id, `${ACME_DIRECTORY}/last-failure`)) ?? "";
            await pulumi.log.warn(`the certificate isn't renewed: ${reason.trim()}`, this);
        }
        return new Date(Number(values.get("not_after") ?? 0) * 1000).toISOString();
    }
}

/** The container that orders and renews. */
function clientContainer(args: AcmeCertificateArgs): docker.ContainerArgs {
    const hostnames = pulumi.output(args.hostnames);
    return replacedOnAnyChange({
        ...hardened,
        name: `${args.frontEndName}-acme`,
        image: args.clientImage,
        command: [args.exchange === undefined ? CLIENT_SCRIPT : CLIENT_IN_TURN_SCRIPT],
        user: args.user,
        labels: labelList(args.labels),
        dns: args.nameServers,
        envs: environmentList({
            ...CLIENT_VARIABLES,
            CHECK_INTERVAL: String(args.checkInterval),
            DIRECTORY_URL: args.directoryUrl,
            DNS_PROVIDER: args.dns?.provider ?? "",
            EMAIL: args.email,
            HOSTNAMES: hostnames.apply(acmeHostnames),
            KEY_TYPE: args.keyType,
            PREFLIGHT: String(args.preflight),
            PROPAGATION_WAIT: args.dns?.propagationWait === undefined ? "" : String(args.dns.propagationWait),
            RETRY_INTERVAL: String(args.retryInterval),
            SECRETS: args.configurationFolder,
            SELF_CHECK: args.selfCheck,
            ORDER: hostnames.apply((names) => acmeOrder(args, names)),
        }),
        volumes: [
            { volumeName: args.volumes.acme, containerPath: ACME_DIRECTORY },
            { ...args.configuration, readOnly: true },
        ],
        networksAdvanced: [{ name: args.networkName, ipv4Address: args.address }],
    });
}

/** The container that checks certificates and loads them into the proxy. */
function deployerContainer(args: AcmeCertificateArgs): docker.ContainerArgs {
    const hostnames = pulumi.output(args.hostnames);
    return replacedOnAnyChange({
        ...hardened,
        name: `${args.frontEndName}-certificate`,
        image: args.proxyImage,
        command: [LOADER_SCRIPT],
        user: args.user,
        labels: labelList(args.labels),
        networkMode: "none",
        envs: environmentList({
            ...LOADER_VARIABLES,
            CONFIGURATION: args.configurationFolder,
            HOSTNAMES: hostnames.apply(acmeHostnames),
            RELOAD: args.reload,
            STATS_SOCKET: args.statsSocket,
            ORDER: hostnames.apply((names) => acmeOrder(args, names)),
        }),
        healthcheck: {
            tests: ["CMD", "/bin/sh", "-c", DEPLOYED_CHECK],
            interval: "2s",
            timeout: "5s",
            // The check fails while a certificate is being loaded.
            retries: 3,
            startPeriod: "0s",
            startInterval: "0s",
        },
        volumes: [
            { volumeName: args.volumes.acme, containerPath: ACME_DIRECTORY, readOnly: true },
            { volumeName: args.volumes.certificate, containerPath: CERTIFICATE_DIRECTORY },
            { ...args.configuration, readOnly: true },
            args.sockets,
        ],
    });
}

/** The container that exchanges the certificate with other proxies. It reaches them only through the proxy's sockets. */
function exchangeContainer(args: AcmeCertificateArgs, exchange: AcmeExchange): docker.ContainerArgs {
    const hostnames = pulumi.output(args.hostnames);
    return replacedOnAnyChange({
        ...hardened,
        name: `${args.frontEndName}-exchange`,
        image: args.proxyImage,
        entrypoints: ["perl", "-e"],
        command: [EXCHANGE_SCRIPT],
        user: args.user,
        labels: labelList(args.labels),
        networkMode: "none",
        envs: environmentList({
            ...EXCHANGE_VARIABLES,
            EXCHANGE_SOCKET: exchange.exchangeSocket,
            FRONT_END: exchange.proxy,
            FRONT_ENDS: exchange.proxies.join(" "),
            HOSTNAMES: hostnames.apply(acmeHostnames),
            ORDER: hostnames.apply((names) => acmeOrder(args, names)),
            PEERS_SOCKET: exchange.peersSocket,
        }),
        volumes: [{ volumeName: args.volumes.acme, containerPath: ACME_DIRECTORY }, args.sockets],
    });
}
