import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";
import type { StoreUrls } from "../args/proxyStoreArgs";
import { AcmeCertificate } from "../certificate/acmeCertificate";
import { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import { connectEngine } from "../docker/connectEngine";
import { allLabels, inputsDigest, labelList, replacedOnAnyChange } from "../docker/containerArgs";
import { DAEMON_SETTINGS } from "../docker/containerBasics";
import { remoteImage } from "../docker/remoteImage";
import { VolumeFiles } from "../docker/volumeFiles";
import { url } from "../naming/endpointUrl";
import { LABELS } from "../naming/labels";
import { outputsAwaitedByProgram } from "../pulumi/awaitedByProgram";
import { ContainerProbe } from "../requirements/containerTrialStart";
import { resourcesOn } from "../settings/context";
import { storesOf } from "../settings/proxyBackends";
import type { ProxyContext } from "../settings/proxyGroup";
import { proxySettings, type ProxySettings } from "../settings/proxySettings";
import { haproxyVulnerabilities, legoVulnerabilities } from "../store/knownVulnerabilities";
import { warnOfVulnerabilities } from "../store/vulnerabilityWarnings";
import { acmeClient } from "./acmeClient";
import { certificateKind, certificateVolumes, type CertificateKind, type ServedCertificate } from "./certificateKind";
import { configurationFiles, configurationVolume } from "./configurationFiles";
import { createdNetworks, type CreatedNetworks } from "./joinedNetworks";
import { proxyContainer } from "./proxyContainer";
import { proxyAccepted, soundEdge, whenHealthy, whenReplaceable } from "./proxyWaits";
import { clientNetwork, networkName, publicNetwork } from "./publicNetwork";

/** Type of a proxy's component. */
export const PROXY_TYPE = "docker-object-store:index:HaproxyFrontEnd";

/** The outputs of a proxy. */
export interface ProxyOutputs {
    s3Endpoint: pulumi.Output<string>;
    consoleUrl: pulumi.Output<string>;
    storeUrls: pulumi.Output<StoreUrls[]>;
    caCertificate: pulumi.Output<string>;
    certificateNotAfter: pulumi.Output<string>;
    containerName: pulumi.Output<string>;
}

/** A proxy of an ObjectStore: its args are valid, and its engine was asked. */
export class StoreProxy extends pulumi.ComponentResource {
    readonly outputs: ProxyOutputs;

    constructor(name: string, args: HaproxyFrontEndArgs, context: ProxyContext, parent?: pulumi.Resource) {
        super(PROXY_TYPE, name, {}, { parent, dependsOn: context.allowed, ...resourcesOn(context.host) });
        this.outputs = deployProxy(this, name, args, context);
        outputsAwaitedByProgram(this.outputs);
        this.registerOutputs(this.outputs);
    }
}

/** Creates a proxy's resources. */
export function deployProxy(
    component: pulumi.ComponentResource,
    name: string,
    args: HaproxyFrontEndArgs,
    context: ProxyContext,
): ProxyOutputs {
    const shared = sharedOf(component, name, args, context);
    const { settings, away } = shared;
    const parts = makeParts(shared);
    const desired = desiredProxy(shared, parts);
    const configuration = new VolumeFiles(
        `${name}-configuration`,
        configurationFiles(settings, { ...shared, ...parts, checkedFrom: context.checkedFrom }),
        { parent: component, dependsOn: desired.accepted },
    );
    const { proxy, network } = makeProxy(shared, parts, desired, configuration);
    const serving = away ? pulumi.output(undefined) : whenHealthy(component, proxy, settings);
    const acme = makeAcme(shared, parts, { proxy, network, configuration: configuration.volumeName });

    const urlOf = (host: pulumi.Input<string>) =>
        pulumi.all([host, settings.httpsPort, serving]).apply(([hostname, port]) => url(hostname, port));
    return {
        s3Endpoint: urlOf(settings.s3Host),
        consoleUrl: urlOf(settings.consoleHost),
        storeUrls: pulumi.all(
            storesOf(args).map(({ s3Host, consoleHost }) => ({
                s3Endpoint: urlOf(s3Host),
                consoleUrl: urlOf(consoleHost),
            })),
        ),
        caCertificate: parts.served.caCertificate,
        certificateNotAfter: acme?.notAfter ?? parts.served.notAfter,
        containerName: proxy.name,
    };
}

/** What the parts of a proxy share. */
interface Shared {
    component: pulumi.ComponentResource;
    name: string;
    settings: ProxySettings;
    kind: CertificateKind;
    context: ProxyContext;
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

function sharedOf(
    component: pulumi.ComponentResource,
    name: string,
    args: HaproxyFrontEndArgs,
    context: ProxyContext,
): Shared {
    const settings = proxySettings(name, args, context);
    const ownLabels = {
        [LABELS.proxy]: settings.frontEndName,
        [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
    };
    return {
        component,
        name,
        settings,
        kind: certificateKind(settings, context.group),
        context,
        away: context.host.away === true,
        childOptions: { parent: component, dependsOn: context.allowed },
        ownLabels,
        labels: allLabels(settings.labels, ownLabels),
    };
}

function makeParts({ component, name, settings, kind, context, away, childOptions, ownLabels }: Shared): Parts {
    const connect = () => connectEngine(settings.dockerHost);
    const release = away ? undefined : async (reference: string) => (await connect()).imageRelease(reference);
    const ofProxy = { property: "the proxy's image", image: settings.image, known: haproxyVulnerabilities };
    warnOfVulnerabilities(component, { ...ofProxy, release });
    const image = remoteImage(`${name}-image`, settings.image, away ? undefined : connect, childOptions);
    // Created for every kind of certificate: a switch to another kind must delete neither the CA that clients trust nor an
    // ACME account.
    const selfSigned =
        context.selfSigned ??
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
function desiredProxy({ component, settings, kind, away, childOptions, labels }: Shared, parts: Parts): Desired {
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
    const probe = ContainerProbe.of("HaproxyFrontEnd", settings.frontEndName, LABELS.proxy, settings.dockerHost);
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
    { component, name, settings, context, childOptions, ownLabels, labels }: Shared,
    { image, sockets, volumes }: Parts,
    desired: Desired,
    { written, volumeName: configuration }: VolumeFiles,
): { proxy: docker.Container; network: pulumi.Input<string> } {
    const replaceable = whenReplaceable(component, written, context, {
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
    { component, name, settings, kind: { acme }, context: { group }, labels, away }: Shared,
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
