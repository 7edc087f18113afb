import { ClusterHosts, type ClusterHost } from "./node/hostResources";
import { lossesOf } from "./settings/pools";
import { nodeNetwork } from "./node/networks";
import type { StorageClusterArgs } from "./args/storageClusterArgs";
import type { ClusterEndpoints } from "./args/clusterEndpoints";
import { setEarlyEndpoints } from "./settings/earlyEndpoints";
import * as pulumi from "@pulumi/pulumi";
import { awaitedByProgram, outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import type { ServiceProfile } from "./store/serviceProfile";
import { referenceTo } from "./storeClient/storeReference";
import { Credentials } from "./node/credentials";
import { dataHolderOf, setDataHolder } from "./docker/dataHolder";
import { dockerHostOf } from "./docker/providerHost";
import { engineAllows } from "./requirements/run";
import { describeLoss, worstLoss } from "./store/hostPlacement";
import { hostProvidersOf, LEFT_AS_THEY_ARE, snapshotOf, type CheckedOptions } from "./settings/context";
import { EngineSnapshot } from "./requirements/engineCache";
import { hostProviders } from "./docker/hostProviders";
import { edgeRestrictionsOf } from "./store/edgeRestrictions";
import { warnOfUnknownRelease } from "./store/edgeWarnings";
import { warnOfVulnerabilities } from "./store/vulnerabilityWarnings";
import { alikeDigest, alikeInputs, nodeEnvironment, nodeSecrets } from "./store/nodeEnvironment";
import { connectEngine } from "./docker/connectEngine";
import { componentError } from "./checks/refusal";
import { ended, settled } from "./pulumi/settled";
import { presentHosts } from "./docker/hosts";
import { LABELS } from "./naming/labels";
import { waitUntilHealthy } from "./docker/readiness";
import { probeOverlay } from "./hosts/overlay/overlayProbe";
import { ClusterUpdate } from "./rollout/clusterUpdate";
import {
    clusterInputs,
    laterCluster,
    resolveStorageCluster,
    type StorageClusterSettings,
} from "./settings/clusterSettings";
import { StorageNode } from "./storageNode";
import { CONSOLE_PORT, proxyAddresses, S3_PORT } from "./store/topology";
import { changesNothing } from "./pulumi/pulumiCommand";
import type { StoreReference } from "./args/storeReference";

/**
 * An S3-compatible store with a console: one node, or several as one erasure-coded cluster, on its own internal network. It
 * publishes no port; {@link HaproxyFrontEnd} does.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created; it lists all problems of the args.
 */
export class StorageCluster extends pulumi.ComponentResource {
    /** Root access key; a secret. */
    readonly accessKey: pulumi.Output<string>;
    /** Root secret key; a secret. */
    readonly secretKey: pulumi.Output<string>;
    /** Names of the nodes' containers. */
    readonly nodeNames: pulumi.Output<string[]>;
    /** Names of the data volumes. */
    readonly volumeNames: pulumi.Output<string[]>;
    /**
     * Addresses and ports of the nodes, for {@link HaproxyFrontEnd}. In an update they are known only once every node is
     * healthy.
     */
    readonly endpoints: pulumi.Output<ClusterEndpoints>;
    /** How buckets, policies and access keys find the store. In an update it is known only once every node is healthy. */
    readonly reference: pulumi.Output<StoreReference>;

    constructor(name: string, args: StorageClusterArgs = {}, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:StorageCluster", name, {}, opts);
        outputsAwaitedByProgram(this);
        const dockerHost = dockerHostOf(this, args.dockerHost);
        const settings = resolveStorageCluster(name, args, dockerHost);
        const checked = snapshotOf(opts);
        const snapshot = checked ?? new EngineSnapshot(settings.hosts);
        const demands = checked === undefined ? settings.demands : undefined;
        const dependsOn = engineAllows("StorageCluster", demands, opts?.dependsOn, snapshot);
        const childOptions = { parent: this, dependsOn };
        describeLayout(this, args);
        warnOfVulnerabilities(this, {
            property: "image",
            image: settings.image,
            known: settings.profile.knownVulnerabilities,
            variables: Object.keys({ ...settings.environment, ...settings.secretEnvironment }),
            release: async (image) =>
                (await connectEngine(presentHosts(settings.hosts)[0]?.dockerHost)).imageRelease(image),
        });
        warnOfUnknownRelease(this, settings.image, settings.profile);

        const { topology, cluster } = settings;
        const providers = hostProvidersOf(opts) ?? hostProviders(name, args.hosts, { parent: this });
        const hosts = new ClusterHosts(name, settings, providers, childOptions);
        const credentials = new Credentials(`${name}-credentials`, settings, childOptions);
        const inputs = clusterInputs(settings, credentials);
        // Checked once more with the generated root keys: existing data must not get other keys.
        const nodeOptions = {
            parent: this,
            engineSnapshot: snapshot,
            plannedNetworkName: cluster.networkName,
            dependsOn: engineAllows(
                "StorageCluster",
                { later: laterCluster(cluster, inputs).later },
                dependsOn,
                snapshot,
            ),
        };
        const accepted = awaitedByProgram(
            pulumi
                .all([nodeOptions.dependsOn, pulumi.all(hosts.images.map(({ imageId }) => imageId))])
                .apply(async ([resources]) => {
                    await hosts.accepted().catch((error: unknown) => {
                        throw componentError(this, error);
                    });
                    return [...resources, ...hosts.images];
                }),
        );
        // A replaced network takes every node with it. It is therefore replaced only after every check that can refuse the
        // update has passed.
        const network = nodeNetwork(name, settings, { ...hosts.first.options, dependsOn: accepted }, accepted);
        // The provider takes 2 s to create the network of a new cluster: the nodes' files are written meanwhile.
        const mayBegin = isNewCluster(settings, snapshot).then((isNew) => ended(isNew ? accepted : network.name));
        mayBegin.catch(() => undefined);
        const rollout = new ClusterUpdate(
            inputs.apply((known) => ({ ...cluster, ...known })),
            {
                ...settings,
                component: this,
                networkName: cluster.networkName,
                beforeFirstNode: (engines, planned, world) => probeOverlay(engines, settings.hosts, planned, world),
            },
        );
        const nodes = topology.nodes.map((place) => {
            const host = hosts.of(place);
            return new StorageNode(
                `${name}-${place.serverName}`,
                {
                    ...settings,
                    dockerHost: args.dockerHost,
                    place,
                    alike: alikeInputs(settings).apply(alikeDigest),
                    image: host.image.imageId,
                    networkName: network.name,
                    egressNetworkName: host.egress?.name,
                    hosts: topology.nodes.map((peer) => ({ host: peer.name, ip: peer.address })),
                    environment: nodeEnvironment(settings),
                    secretEnvironment: nodeSecrets(settings, credentials),
                },
                nodeOptionsOn(host, nodeOptions),
                (inputs, container, prepared) => {
                    host.probe.add(place.name, container);
                    return rollout.turnOf(
                        place,
                        inputs.apply((digest) => mayBegin.then(() => digest)),
                        prepared,
                    );
                },
            );
        });
        const [firstNode] = nodes;
        setDataHolder(this, firstNode && dataHolderOf(firstNode));
        const ready = whenHealthy(this, rollout, nodes, settings).catch((error: unknown) => {
            throw componentError(this, error);
        });

        this.accessKey = credentials.accessKey;
        this.secretKey = credentials.secretKey;
        this.nodeNames = pulumi.all(nodes.map((node) => node.nodeName));
        this.volumeNames = pulumi.all(nodes.map((node) => node.volumeNames)).apply((names) => names.flat());
        const endpoints = endpointsOf(settings, network.name);
        this.endpoints = pulumi.all([endpoints, ready]).apply(([known]) => known);
        // Over several hosts, the network between them is tested before anything is created.
        if (args.hosts === undefined) {
            setEarlyEndpoints(this.endpoints, endpoints);
        }
        const { clientImage, hosts: storeHosts } = args;
        // Not derived from any resource of the cluster: what is kept of its contents doesn't keep these resources.
        this.reference = pulumi
            .all([ready, referenceTo(settings.clusterName, { clientImage, hosts: storeHosts }, dockerHost)])
            .apply(([, reference]) => reference);
        this.registerOutputs({
            accessKey: this.accessKey,
            secretKey: this.secretKey,
            nodeNames: this.nodeNames,
            volumeNames: this.volumeNames,
            endpoints: this.endpoints,
            reference: this.reference,
        });
    }
}

/**
 * Whether nothing of a cluster on one host exists yet, so that its rollout has no data and no service to consider. False if
 * that isn't known, as with drives that are folders or volumes of the user's.
 */
async function isNewCluster(
    { topology, cluster: { clusterName, networkName } }: StorageClusterSettings,
    { hosts }: EngineSnapshot,
): Promise<boolean> {
    const host = hosts.get(undefined);
    const drives = topology.nodes.flatMap((node) => node.drives);
    const areOwn = drives.every(({ hostPath, existing }) => hostPath === undefined && existing !== true);
    if (changesNothing() || host === undefined || !areOwn) {
        return false;
    }
    try {
        const engine = await host.engine();
        const [networks, ...ofCluster] = await Promise.all([
            engine.networks(),
            engine.containers(LABELS.cluster, clusterName),
            engine.volumes(LABELS.cluster, clusterName),
        ]);
        return ofCluster.flat().length === 0 && networks.every(({ name }) => name !== networkName);
    } catch {
        // The update's own checks report it.
        return false;
    }
}

/** The endpoints of a cluster. */
function endpointsOf(
    { profile, image, subnet, topology, bucketDomains }: StorageClusterSettings,
    networkName: pulumi.Output<string>,
): pulumi.Output<ClusterEndpoints> {
    return pulumi.all([networkName, image, bucketDomains]).apply(([network, reference, domains]) => ({
        profileName: profile.name,
        networkName: network,
        subnet,
        servers: topology.nodes.map(({ serverName, address }) => ({ name: serverName, address })),
        s3Port: S3_PORT,
        consolePort: CONSOLE_PORT,
        s3HealthPath: profile.s3HealthPath,
        s3ReadHealthPath: profile.s3ReadHealthPath,
        consoleHealthPath: profile.consoleHealthPath,
        restrictedPaths: profile.restrictedPaths,
        ...denial(profile),
        ...(profile.variables.trustedProxies === undefined ? {} : { proxyAddresses: proxyAddresses(subnet) }),
        ...edgeRestrictionsOf(profile, reference),
        ...(domains.length === 0 ? {} : { bucketDomains: domains.map((domain) => domain.toLowerCase()) }),
    }));
}

/** Options of a node on a host. */
function nodeOptionsOn({ away, options }: ClusterHost, opts: pulumi.ComponentResourceOptions): CheckedOptions {
    return { ...opts, ...(away ? LEFT_AS_THEY_ARE : {}), provider: options.provider, away };
}

/** Says in a preview what the loss of a host means for the data. */
function describeLayout(component: pulumi.Resource, args: StorageClusterArgs): void {
    const worst = worstLoss(lossesOf(args));
    if (worst !== undefined && pulumi.runtime.isDryRun()) {
        void pulumi.log.info(`at worst, ${describeLoss(worst)}`, component);
    }
}

/**
 * Rolls the nodes out. Resolves once every node is healthy on both listeners and serves. Waits for nothing in a preview.
 *
 * Returns a promise, not an output: whatever waits for it must not count as derived from the nodes' containers. The engine
 * replaces a resource together with the resource that it derives from.
 */
async function whenHealthy(
    component: pulumi.Resource,
    rollout: ClusterUpdate,
    nodes: StorageNode[],
    { hosts, readyTimeout: timeout, topology }: StorageClusterSettings,
): Promise<void> {
    if (changesNothing()) {
        return;
    }
    const present = presentHosts(hosts).map(({ name }) => name);
    const here = nodes.flatMap((node, index) => {
        const place = topology.nodes[index];
        return place !== undefined && present.includes(place.host) ? [{ node, place }] : [];
    });
    const ids = new Map(here.map(({ node, place }) => [place.name, node.containerId]));
    const untilServing = await rollout.run(ids);
    const containers = [...ids].map(([name, containerId]) => containerId.apply((id) => ({ name, id })));
    const awaited = await settled(pulumi.all(containers));
    await waitUntilHealthy(awaited, { hosts, timeout, component });
    await untilServing();
}

/** What lets a proxy keep nodes out that have started. */
function denial({
    denialSeconds,
    livenessPath,
}: ServiceProfile): Pick<ClusterEndpoints, "denialSeconds" | "livenessPath"> {
    return denialSeconds === undefined
        ? {}
        : { denialSeconds, ...(livenessPath === undefined ? {} : { livenessPath }) };
}
