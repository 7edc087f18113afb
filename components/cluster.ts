import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "./args/clusterEndpoints";
import type { StorageClusterArgs } from "./args/storageClusterArgs";
import { componentError } from "./checks/refusal";
import { endpointsOf, referenceOf, type ClusterOutputs } from "./clusterOutputs";
import { connectEngine } from "./docker/connectEngine";
import { presentHosts, type Host } from "./docker/hosts";
import { waitUntilHealthy } from "./docker/readiness";
import { probeOverlay } from "./hosts/overlay/overlayProbe";
import { LABELS } from "./naming/labels";
import { Credentials } from "./node/credentials";
import { ClusterNode } from "./node/deployNode";
import { ClusterHosts } from "./node/hostResources";
import { nodeNetwork } from "./node/networks";
import { awaitedByProgram, outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import { changesNothing } from "./pulumi/pulumiCommand";
import { ended, settled } from "./pulumi/settled";
import type { ClusterInputs } from "./requirements/desiredCluster";
import { requireAll } from "./requirements/requireAll";
import { ClusterUpdate } from "./rollout/clusterUpdate";
import { clusterInputs, clusterSettings, type StorageClusterSettings } from "./settings/clusterSettings";
import type { Context } from "./settings/context";
import { lossesOf } from "./settings/pools";
import { dataIsKept } from "./settings/requirements";
import { warnOfUnknownRelease } from "./store/edgeWarnings";
import { describeLoss, worstLoss } from "./store/hostPlacement";
import { sharedDigest, sharedInputs, nodeEnvironment, nodeSecrets } from "./store/nodeEnvironment";
import { warnOfVulnerabilities } from "./store/vulnerabilityWarnings";

/** Type of a cluster's component. */
export const CLUSTER_TYPE = "docker-object-store:index:StorageCluster";

/** A cluster, and what other parts of its deployment need of it. */
export interface DeployedCluster {
    outputs: ClusterOutputs;
    /**
     * The endpoints before the nodes are healthy, for what may be prepared for a proxy that doesn't run yet. A running one must not get
     * the names of nodes that aren't ready.
     */
    earlyEndpoints: pulumi.Output<ClusterEndpoints>;
    /**
     * The resource that is deleted only together with the cluster's data. The component itself can't be named in `deletedWith` for
     * this: what depends on a component depends on all of its children, and `pulumi destroy --exclude-protected` would keep them.
     */
    deletedWithData: pulumi.Resource | undefined;
}

/** A cluster of an ObjectStore: its args are valid, and its engines were asked. */
export class StoreCluster extends pulumi.ComponentResource {
    readonly deployed: DeployedCluster;

    constructor(name: string, args: StorageClusterArgs, context: Context, parent: pulumi.Resource) {
        super(CLUSTER_TYPE, name, {}, { parent, dependsOn: context.allowed });
        this.deployed = deployCluster(this, name, args, context);
        outputsAwaitedByProgram(this.deployed.outputs);
        this.registerOutputs(this.deployed.outputs);
    }
}

/** Creates a cluster's resources. */
export function deployCluster(
    component: pulumi.ComponentResource,
    name: string,
    args: StorageClusterArgs,
    context: Context,
): DeployedCluster {
    const settings = clusterSettings(name, args);
    sayBefore(component, args, settings, context.hosts);
    const options = { parent: component, dependsOn: context.allowed };
    const hosts = new ClusterHosts(name, settings, context.hosts, options);
    const credentials = new Credentials(`${name}-credentials`, settings, options);
    const inputs = clusterInputs(settings, credentials);
    // Asked once more with the generated root keys: existing data must not get other keys.
    const again = { first: [], then: [{ ...dataIsKept(settings.cluster, inputs, context.at), before: [] }] };
    const allowed = requireAll("StorageCluster", again, context.engines, context.allowed);
    const accepted = acceptedByEngines(component, hosts, allowed);
    // A replaced network takes every node with it. It is therefore replaced only after every check that can refuse the
    // update has passed.
    const networkOptions = { ...hosts.first.options, dependsOn: accepted };
    const network = nodeNetwork(name, settings, context.hosts, networkOptions, accepted);
    // The provider takes 2 s to create the network of a new cluster: the nodes' files are written meanwhile.
    const mayBegin = isNewCluster(settings, context).then((isNew) => ended(isNew ? accepted : network.name));
    mayBegin.catch(() => undefined);
    const rollout = rolloutOf(component, settings, inputs, context);
    const nodes = createNodes(component, name, args, settings, {
        context: { ...context, allowed },
        hosts,
        credentials,
        networkName: network.name,
        rollout,
        mayBegin,
    });
    const ready = whenHealthy(component, rollout, nodes, settings, context.hosts).catch((error: unknown) => {
        throw componentError(component, error);
    });
    const endpoints = endpointsOf(settings, network.name);
    const outputs = {
        accessKey: credentials.accessKey,
        secretKey: credentials.secretKey,
        nodeNames: pulumi.all(nodes.map(({ deployed }) => deployed.outputs.nodeName)),
        volumeNames: pulumi
            .all(nodes.map(({ deployed }) => deployed.outputs.volumeNames))
            .apply((names) => names.flat()),
        endpoints: pulumi.all([endpoints, ready]).apply(([known]) => known),
        reference: referenceOf(settings, args, context.hosts[0], ready),
    };
    return {
        outputs,
        // Over several hosts, the network between them is tested before anything is created.
        earlyEndpoints: args.hosts === undefined ? endpoints : outputs.endpoints,
        deletedWithData: nodes[0]?.deployed.deletedWithData,
    };
}

/** What an operator has to know before an update, and in a preview. */
function sayBefore(
    component: pulumi.Resource,
    args: StorageClusterArgs,
    settings: StorageClusterSettings,
    hosts: readonly Host[],
): void {
    describeLayout(component, args);
    warnOfVulnerabilities(component, {
        property: "image",
        image: settings.image,
        known: settings.profile.knownVulnerabilities,
        variables: Object.keys({ ...settings.environment, ...settings.secretEnvironment }),
        release: async (image) => (await connectEngine(presentHosts(hosts)[0]?.dockerHost)).imageRelease(image),
    });
    warnOfUnknownRelease(component, settings.image, settings.profile);
}

/** Known once each engine has the image, and accepts the containers of its nodes. */
function acceptedByEngines(
    component: pulumi.Resource,
    hosts: ClusterHosts,
    allowed: pulumi.Output<pulumi.Resource[]>,
): pulumi.Output<pulumi.Resource[]> {
    const accepted = pulumi
        .all([allowed, pulumi.all(hosts.images.map(({ imageId }) => imageId))])
        .apply(async ([resources]) => {
            await hosts.accepted().catch((error: unknown) => {
                throw componentError(component, error);
            });
            return [...resources, ...hosts.images];
        });
    return awaitedByProgram(accepted);
}

function rolloutOf(
    component: pulumi.Resource,
    settings: StorageClusterSettings,
    inputs: pulumi.Output<ClusterInputs>,
    { hosts }: Context,
): ClusterUpdate {
    const { cluster } = settings;
    return new ClusterUpdate(
        inputs.apply((known) => ({ ...cluster, ...known })),
        {
            ...settings,
            hosts,
            component,
            networkName: cluster.networkName,
            beforeFirstNode: (engines, planned, dependencies) => probeOverlay(engines, hosts, planned, dependencies),
        },
    );
}

/** What the nodes of a cluster share. */
interface NodesContext {
    context: Context;
    hosts: ClusterHosts;
    credentials: Credentials;
    networkName: pulumi.Output<string>;
    rollout: ClusterUpdate;
    /** Resolves once containers may be created. */
    mayBegin: Promise<unknown>;
}

function createNodes(
    component: pulumi.Resource,
    name: string,
    args: StorageClusterArgs,
    settings: StorageClusterSettings,
    { context, hosts, credentials, networkName, rollout, mayBegin }: NodesContext,
): ClusterNode[] {
    const { topology, cluster } = settings;
    const ofAll = {
        ...settings,
        dockerHost: args.dockerHost,
        alike: sharedInputs(settings).apply(sharedDigest),
        networkName,
        hosts: topology.nodes.map((peer) => ({ host: peer.name, ip: peer.address })),
        environment: nodeEnvironment(settings),
        secretEnvironment: nodeSecrets(settings, credentials),
    };
    return topology.nodes.map((place) => {
        const { host, image, egress, probe } = hosts.of(place);
        const { engines, allowed } = context;
        const node = new ClusterNode(
            `${name}-${place.serverName}`,
            { ...ofAll, place, image: image.imageId, egressNetworkName: egress?.name },
            { host, engines, allowed, plannedNetworkName: cluster.networkName, gates: rollout.gatesOf(place) },
            component,
        );
        const { inputs, planned, prepared } = node.deployed;
        probe.add(place.name, planned);
        rollout.add(
            place,
            inputs.apply((digest) => mayBegin.then(() => digest)),
            prepared,
        );
        return node;
    });
}

/**
 * Whether nothing of a cluster on one host exists yet, so that its rollout has no data and no service to consider. False if
 * that isn't known, as with drives that are folders or volumes of the user's.
 */
async function isNewCluster(
    { topology, cluster: { clusterName, networkName } }: StorageClusterSettings,
    { engines: { hosts } }: Context,
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
    nodes: ClusterNode[],
    { readyTimeout: timeout, topology }: StorageClusterSettings,
    hosts: readonly Host[],
): Promise<void> {
    if (changesNothing()) {
        return;
    }
    const present = presentHosts(hosts).map(({ name }) => name);
    const here = nodes.flatMap((node, index) => {
        const place = topology.nodes[index];
        return place !== undefined && present.includes(place.host) ? [{ node, place }] : [];
    });
    const ids = new Map(here.map(({ node, place }) => [place.name, node.deployed.outputs.containerId]));
    const untilServing = await rollout.run(ids);
    const containers = [...ids].map(([name, containerId]) => containerId.apply((id) => ({ name, id })));
    const awaited = await settled(pulumi.all(containers));
    await waitUntilHealthy(awaited, { hosts, timeout, component });
    await untilServing();
}
