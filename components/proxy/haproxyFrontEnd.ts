import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";
import { AcmeCertificate } from "../certificate/acmeCertificate";
import { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import { connectEngine } from "../docker/connectEngine";
import { allLabels, inputsDigest, labelList, replacedOnAnyChange } from "../docker/containerArgs";
import { DAEMON_SETTINGS } from "../docker/containerBasics";
import { dockerHostOf } from "../docker/providerHost";
import { remoteImage } from "../docker/remoteImage";
import { VolumeFiles } from "../docker/volumeFiles";
import { url } from "../naming/endpointUrl";
import { LABELS } from "../naming/labels";
import { outputsAwaitedByProgram } from "../pulumi/awaitedByProgram";
import { ContainerProbe } from "../requirements/containerTrialStart";
import { engineAllows } from "../requirements/run";
import { isAway, snapshotOf } from "../settings/context";
import { storesOf } from "../settings/proxyBackends";
import { frontEndOptions, type FrontEndOptions } from "../settings/proxyGroup";
import { resolveHaproxyFrontEnd, type HaproxyFrontEndSettings } from "../settings/proxySettings";
import { haproxyVulnerabilities, legoVulnerabilities } from "../store/knownVulnerabilities";
import { warnOfVulnerabilities } from "../store/vulnerabilityWarnings";
import { acmeClient } from "./acmeClient";
import { certificateKind, certificateVolumes, type CertificateKind, type ServedCertificate } from "./certificateKind";
import { configurationFiles, configurationVolume } from "./configurationFiles";
import { createdNetworks, type CreatedNetworks } from "./joinedNetworks";
import { proxyContainer } from "./proxyContainer";
import { proxyAccepted, soundEdge, whenHealthy, whenReplaceable } from "./proxyWaits";
import { clientNetwork, networkName, publicNetwork } from "./publicNetwork";

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
        const context = contextOf(this, name, args, opts);
        const { settings, away } = context;
        const parts = makeParts(context);
        const desired = desiredProxy(context, parts);
        const configuration = new VolumeFiles(
            `${name}-configuration`,
            configurationFiles(settings, { ...context, ...parts, checkedFrom: context.options.checkedFrom }),
            { parent: this, dependsOn: desired.accepted },
        );
        const { proxy, network } = makeProxy(context, parts, desired, configuration);
        const serving = away ? pulumi.output(undefined) : whenHealthy(this, proxy, settings);
        const acme = makeAcme(context, parts, { proxy, network, configuration: configuration.volumeName });

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
        this.caCertificate = parts.served.caCertificate;
        this.certificateNotAfter = acme?.notAfter ?? parts.served.notAfter;
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

/** What the parts of a front end share. */
interface Context {
    component: pulumi.ComponentResource;
    name: string;
    settings: HaproxyFrontEndSettings;
    kind: CertificateKind;
    options: FrontEndOptions;
    away: boolean;
    /** Options of resources that wait for the engine's check alone. */
    childOptions: { parent: pulumi.Resource; dependsOn: pulumi.Output<pulumi.Resource[]> };
    /** Labels that say whose a resource is, and those with the user's own. */
    ownLabels: { [name: string]: string };
    labels: pulumi.Output<{ [name: string]: string }>;
}

/** What the proxy is made of: images, certificate and volumes. */
interface Parts {
    /** Id of the proxy's image. */
    image: pulumi.Output<string>;
    served: ServedCertificate;
    volumes: { acme: pulumi.Output<string>; certificate: pulumi.Output<string> };
    /** Name of the sockets' volume. */
    sockets: pulumi.Output<string>;
    /** Image of the ACME client, if there is one. */
    clientImage: docker.RemoteImage | undefined;
}

/** The proxy as it will be. */
interface Desired {
    container: docker.ContainerArgs;
    created: pulumi.Output<CreatedNetworks>;
    /** Known once no check refuses it. */
    accepted: pulumi.Output<pulumi.Resource[]>;
}

function contextOf(
    component: pulumi.ComponentResource,
    name: string,
    args: HaproxyFrontEndArgs,
    opts?: pulumi.ComponentResourceOptions,
): Context {
    const away = isAway(opts);
    const options = frontEndOptions(opts);
    const settings = resolveHaproxyFrontEnd(name, args, dockerHostOf(component, args.dockerHost), away);
    const demands = snapshotOf(opts) ? undefined : settings.demands;
    const ownLabels = {
        [LABELS.frontEnd]: settings.frontEndName,
        [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
    };
    return {
        component,
        name,
        settings,
        kind: certificateKind(settings, options.group),
        options,
        away,
        childOptions: { parent: component, dependsOn: engineAllows("HaproxyFrontEnd", demands, opts?.dependsOn) },
        ownLabels,
        labels: allLabels(settings.labels, ownLabels),
    };
}

function makeParts({ component, name, settings, kind, options, away, childOptions, ownLabels }: Context): Parts {
    const connect = () => connectEngine(settings.dockerHost);
    const release = away ? undefined : async (reference: string) => (await connect()).imageRelease(reference);
    const ofProxy = { property: "the proxy's image", image: settings.image, known: haproxyVulnerabilities };
    warnOfVulnerabilities(component, { ...ofProxy, release });
    const image = remoteImage(`${name}-image`, settings.image, away ? undefined : connect, childOptions);
    // Created for every kind of certificate: a switch to another kind must delete neither the CA that clients trust nor an
    // ACME account.
    const selfSigned =
        options.selfSigned ??
        new SelfSignedCertificate(
            `${name}-certificate`,
            { ...kind.selfSigned, hostnames: settings.hostnames, retainCa: settings.retainCertificates },
            childOptions,
        );
    const volumes = certificateVolumes(name, settings, kind, ownLabels, childOptions);
    const served = kind.served(selfSigned);
    // Pulled before anything is changed, so that the client that obtains the next certificate is certainly available.
    const clientImage =
        kind.acme && remoteImage(`${name}-acme-image`, kind.acme.image, away ? undefined : connect, childOptions);
    if (kind.acme !== undefined) {
        const ofClient = { property: "certificate.acme.image", image: kind.acme.image, known: legoVulnerabilities };
        warnOfVulnerabilities(component, { ...ofClient, release });
    }
    const sockets = new docker.Volume(
        `${name}-sockets`,
        { name: `${settings.frontEndName}-sockets`, labels: labelList(ownLabels) },
        { ...childOptions, ignoreChanges: ["labels"] },
    );
    return { image: image.imageId, served, volumes, sockets: sockets.name, clientImage };
}

/** The container, with networks and a volume that may not exist yet, and all checks that can refuse it. */
function desiredProxy({ component, settings, kind, away, childOptions, labels }: Context, parts: Parts): Desired {
    const { image, sockets, volumes, clientImage } = parts;
    const containerWith = (networks: pulumi.Input<CreatedNetworks>) =>
        proxyContainer(settings, {
            image,
            sockets,
            certificate: volumes.certificate,
            labels,
            network: networkName(settings),
            configuration: configurationVolume(settings),
            created: networks,
        });
    const created = createdNetworks(settings, away, (networks) => inputsDigest(containerWith(networks)));
    const container = containerWith(created);
    const probe = ContainerProbe.of("HaproxyFrontEnd", settings.frontEndName, LABELS.frontEnd, settings.dockerHost);
    probe.add(`${settings.frontEndName}-proxy`, container);
    const images = { image, clientImage: clientImage?.imageId };
    const accepted = soundEdge(
        component,
        settings,
        () => (away ? Promise.resolve() : proxyAccepted(settings, kind.acme, probe, images)),
        childOptions.dependsOn,
        clientImage === undefined ? [] : [clientImage],
        created,
    );
    return { container, created, accepted };
}

/**
 * A replaced network takes the proxy with it. It is therefore replaced only after the files exist that the next proxy starts
 * with.
 */
function makeProxy(
    { component, name, settings, options, childOptions, ownLabels, labels }: Context,
    { image, sockets, volumes }: Parts,
    desired: Desired,
    { written, volumeName: configuration }: VolumeFiles,
): { proxy: docker.Container; network: pulumi.Input<string> } {
    const replaceable = whenReplaceable(component, written, options, {
        inputs: inputsDigest(desired.container),
        network: clientNetwork(settings),
    });
    const network =
        settings.publicNetworkName ??
        publicNetwork(name, settings, ownLabels, { parent: component, dependsOn: replaceable });
    const { created } = desired;
    const parts = { image, sockets, certificate: volumes.certificate, labels, network, configuration, created };
    const proxy = new docker.Container(name, replacedOnAnyChange(proxyContainer(settings, parts)), {
        ...childOptions,
        dependsOn: pulumi.all([replaceable, settings.storesReady]).apply(([resources]) => resources),
        deleteBeforeReplace: true,
        ignoreChanges: DAEMON_SETTINGS,
    });
    return { proxy, network };
}

function makeAcme(
    { component, name, settings, kind: { acme }, options: { group }, labels, away }: Context,
    { image: proxyImage, clientImage, volumes, sockets }: Parts,
    made: { proxy: docker.Container; network: pulumi.Input<string>; configuration: pulumi.Input<string> },
): AcmeCertificate | undefined {
    if (acme === undefined || clientImage === undefined) {
        return undefined;
    }
    const { proxy, network, configuration } = made;
    return new AcmeCertificate(
        `${name}-acme`,
        acmeClient(settings, group, {
            acme,
            clientImage: clientImage.imageId,
            proxyImage,
            networkName: network,
            volumes,
            configuration,
            sockets,
            labels,
            away,
        }),
        // Port 80 of the proxy, or of any proxy of a group, forwards challenges to the client.
        { parent: component, dependsOn: group === undefined ? proxy : group.serving.apply(() => [proxy]) },
    );
}
