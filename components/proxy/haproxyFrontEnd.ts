import { clientNetwork, networkName, publicNetwork } from "./publicNetwork";
import { url } from "../naming/endpointUrl";
import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { connectEngine } from "../docker/connectEngine";
import { awaitedByProgram, outputsAwaitedByProgram } from "../pulumi/awaitedByProgram";
import { AcmeCertificate } from "../certificate/acmeCertificate";
import type { AcmeSettings } from "../certificate/acmeSettings";
import { missingProvider } from "../certificate/dnsProviderProbe";
import { ACME_DIRECTORY, CERTIFICATE_DIRECTORY } from "../certificate/acmeScripts";
import { DAEMON_SETTINGS } from "../docker/containerBasics";
import { allLabels, inputsDigest, labelList, replacedOnAnyChange } from "../docker/containerArgs";
import type { DockerEngine } from "../docker/engine";
import { ContainerProbe } from "../requirements/containerTrialStart";
import { refuseWithoutIpv6 } from "../requirements/ipv6Probe";
import { dockerHostOf } from "../docker/providerHost";
import { engineAllows } from "../requirements/run";
import { isAway, snapshotOf } from "../settings/context";
import { script } from "../docker/script";
import { renderHaproxyConfig } from "../haproxyConfig/config";
import { HANGING_REQUESTS_PROGRAM } from "../haproxyConfig/hangingRequests";
import { STARTED_NODES_PROGRAM } from "../haproxyConfig/startedNodes";
import type { ChangingCertificate, FixedCertificate } from "../haproxyConfig/args";
import { EXCHANGE_SOCKET, PEERS_SOCKET, SOCKET_DIRECTORY, STATS_SOCKET } from "../proxyControl/proxyFiles";
import { storesOf } from "../settings/proxyBackends";
import { frontEndOptions, type DesiredProxy, type FrontEndOptions } from "../settings/proxyGroup";
import { resolveHaproxyFrontEnd, type HaproxyFrontEndSettings } from "../settings/proxySettings";
import { renderInitialServerStates } from "../haproxyConfig/serverState";
import { LABELS } from "../naming/labels";
import { CONFIGURATION_DIRECTORY, HAPROXY_USER, INITIAL_SERVER_STATES, proxyContainer, RELOAD } from "./proxyContainer";
import { componentError, refuse } from "../checks/refusal";
import { settled } from "../pulumi/settled";
import { remoteImage } from "../docker/remoteImage";
import { haproxyVulnerabilities, legoVulnerabilities } from "../store/knownVulnerabilities";
import { warnOfVulnerabilities } from "../store/vulnerabilityWarnings";
import { waitUntilHealthy } from "../docker/readiness";
import { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import { createdNetworks, joinNetworks, leaveNetworks, type CreatedNetworks } from "./joinedNetworks";
import { untilStoresServe } from "./servingStores";
import { acmeAddress, certificateKind, certificateVolumes, selfCheck } from "./certificateKind";
import { VolumeFiles } from "../docker/volumeFiles";
import { CURRENT } from "../naming/containerFiles";
import { changesNothing } from "../pulumi/pulumiCommand";

/** The URLs of one store behind a front end. */
export interface StoreUrls {
    /** URL of the S3 API. */
    s3Endpoint: string;
    /** URL of the console. */
    consoleUrl: string;
}

/**
 * HAProxy as the only entry point: it terminates TLS, routes by hostname, and publishes the only ports (service contract,
 * sections 1, 3, 4 and 8). It starts once the cluster behind it is healthy.
 *
 * Its configuration and certificate are in a volume. A change is checked by `haproxy -c` of the proxy's own image, then
 * loaded by a reload. The container is replaced only if its image, ports, address or limits change.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created; it lists all problems of the args.
 */
export class HaproxyFrontEnd extends pulumi.ComponentResource {
    /** URL of the S3 API. Known once the proxy serves it. */
    readonly s3Endpoint: pulumi.Output<string>;
    /** URL of the console. Known once the proxy serves it. */
    readonly consoleUrl: pulumi.Output<string>;
    /** The same URLs for each store, in the order of the args. */
    readonly storeUrls: pulumi.Output<StoreUrls[]>;
    /** Certificate of the CA that clients must trust. Empty with `certificate.pem` and `certificate.acme`. */
    readonly caCertificate: pulumi.Output<string>;
    /** Expiry time of the served certificate (`notAfter`), RFC 3339. */
    readonly certificateNotAfter: pulumi.Output<string>;
    /** Name of the proxy's container. */
    readonly containerName: pulumi.Output<string>;

    constructor(name: string, args: HaproxyFrontEndArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:HaproxyFrontEnd", name, {}, opts);
        outputsAwaitedByProgram(this);
        const away = isAway(opts);
        const settings = resolveHaproxyFrontEnd(name, args, dockerHostOf(this, args.dockerHost), away);
        const childOptions = {
            parent: this,
            dependsOn: engineAllows(
                "HaproxyFrontEnd",
                snapshotOf(opts) ? undefined : settings.demands,
                opts?.dependsOn,
            ),
        };
        const ownLabels = {
            [LABELS.frontEnd]: settings.frontEndName,
            [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
        };
        const labels = allLabels(settings.labels, ownLabels);

        const connect = () => connectEngine(settings.dockerHost);
        const release = away ? undefined : async (reference: string) => (await connect()).imageRelease(reference);
        const ofProxy = { property: "the proxy's image", image: settings.image, known: haproxyVulnerabilities };
        warnOfVulnerabilities(this, { ...ofProxy, release });
        const image = remoteImage(`${name}-image`, settings.image, away ? undefined : connect, childOptions);
        const { group, selfSigned: shared, checkedFrom } = frontEndOptions(opts);
        const kind = certificateKind(settings, group);
        // Created for every kind of certificate: a switch to another kind must delete neither the CA that clients trust nor
        // an ACME account.
        const selfSigned =
            shared ??
            new SelfSignedCertificate(
                `${name}-certificate`,
                {
                    ...kind.selfSigned,
                    hostnames: settings.hostnames,
                    retainCa: settings.retainCertificates,
                },
                childOptions,
            );
        const volumes = certificateVolumes(name, settings, kind, ownLabels, childOptions);
        const served = kind.served(selfSigned);
        // Pulled before anything is changed, so that the client that obtains the next certificate is certainly available.
        const clientImage =
            kind.acme && remoteImage(`${name}-acme-image`, kind.acme.image, away ? undefined : connect, childOptions);
        if (kind.acme !== undefined) {
            const ofClient = { property: "certificate.acme.image", image: kind.acme.image, known: legoVulnerabilities };
            warnOfVulnerabilities(this, { ...ofClient, release });
        }
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
        const containerWith = (networks: pulumi.Input<CreatedNetworks>) =>
            proxyContainer(settings, {
                ...parts,
                network: networkName(settings),
                configuration: configurationVolume,
                created: networks,
            });
        const created = createdNetworks(settings, away, (networks) => inputsDigest(containerWith(networks)));
        const desired = containerWith(created);
        probe.add(`${settings.frontEndName}-proxy`, desired);
        const edgeOptions = {
            parent: this,
            dependsOn: soundEdge(
                this,
                settings,
                () =>
                    away
                        ? Promise.resolve()
                        : probe
                              .passed()
                              .then(() => ipv6Accepted(settings, image.imageId))
                              .then(() => providerAccepted(settings, kind.acme, clientImage?.imageId)),
                childOptions.dependsOn,
                clientImage === undefined ? [] : [clientImage],
                created,
            ),
        };
        const configuration = new VolumeFiles(
            `${name}-configuration`,
            {
                volumeName: configurationVolume,
                writerName: `${settings.frontEndName}-configure`,
                image: image.imageId,
                files: {
                    "haproxy.cfg": haproxyConfig(settings, served.configured, checkedFrom),
                    [INITIAL_SERVER_STATES]: settings.stores.apply(renderInitialServerStates),
                    ...served.files,
                    ...settings.moveFiles,
                    [HANGING_REQUESTS_PROGRAM]: script(__dirname, HANGING_REQUESTS_PROGRAM),
                    [STARTED_NODES_PROGRAM]: script(__dirname, STARTED_NODES_PROGRAM),
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
                away,
            },
            edgeOptions,
        );
        const replaceable = whenReplaceable(this, configuration.written, frontEndOptions(opts), {
            inputs: inputsDigest(desired),
            network: clientNetwork(settings),
        });
        // A replaced network takes the proxy with it. It is therefore replaced only after the files exist that the next
        // proxy starts with.
        const network =
            settings.publicNetworkName ??
            publicNetwork(name, settings, ownLabels, { parent: this, dependsOn: replaceable });
        const proxy = new docker.Container(
            name,
            replacedOnAnyChange(
                proxyContainer(settings, { ...parts, network, configuration: configuration.volumeName, created }),
            ),
            {
                ...childOptions,
                dependsOn: pulumi.all([replaceable, settings.storesReady]).apply(([resources]) => resources),
                deleteBeforeReplace: true,
                ignoreChanges: DAEMON_SETTINGS,
            },
        );
        const serving = away ? pulumi.output(undefined) : whenHealthy(this, proxy, settings);
        const acme =
            kind.acme !== undefined && clientImage !== undefined
                ? new AcmeCertificate(
                      `${name}-acme`,
                      {
                          ...kind.acme,
                          frontEndName: settings.frontEndName,
                          hostnames: settings.hostnames,
                          user: HAPROXY_USER,
                          clientImage: clientImage.imageId,
                          proxyImage: image.imageId,
                          networkName: network,
                          address: acmeAddress(settings),
                          selfCheck: selfCheck(settings, group),
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
                          away,
                          ...(group && {
                              exchange: {
                                  frontEnds: group.hosts,
                                  frontEnd: group.host,
                                  peersSocket: PEERS_SOCKET,
                                  exchangeSocket: EXCHANGE_SOCKET,
                              },
                          }),
                      },
                      // Port 80 of the proxy, or of any proxy of a group, forwards challenges to the client.
                      { parent: this, dependsOn: group === undefined ? proxy : group.serving.apply(() => [proxy]) },
                  )
                : undefined;

        const urlOf = (host: pulumi.Output<string>) =>
            pulumi.all([host, settings.httpsPort, serving]).apply(([hostname, port]) => url(hostname, port));
        this.s3Endpoint = urlOf(settings.s3Host);
        this.consoleUrl = urlOf(settings.consoleHost);
        this.storeUrls = pulumi.all(
            storesOf(args).map(({ s3Host, consoleHost }) => ({
                s3Endpoint: urlOf(pulumi.output(s3Host)),
                consoleUrl: urlOf(pulumi.output(consoleHost)),
            })),
        );
        this.caCertificate = served.caCertificate;
        this.certificateNotAfter = acme?.notAfter ?? served.notAfter;
        this.containerName = proxy.name;
        this.registerOutputs({
            s3Endpoint: this.s3Endpoint,
            consoleUrl: this.consoleUrl,
            storeUrls: this.storeUrls,
            caCertificate: this.caCertificate,
            certificateNotAfter: this.certificateNotAfter,
            containerName: this.containerName,
        });
    }
}

/**
 * Runs the checks that need the clusters and networks, and checks that the engine accepts the proxy. All further resources
 * wait for this one resource. If many outputs shared a rejection, it would be followed along every path from one to the
 * other, which can take forever.
 */
function soundEdge(
    component: pulumi.Resource,
    settings: HaproxyFrontEndSettings,
    accepted: () => Promise<void>,
    dependsOn: pulumi.Output<pulumi.Resource[]>,
    images: docker.RemoteImage[],
    created: pulumi.Output<CreatedNetworks>,
): pulumi.Output<pulumi.Resource[]> {
    // Runs after the other checks have passed, since the first refusal ends the update.
    const passed = pulumi.output(dependsOn).apply(() =>
        accepted().catch((error: unknown) => {
            throw componentError(component, error);
        }),
    );
    const sound = pulumi
        .all([settings.problems, dependsOn, created, settings.nodeNetworks, passed])
        .apply(async ([found, resources, { kept, failure }, nodeNetworks]) => {
            refuse("HaproxyFrontEnd", found);
            if (failure !== undefined) {
                throw componentError(component, new Error(failure));
            }
            // Before the configuration names the servers on them.
            if (kept && !changesNothing()) {
                await withEngine(component, settings, (engine) =>
                    joinNetworks(engine, settings.frontEndName, nodeNetworks),
                );
            }
            return [...resources, ...images];
        });
    return awaitedByProgram(sound);
}

/** Resolves once it is certain that the engine can create the public network. In a preview, that is at once. */
async function ipv6Accepted(
    { demands, frontEndName, dockerHost }: HaproxyFrontEndSettings,
    imageId: pulumi.Output<string>,
): Promise<void> {
    const network = demands.ipv6Network;
    if (network !== undefined && !changesNothing()) {
        const image = await settled(imageId);
        const engine = await connectEngine(dockerHost);
        await refuseWithoutIpv6("HaproxyFrontEnd", network, { image, owner: frontEndName }, engine);
    }
}

/** Resolves once it is certain that the ACME client has the DNS provider. In a preview, that is at once. */
async function providerAccepted(
    { frontEndName, dockerHost }: HaproxyFrontEndSettings,
    acme: AcmeSettings | undefined,
    imageId: pulumi.Output<string> | undefined,
): Promise<void> {
    if (acme?.dns !== undefined && imageId !== undefined && !changesNothing()) {
        const image = await settled(imageId);
        const engine = await connectEngine(dockerHost);
        refuse("HaproxyFrontEnd", await missingProvider(acme, { image, owner: frontEndName }, engine));
    }
}

/** Resolves once the proxy and its network may be replaced. In a preview, that is at once. */
function whenReplaceable(
    component: pulumi.Resource,
    written: pulumi.Output<pulumi.Resource[]>,
    { beforeReplacement, away }: FrontEndOptions,
    desired: DesiredProxy,
): pulumi.Output<pulumi.Resource[]> {
    if (beforeReplacement === undefined || away === true || changesNothing()) {
        return written;
    }
    const replaceable = written.apply(async (resources) => {
        await beforeReplacement(desired).catch((error: unknown) => {
            throw componentError(component, error);
        });
        return resources;
    });
    return awaitedByProgram(replaceable);
}

function haproxyConfig(
    settings: HaproxyFrontEndSettings,
    certificate: pulumi.Output<FixedCertificate | ChangingCertificate>,
    checkedFrom: string | undefined,
): pulumi.Output<string> {
    const { stores, services, httpsPort } = settings;
    return pulumi.all([stores, services, httpsPort, certificate]).apply(([ofStores, ofServices, port, configured]) =>
        renderHaproxyConfig({
            ...settings,
            ipv6: settings.publicIpv6 !== undefined,
            stores: ofStores,
            services: ofServices,
            httpsPort: port,
            certificate: configured,
            checkedFrom,
        }),
    );
}

/**
 * Resolves once the proxy answers, is on the networks of its stores and no others, and serves each of several stores. Waits
 * for nothing in a preview.
 */
function whenHealthy(
    component: pulumi.Resource,
    proxy: docker.Container,
    settings: HaproxyFrontEndSettings,
): pulumi.Output<void> {
    const { dockerHost, frontEndName, nodeNetworks, backendNetworks, readyTimeout: timeout } = settings;
    const networks = pulumi.all([nodeNetworks, backendNetworks, networkName(settings)]);
    return pulumi.all([proxy.name, proxy.id, networks]).apply(async ([name, id, [ofStores, behind, ofClients]]) => {
        if (!changesNothing()) {
            await withEngine(component, settings, async (engine) => {
                // It may have been replaced meanwhile, with the networks that the former one was created with.
                await joinNetworks(engine, frontEndName, ofStores);
                await leaveNetworks(engine, frontEndName, [ofClients, ...behind.map((network) => network.name)]);
            });
            const options = { hosts: [{ dockerHost }], timeout, component, checksNow: true };
            await waitUntilHealthy([{ name, id }], options);
            if (ofStores.length > 1) {
                const names = ofStores.map((network) => network.name);
                await withEngine(component, settings, (engine) =>
                    untilStoresServe(engine, frontEndName, names, timeout),
                );
            }
        }
    });
}

/** Does work with the proxy's engine. A failure is one of the component. */
async function withEngine(
    component: pulumi.Resource,
    { dockerHost }: HaproxyFrontEndSettings,
    work: (engine: DockerEngine) => Promise<void>,
): Promise<void> {
    try {
        await work(await connectEngine(dockerHost));
    } catch (error) {
        throw componentError(component, error);
    }
}
