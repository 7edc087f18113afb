import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { AcmeCertificate, acmeClientImage } from "../certificate/acmeCertificate";
import { ACME_DIRECTORY, CERTIFICATE_DIRECTORY } from "../certificate/acmeScripts";
import type { CertificateArgs } from "../certificate/certificateSource";
import { DAEMON_SETTINGS, labelList, replacedOnAnyChange } from "../engine/containerBasics";
import { ContainerProbe } from "../preflight/containerProbe";
import { dockerHostOf } from "../engine/dockerHost";
import { engineAllows } from "../preflight/enginePreflight";
import {
    renderHaproxyConfig,
    SOCKET_DIRECTORY,
    STATS_SOCKET,
    type ChangingCertificate,
    type FixedCertificate,
} from "../haproxy/config";
import type { FrontEndService, FrontEndStore } from "./frontEndBackends";
import { resolveHaproxyFrontEnd, type HaproxyFrontEndSettings } from "./haproxyFrontEndSettings";
import { renderInitialServerStates } from "../haproxy/serverState";
import { gatewayOf } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";
import { CONFIGURATION_DIRECTORY, HAPROXY_USER, INITIAL_SERVER_STATES, proxyContainer, RELOAD } from "./proxyContainer";
import { refuse } from "../inputs/problem";
import { waitUntilHealthy } from "../engine/readiness";
import { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import {
    acmeAddress,
    certificateVolumes,
    configuredCertificate,
    selfCheck,
    servedCertificate,
} from "./servedCertificate";
import type { ClusterEndpoints } from "../cluster/storageCluster";
import { CURRENT, VolumeFiles } from "../engine/volumeFiles";

/** Args of {@link HaproxyFrontEnd}. */
export interface HaproxyFrontEndArgs {
    /**
     * The cluster behind: {@link StorageCluster.endpoints}, known once every node is healthy. With the two hostnames it is
     * the short form of `stores` for one store, and excludes that.
     */
    cluster?: pulumi.Input<ClusterEndpoints>;
    /** Public hostname of the S3 API. A change is loaded without replacing the proxy. */
    s3Host?: string;
    /** Public hostname of the console, another one. A change is loaded without replacing the proxy. */
    consoleHost?: string;
    /**
     * Several stores, each with hostnames of its own, at least one. The outputs are those of the first. Default: one, of
     * `cluster`. Stores keep their backends whatever comes and goes beside them; one more or less replaces the proxy.
     */
    stores?: FrontEndStore[];
    /** Other services by hostnames of their own. Default: none. One more on another network replaces the proxy. */
    services?: FrontEndService[];
    /** Port of the host for HTTP, 1 to 65535: redirected to HTTPS. Default: 80. A change replaces the proxy. */
    httpPort?: number;
    /** Port of the host for HTTPS, 1 to 65535. Default: 443. A change replaces the proxy. */
    httpsPort?: number;
    /** Address of the host that both ports are published on. Default: `0.0.0.0`. A change replaces the proxy. */
    publishAddress?: string;
    /** Where the certificate comes from. Default: self-signed. A change is loaded without replacing the proxy. */
    certificate?: CertificateArgs;
    /** Image of HAProxy 3.2 on Debian, with an exact version. Default: `haproxy:3.2.26`. A change replaces the proxy. */
    image?: pulumi.Input<string>;
    /** Name on the Docker host, prefix of its container, volumes and network. Default: the component's name. */
    frontEndName?: string;
    /**
     * Limit of open files, 1024 to 1048576; HAProxy takes half as many connections. Default: 20000. A change replaces
     * the proxy.
     */
    openFiles?: number;
    /**
     * IPv4 network that clients' connections come by, in CIDR notation, /16 to /29. Default: a /24 within 10.192.0.0/11
     * that follows from the front end's name. A change replaces the network and the proxy.
     */
    publicSubnet?: string;
    /**
     * Name of a Docker network that is there already, which clients come by in place of one of the front end's own; not an
     * internal one. An ACME client takes the last of its addresses. Default: a network of its own, with `publicSubnet`.
     * A change replaces the proxy.
     */
    publicNetworkName?: pulumi.Input<string>;
    /**
     * Networks, in CIDR notation, from which the store's admin API may be used on the S3 hostname. A network that holds
     * a gateway of the proxy's own networks is refused: whoever comes by way of the Docker host itself, and every IPv6
     * client, has that address. Default: none, 403 for everybody. A change is loaded without replacing the proxy.
     */
    adminNetworks?: string[];
    /**
     * Networks, in CIDR notation, that the console's hostname is open to; others get 403. Refused where it holds a
     * gateway, as for `adminNetworks`. Default: open to everybody. A change is loaded without replacing the proxy.
     */
    consoleNetworks?: string[];
    /**
     * Seconds for which browsers use nothing but HTTPS for these hostnames (`Strict-Transport-Security`, RFC 6797), 0 to
     * 315360000; 0 ends it. It can't be taken back before browsers have heard so. Default: the header isn't sent. A
     * change is loaded without replacing the proxy.
     */
    hstsMaxAge?: number;
    /**
     * Connections that one address may have at once, over both ports, 1 to 1048576; more are closed at once. Default: a
     * quarter of `openFiles`, which is half of all that the proxy takes. As many requests of one address
     * run at once, of which HTTP/2 has a hundred on one connection; more get 503 `SlowDown`. A change is loaded without
     * replacing the proxy.
     */
    maxConnectionsPerAddress?: number;
    /**
     * Seconds from a reload after which what still runs of before it is cut off, 60 to 604800 (HAProxy manual, `hard-stop-after`).
     * Until then a transfer goes on for as long as it moves, in a process of its own that takes some 10 MB of memory besides its
     * connections; 50 of these at most, one for each reload that a transfer has outlived. Default: 86400, a day. A change is loaded
     * without replacing the proxy.
     */
    hardStopAfter?: number;
    /**
     * Which of the addresses that a node network keeps for proxies this one takes, 1 to 6: another one for each proxy of the same
     * cluster. Without effect for stores that trust no address. Default: 1. A change replaces the proxy.
     */
    proxyNumber?: number;
    /**
     * What the proxy's access log is made of: `text`, HAProxy's own format; `json`, one object a line, with an id of each
     * request that the answer tells too (`X-Request-Id`); or `errors`, the text of requests that failed alone (HAProxy manual,
     * `option dontlog-normal`), which saves a fifth of the proxy's CPU where objects are small. Default: `text`. A change is loaded
     * without replacing the proxy.
     */
    accessLog?: string;
    /**
     * Whether Pulumi refuses to delete the self-signed certificate's authority, and the volumes with the ACME account, its keys
     * and certificates. Default: true.
     */
    retainCertificates?: boolean;
    /** Limit for the proxy to become healthy, and for a configuration to be loaded, in seconds, 10 to 3600. Default: 60. */
    readyTimeout?: number;
    /** More labels for the containers, such as a team or a cost centre. Default: none. A change replaces the proxy. */
    labels?: { [name: string]: string };
    /**
     * Host of the engine that the Docker provider deploys to, for what the program itself asks of it. Default: that of the provider that is
     * passed to the component, else of the config keys (`docker:context`, `docker:host` …), else of the environment, as the provider takes
     * them. Refused where the provider talks to another engine.
     */
    dockerHost?: pulumi.Input<string>;
}

/**
 * HAProxy as the one way in: it ends TLS, routes by hostname, and publishes the only ports
 * (service contract, sections 1, 3, 4 and 8). It starts once the cluster behind is healthy.
 *
 * Its configuration and certificate lie in a volume. A change is judged by `haproxy -c` of the proxy's own image,
 * then loaded by a reload; the container is replaced only for its image, ports, address and limits.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created, with every problem of the args at once.
 */
export class HaproxyFrontEnd extends pulumi.ComponentResource {
    /** URL of the S3 API. Known once the proxy serves it. */
    readonly s3Endpoint: pulumi.Output<string>;
    /** URL of the console. Known once the proxy serves it. */
    readonly consoleUrl: pulumi.Output<string>;
    /** Certificate of the authority that clients have to trust; empty where it is for them to know. */
    readonly caCertificate: pulumi.Output<string>;
    /** End of the served certificate's validity, RFC 3339. */
    readonly certificateNotAfter: pulumi.Output<string>;
    /** Name of the proxy's container. */
    readonly containerName: pulumi.Output<string>;

    constructor(name: string, args: HaproxyFrontEndArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:HaproxyFrontEnd", name, {}, opts);
        const settings = resolveHaproxyFrontEnd(name, args, dockerHostOf(this, args.dockerHost));
        const childOptions = {
            parent: this,
            dependsOn: engineAllows("HaproxyFrontEnd", settings.demands, opts?.dependsOn),
        };
        const ownLabels = {
            [LABELS.frontEnd]: settings.frontEndName,
            [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
        };
        const labels = { ...settings.labels, ...ownLabels };

        const image = new docker.RemoteImage(
            `${name}-image`,
            { name: settings.image, keepLocally: true },
            childOptions,
        );
        // Whatever is served: neither what clients trust nor an ACME account is deleted by a switch.
        const selfSigned = new SelfSignedCertificate(
            `${name}-certificate`,
            {
                ...(settings.certificate.kind === "selfSigned" ? settings.certificate : {}),
                hostnames: settings.hostnames,
                retainAuthority: settings.retainCertificates,
            },
            childOptions,
        );
        const volumes = certificateVolumes(name, settings, ownLabels, childOptions);
        const served = servedCertificate(settings, selfSigned);
        // Before anything is changed: what obtains the next certificate is then sure to be there.
        const clientImage =
            settings.certificate.kind === "acme"
                ? acmeClientImage(`${name}-acme`, settings.certificate.image, childOptions)
                : undefined;
        const sockets = new docker.Volume(
            `${name}-sockets`,
            { name: `${settings.frontEndName}-sockets`, labels: labelList(ownLabels) },
            { ...childOptions, ignoreChanges: ["labels"] },
        );
        const configurationVolume = `${settings.frontEndName}-configuration`;
        const parts = {
            image: image.imageId,
            sockets: sockets.name,
            certificate: volumes.certificate,
            labels,
        };
        const probe = ContainerProbe.of("HaproxyFrontEnd", settings.frontEndName, LABELS.frontEnd, settings.dockerHost);
        probe.add(
            `${settings.frontEndName}-proxy`,
            proxyContainer(settings, { ...parts, network: networkName(settings), configuration: configurationVolume }),
        );
        const edgeOptions = {
            parent: this,
            dependsOn: soundEdge(
                settings,
                probe,
                childOptions.dependsOn,
                clientImage === undefined ? [] : [clientImage],
            ),
        };
        // A network that is replaced takes the proxy with it: not before all that may be refused has passed, nor while nodes roll.
        const network = settings.publicNetworkName ?? publicNetwork(name, settings, ownLabels, edgeOptions);
        const configuration = new VolumeFiles(
            `${name}-configuration`,
            {
                volumeName: configurationVolume,
                writerName: `${settings.frontEndName}-configure`,
                image: image.imageId,
                files: {
                    "haproxy.cfg": haproxyConfig(settings, configuredCertificate(settings, served)),
                    [INITIAL_SERVER_STATES]: settings.stores.apply(renderInitialServerStates),
                    ...served.files,
                },
                owner: HAPROXY_USER,
                ownedVolumes: [
                    { volumeName: sockets.name, containerPath: SOCKET_DIRECTORY },
                    { volumeName: volumes.acme, containerPath: ACME_DIRECTORY },
                    { volumeName: volumes.certificate, containerPath: CERTIFICATE_DIRECTORY },
                ],
                check: [served.preparation ?? [], "haproxy -c -f haproxy.cfg"].flat().join("\n"),
                announce: RELOAD,
                environment: served.environment,
                labels,
                dockerHost: settings.dockerHost,
                timeout: settings.readyTimeout,
            },
            edgeOptions,
        );
        const proxy = new docker.Container(
            name,
            replacedOnAnyChange(
                proxyContainer(settings, { ...parts, network, configuration: configuration.volumeName }),
            ),
            {
                ...childOptions,
                dependsOn: configuration.written,
                deleteBeforeReplace: true,
                ignoreChanges: DAEMON_SETTINGS,
            },
        );
        const serving = whenHealthy(this, proxy, settings);
        const acme =
            settings.certificate.kind === "acme" && clientImage !== undefined
                ? new AcmeCertificate(
                      `${name}-acme`,
                      {
                          ...settings.certificate,
                          frontEndName: settings.frontEndName,
                          hostnames: settings.hostnames,
                          user: HAPROXY_USER,
                          clientImage: clientImage.imageId,
                          proxyImage: image.imageId,
                          networkName: network,
                          address: acmeAddress(settings),
                          selfCheck: selfCheck(settings),
                          volumes,
                          configuration: {
                              volumeName: configuration.volumeName,
                              containerPath: CONFIGURATION_DIRECTORY,
                          },
                          configurationFolder: `${CONFIGURATION_DIRECTORY}/${CURRENT}`,
                          sockets: { volumeName: sockets.name, containerPath: SOCKET_DIRECTORY },
                          statsSocket: STATS_SOCKET,
                          reload: RELOAD,
                          labels,
                          dockerHost: settings.dockerHost,
                      },
                      // Port 80 of the proxy leads challenges to the client.
                      { parent: this, dependsOn: proxy },
                  )
                : undefined;

        this.s3Endpoint = serving.apply(() => url(settings.s3Host, settings.httpsPort));
        this.consoleUrl = serving.apply(() => url(settings.consoleHost, settings.httpsPort));
        this.caCertificate = served.caCertificate;
        this.certificateNotAfter = acme?.notAfter ?? served.notAfter;
        this.containerName = proxy.name;
        this.registerOutputs({
            s3Endpoint: this.s3Endpoint,
            consoleUrl: this.consoleUrl,
            caCertificate: this.caCertificate,
            certificateNotAfter: this.certificateNotAfter,
            containerName: this.containerName,
        });
    }
}

/** The URL of a hostname, with its port where that is not the usual one. */
export function url(hostname: string, httpsPort: number): string {
    return `https://${hostname}${httpsPort === 443 ? "" : `:${httpsPort}`}`;
}

/**
 * What is seen only once clusters and networks are known is judged here, and the engine is asked whether it takes the proxy, for the one resource that everything behind it waits for:
 * a rejection that many outputs share is followed through each way from one to the other, which can take forever.
 */
function soundEdge(
    { problems }: HaproxyFrontEndSettings,
    probe: ContainerProbe,
    dependsOn: pulumi.Output<pulumi.Resource[]>,
    images: docker.RemoteImage[],
): pulumi.Output<pulumi.Resource[]> {
    // Once the rest is sound, since whatever is refused first ends the update.
    const passed = pulumi.output(dependsOn).apply(() => probe.passed());
    return pulumi.all([problems, dependsOn, passed]).apply(([found, resources]) => {
        refuse("HaproxyFrontEnd", found);
        return [...resources, ...images];
    });
}

/** Name of the network that the proxy's ports are published on. */
function networkName({ publicNetworkName, frontEndName }: HaproxyFrontEndSettings): pulumi.Input<string> {
    return publicNetworkName ?? `${frontEndName}-public`;
}

function publicNetwork(
    name: string,
    settings: HaproxyFrontEndSettings,
    labels: { [name: string]: string },
    opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
    const subnet = settings.publicSubnet;
    return new docker.Network(
        `${name}-network`,
        {
            name: networkName(settings),
            driver: "bridge",
            ipamConfigs: [{ subnet, gateway: subnet.apply((network) => gatewayOf(network)) }],
            labels: labelList(labels),
        },
        // A renamed stack is no reason to replace it, and the proxy with it.
        { ...opts, ignoreChanges: ["labels"] },
    ).name;
}

function haproxyConfig(
    settings: HaproxyFrontEndSettings,
    certificate: pulumi.Output<FixedCertificate | ChangingCertificate>,
): pulumi.Output<string> {
    return pulumi
        .all([settings.stores, certificate])
        .apply(([stores, configured]) => renderHaproxyConfig({ ...settings, stores, certificate: configured }));
}

/** Resolves once the proxy answers. In a preview nothing is waited for. */
function whenHealthy(
    component: pulumi.Resource,
    proxy: docker.Container,
    { dockerHost, readyTimeout: timeout }: HaproxyFrontEndSettings,
): pulumi.Output<void> {
    return pulumi.all([proxy.name, proxy.id]).apply(async ([name, id]) => {
        if (!pulumi.runtime.isDryRun()) {
            await waitUntilHealthy([{ name, id }], { dockerHost, timeout, component });
        }
    });
}
