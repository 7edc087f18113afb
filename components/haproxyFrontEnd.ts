import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import { AcmeCertificate } from "./acmeCertificate";
import { ACME_DIRECTORY, ACME_SECRETS, ACME_TRUSTED, CERTIFICATE_DIRECTORY, temporaryCertificate } from "./acmeScripts";
import { checkCertificatePem, notAfterOf } from "./certificatePem";
import type { CertificateArgs } from "./certificateSource";
import { containerBasics, DAEMON_SETTINGS, labelList, openFilesLimit, replacedOnAnyChange } from "./containerBasics";
import { engineAllows } from "./enginePreflight";
import {
    HTTP_PORT,
    HTTPS_PORT,
    MASTER_SOCKET,
    renderHaproxyConfig,
    SERVER_STATE_FILE,
    SOCKET_DIRECTORY,
    STATS_SOCKET,
} from "./haproxyConfig";
import { resolveHaproxyFrontEnd, type HaproxyFrontEndSettings } from "./haproxyFrontEndSettings";
import { renderInitialServerStates } from "./haproxyServerState";
import { addressAt, gatewayOf, networkSize } from "./ipv4Network";
import { LABELS } from "./labels";
import { environmentFile } from "./nodeEnvironment";
import { refuse } from "./problem";
import { waitUntilHealthy } from "./readiness";
import { SelfSignedCertificate } from "./selfSignedCertificate";
import type { ClusterEndpoints } from "./storageCluster";
import { CURRENT, VolumeFiles } from "./volumeFiles";

/** Args of {@link HaproxyFrontEnd}. */
export interface HaproxyFrontEndArgs {
    /** The cluster behind: {@link StorageCluster.endpoints}, known once every node is healthy. */
    cluster: pulumi.Input<ClusterEndpoints>;
    /** Public hostname of the S3 API. A change is loaded without replacing the proxy. */
    s3Host: string;
    /** Public hostname of the console, another one. A change is loaded without replacing the proxy. */
    consoleHost: string;
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
     * quarter of `openFiles`, which is half of all that the proxy takes. A change is loaded without replacing the proxy.
     */
    maxConnectionsPerAddress?: number;
    /**
     * Whether Pulumi refuses to delete the self-signed certificate's authority, and the volumes with the ACME account, its keys
     * and certificates. Default: true.
     */
    retainCertificates?: boolean;
    /** Limit for the proxy to become healthy, and for a configuration to be loaded, in seconds, 10 to 3600. Default: 60. */
    readyTimeout?: number;
    /** Docker host that the provider uses, where it is not DOCKER_HOST or the default socket. */
    dockerHost?: string;
}

/** Folder in the proxy's container that holds its configuration and certificate. */
const CONFIGURATION_DIRECTORY = "/usr/local/etc/haproxy";

/** Seconds that requests have to end when the proxy's container is replaced (docs/architecture.md has what was measured). */
const REPLACED_WITHIN_SECONDS = 2;

/** User and group of HAProxy's official image. */
const HAPROXY_USER = "99:99";

/** Name of the file beside haproxy.cfg with the states that servers have at the proxy's start. */
const INITIAL_SERVER_STATES = "servers.state";

/** Name of the PEM file beside haproxy.cfg. */
const CERTIFICATE_FILE = "certificate.pem";

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
    /** Certificate of the authority that clients have to trust; empty where a certificate was given. */
    readonly caCertificate: pulumi.Output<string>;
    /** End of the served certificate's validity, RFC 3339. */
    readonly certificateNotAfter: pulumi.Output<string>;
    /** Name of the proxy's container. */
    readonly containerName: pulumi.Output<string>;

    constructor(name: string, args: HaproxyFrontEndArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:HaproxyFrontEnd", name, {}, opts);
        const settings = resolveHaproxyFrontEnd(name, args);
        const childOptions = { parent: this, dependsOn: engineAllows("HaproxyFrontEnd", settings.demands) };
        const labels = {
            [LABELS.frontEnd]: settings.frontEndName,
            [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
        };

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
                hostnames: [settings.s3Host, settings.consoleHost],
                retainAuthority: settings.retainCertificates,
            },
            childOptions,
        );
        const volumes = certificateVolumes(name, settings, labels, childOptions);
        const served = servedFiles(settings, selfSigned);
        const network = new docker.Network(
            `${name}-network`,
            {
                name: `${settings.frontEndName}-public`,
                driver: "bridge",
                ipamConfigs: [{ subnet: settings.publicSubnet, gateway: gatewayOf(settings.publicSubnet) }],
                labels: labelList(labels),
            },
            childOptions,
        );
        const sockets = new docker.Volume(
            `${name}-sockets`,
            { name: `${settings.frontEndName}-sockets`, labels: labelList(labels) },
            { ...childOptions, ignoreChanges: ["labels"] },
        );
        const configuration = new VolumeFiles(
            `${name}-configuration`,
            {
                volumeName: `${settings.frontEndName}-configuration`,
                writerName: `${settings.frontEndName}-configure`,
                image: image.imageId,
                files: {
                    "haproxy.cfg": haproxyConfig(settings, served),
                    [INITIAL_SERVER_STATES]: settings.cluster.apply(renderInitialServerStates),
                    ...served.files,
                },
                owner: HAPROXY_USER,
                ownedVolumes: [
                    { volumeName: sockets.name, containerPath: SOCKET_DIRECTORY },
                    { volumeName: volumes.acme, containerPath: ACME_DIRECTORY },
                    { volumeName: volumes.certificate, containerPath: CERTIFICATE_DIRECTORY },
                ],
                check: [...served.preparation, "haproxy -c -f haproxy.cfg"].join("\n"),
                announce: RELOAD,
                labels,
                dockerHost: settings.dockerHost,
                timeout: settings.readyTimeout,
            },
            childOptions,
        );
        const proxy = new docker.Container(
            name,
            replacedOnAnyChange({
                ...containerBasics,
                // Its ports are closed from the stop signal on: whatever it waits for, everybody waits for.
                destroyGraceSeconds: REPLACED_WITHIN_SECONDS,
                name: `${settings.frontEndName}-proxy`,
                image: image.imageId,
                entrypoints: ["/bin/sh", "-c"],
                command: [START_SCRIPT],
                user: HAPROXY_USER,
                restart: "unless-stopped",
                readOnly: true,
                capabilities: { drops: ["ALL"] },
                // A soft stop: connections in use may end, new ones are refused (HAProxy management guide, section 4).
                stopSignal: "SIGUSR1",
                healthcheck: {
                    tests: ["CMD", "perl", "-MIO::Socket::INET", "-e", HEALTH_CHECK],
                    interval: "2s",
                    timeout: "5s",
                    retries: 3,
                    startPeriod: "10s",
                    startInterval: "0s",
                },
                labels: labelList(labels),
                volumes: [
                    {
                        volumeName: configuration.volumeName,
                        containerPath: CONFIGURATION_DIRECTORY,
                        readOnly: true,
                    },
                    { volumeName: sockets.name, containerPath: SOCKET_DIRECTORY },
                    { volumeName: volumes.certificate, containerPath: CERTIFICATE_DIRECTORY, readOnly: true },
                ],
                networksAdvanced: [{ name: network.name }, { name: settings.cluster.networkName }],
                ports: [
                    { internal: HTTP_PORT, external: settings.httpPort, ip: settings.publishAddress, protocol: "tcp" },
                    {
                        internal: HTTPS_PORT,
                        external: settings.httpsPort,
                        ip: settings.publishAddress,
                        protocol: "tcp",
                    },
                ],
                ulimits: openFilesLimit(settings.openFiles),
            }),
            {
                ...childOptions,
                dependsOn: configuration.written,
                deleteBeforeReplace: true,
                ignoreChanges: DAEMON_SETTINGS,
            },
        );
        const serving = whenHealthy(this, proxy, settings);
        const acme =
            settings.certificate.kind === "acme"
                ? new AcmeCertificate(
                      `${name}-acme`,
                      {
                          ...settings.certificate,
                          frontEndName: settings.frontEndName,
                          hostnames: [settings.s3Host, settings.consoleHost],
                          user: HAPROXY_USER,
                          proxyImage: image.imageId,
                          networkName: network.name,
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

/** Starts HAProxy with the servers' initial states in place of those that a former one has left. */
const START_SCRIPT = [
    `cp ${CONFIGURATION_DIRECTORY}/${CURRENT}/${INITIAL_SERVER_STATES} ${SERVER_STATE_FILE}`,
    `exec haproxy -W -db -S ${MASTER_SOCKET} -f ${CONFIGURATION_DIRECTORY}/${CURRENT}/haproxy.cfg`,
].join(" && ");

/** Healthy when the redirect of port 80 answers. */
const HEALTH_CHECK = [
    `my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:${HTTP_PORT}", Timeout => 4) or die "no answer: $@\\n";`,
    'print $s "GET / HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n"; my $line = <$s> // ""; print $line;',
    "exit($line =~ m{^HTTP/1.. 301 } ? 0 : 1)",
].join(" ");

/**
 * Notes the servers' states, asks a running master to load the files in force, and prints its answer, which ends with
 * its log. Where no master runs there is nothing to tell: the next one starts with them. One reload at a time.
 */
const RELOAD = `perl -MIO::Socket::UNIX -MFcntl=:flock -e '
open(my $lock, ">", "${SOCKET_DIRECTORY}/reload.lock") or die "lock: $!"; flock($lock, LOCK_EX) or die "lock: $!";
chown(${HAPROXY_USER.replace(":", ", ")}, "${SOCKET_DIRECTORY}/reload.lock");
sub ask { my $s = IO::Socket::UNIX->new(Peer => $_[0]) or return; print $s "$_[1]\\n"; my @l = <$s>; @l ? @l : ("no answer\\n") }
my @states = ask("${STATS_SOCKET}", "show servers state");
if (@states > 1) {
    open(my $file, ">", "${SERVER_STATE_FILE}.next") or die; print $file @states; close($file) or die;
    chown(${HAPROXY_USER.replace(":", ", ")}, "${SERVER_STATE_FILE}.next") or die;
    rename("${SERVER_STATE_FILE}.next", "${SERVER_STATE_FILE}") or die;
}
my @answer = ask("${MASTER_SOCKET}", "reload") or exit 0;
print @answer;
exit($answer[0] =~ /^Success=1/ ? 0 : 1)'`;

/** The URL of a hostname, with its port where that is not the usual one. */
export function url(hostname: string, httpsPort: number): string {
    return `https://${hostname}${httpsPort === 443 ? "" : `:${httpsPort}`}`;
}

/** What is served, as the configuration's volume has it. */
interface ServedFiles {
    files: { [name: string]: pulumi.Output<string> };
    /** Shell commands that make what the configuration names besides these files. */
    preparation: string[];
    /** Certificate of the authority that clients have to trust; empty where it is for them to know. */
    caCertificate: pulumi.Output<string>;
    /** End of validity of what lies in these files, RFC 3339. */
    notAfter: pulumi.Output<string>;
}

/** A certificate whose end is so near is warned of, in milliseconds: 14 days. */
const WARNED_BEFORE = 14 * 24 * 3600 * 1000;

function servedFiles(
    { certificate, s3Host, consoleHost }: HaproxyFrontEndSettings,
    selfSigned: SelfSignedCertificate,
): ServedFiles {
    const hostnames = [s3Host, consoleHost];
    switch (certificate.kind) {
        case "selfSigned":
            return {
                files: { [CERTIFICATE_FILE]: selfSigned.pem },
                preparation: [],
                caCertificate: selfSigned.caCertificate,
                notAfter: selfSigned.notAfter,
            };
        case "given": {
            const pem = pulumi.secret(certificate.pem).apply(async (given) => {
                refuse("HaproxyFrontEnd", checkCertificatePem("certificate.pem", given, hostnames, new Date()));
                const notAfter = notAfterOf(given);
                if (Date.parse(notAfter) - Date.now() < WARNED_BEFORE) {
                    await pulumi.log.warn(`the given certificate ends at ${notAfter}: give a renewed one before`);
                }
                return given;
            });
            return {
                files: { [CERTIFICATE_FILE]: pem },
                preparation: [],
                caCertificate: pulumi.output(""),
                notAfter: pulumi.unsecret(pem.apply(notAfterOf)),
            };
        }
        case "acme": {
            const { externalAccountBinding: binding, trustedCertificates: trusted } = certificate;
            const account = binding && {
                [ACME_SECRETS]: environmentFile({
                    LEGO_EAB_KID: binding.keyId,
                    LEGO_EAB_HMAC: pulumi.secret(binding.hmacKey),
                }),
            };
            return {
                files: { ...account, ...(trusted && { [ACME_TRUSTED]: pulumi.output(trusted) }) },
                preparation: [temporaryCertificate(hostnames)],
                caCertificate: pulumi.output(""),
                notAfter: pulumi.output(""),
            };
        }
    }
}

/** The volumes of a certificate by ACME. They stay, and are mounted, whatever is served, so that a switch is a reload. */
function certificateVolumes(
    name: string,
    { frontEndName, certificate, retainCertificates }: HaproxyFrontEndSettings,
    labels: { [name: string]: string },
    opts: pulumi.CustomResourceOptions,
): { acme: pulumi.Output<string>; certificate: pulumi.Output<string> } {
    const protect = retainCertificates && certificate.kind === "acme";
    const volume = (place: string) =>
        new docker.Volume(
            `${name}-${place}-volume`,
            { name: `${frontEndName}-${place}`, labels: labelList(labels) },
            { ...opts, protect, ignoreChanges: ["labels"] },
        ).name;
    return { acme: volume("acme"), certificate: volume("certificate") };
}

/** The ACME client's address: the last of the network, far from those that Docker gives out. */
function acmeAddress({ publicSubnet }: HaproxyFrontEndSettings): string {
    return addressAt(publicSubnet, networkSize(publicSubnet) - 2);
}

/** Tells this proxy from every other. */
function selfCheck({ frontEndName }: HaproxyFrontEndSettings): string {
    return createHash("sha256")
        .update([pulumi.getProject(), pulumi.getStack(), frontEndName].join("/"))
        .digest("hex")
        .slice(0, 32);
}

function haproxyConfig(settings: HaproxyFrontEndSettings, served: ServedFiles): pulumi.Output<string> {
    return pulumi.all([settings.cluster, served.notAfter]).apply(([cluster, notAfter]) =>
        renderHaproxyConfig({
            ...settings,
            cluster,
            certificate:
                settings.certificate.kind === "acme"
                    ? { acmeAddress: acmeAddress(settings), selfCheck: selfCheck(settings) }
                    : { file: CERTIFICATE_FILE, notAfter },
        }),
    );
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
