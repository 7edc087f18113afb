import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { labelList } from "../engine/containerBasics";
import { ContainerProbe } from "../preflight/containerProbe";
import { Credentials } from "./credentials";
import { dockerHostOf } from "../engine/dockerHost";
import type { RestrictedPaths, UnverifiedUploads } from "../store/edgeRestrictions";
import { engineAllows, isolatedGateway } from "../preflight/enginePreflight";
import { gatewayOf, upperHalf } from "../naming/ipv4Network";
import { warnOfVulnerabilities } from "../store/knownVulnerabilities";
import { LABELS } from "../naming/labels";
import { alikeDigest, alikeInputs, nodeEnvironment, nodeSecrets } from "../store/nodeEnvironment";
import { withoutStack } from "../inputs/problem";
import { waitUntilHealthy, type AwaitedContainer } from "../engine/readiness";
import { Rollout } from "./rollout";
import type { ServiceProfile } from "../store/serviceProfile";
import { clusterInputs, resolveStorageCluster, type StorageClusterSettings } from "./storageClusterSettings";
import { StorageNode } from "./storageNode";
import { CONSOLE_PORT, proxyAddresses, S3_PORT, type Pool } from "../store/topology";

/** Args of {@link StorageCluster}. */
export interface StorageClusterArgs {
    /**
     * Name of the cluster on the Docker host: prefix of its containers, volumes and networks. Lower-case letters,
     * digits and hyphens, 40 characters at most. Default: the component's name. Fixed for the cluster's life.
     */
    clusterName?: string;
    /** Profile that comes with the package: `rustfs`, `minio` or `service`. Default: `rustfs`. */
    profile?: string;
    /** A profile of your own, for another store that keeps the service contract. Default: none. */
    customProfile?: ServiceProfile;
    /**
     * Image with an exact version. Default: the profile's own; the profile `service` has none, so that it must be
     * given. A change replaces the nodes' containers.
     */
    image?: pulumi.Input<string>;
    /**
     * Nodes, 1 to 64. More than one form one erasure-coded cluster. Default: 1. Fixed for the cluster's life, which grows
     * by `pools`. Excludes `pools`, as the three below do.
     */
    nodeCount?: number;
    /** Drives of each node, 1 to 64. Default: 1. Fixed for the cluster's life. */
    drivesPerNode?: number;
    /**
     * Folders of the host that drives stand on, one list for each node. Default: none, the volumes lie in Docker's
     * own data folder.
     */
    drivePaths?: string[][];
    /**
     * Docker volumes that are there already and hold the drives, one list for each node: those of another deployment, or of a
     * volume driver of your own. Their files have to belong to the store's user. They are never deleted, and fixed for the
     * cluster's life. Excludes `drivePaths`. Default: none, each drive gets a volume of its own.
     */
    volumeNames?: string[][];
    /**
     * Pools, in the order in which they came to the cluster: `nodeCount`, `drivesPerNode`, `drivePaths` and `volumeNames` of each.
     * Another one at the end grows the cluster; those that are there are fixed. Default: one pool, of `nodeCount` nodes.
     * A pool more replaces the nodes, at once where the store can't do otherwise.
     */
    pools?: Pool[];
    /**
     * Changes that are refused otherwise, for what they do to data or to requests: `outage`, `rootKeyChange`,
     * `networkChange`, `emptyDrives`, `poolChange`, `drivePathChange`, `profileChange`, `rename`, `otherStack` (docs/operations.md).
     * Default: none.
     */
    allowedChanges?: string[];
    /** Any text, such as a date. Another one replaces the nodes one by one. Default: none. */
    restartedAt?: string;
    /**
     * Limit for requests that run on a node to end before it is replaced, in seconds, 0 to 3600; those that still run
     * are cut off. Default: 120.
     */
    drainTimeout?: number;
    /**
     * Lets several drives stand on one device, so that one disk's end can take more drives than the erasure code
     * bears. For development. Default: false.
     */
    allowDrivesOnOneDevice?: boolean;
    /**
     * IPv4 network between the nodes, /16 to /26. Its lower half holds the nodes' fixed addresses. Default: a /24
     * within 10.192.0.0/11 that follows from the cluster's name. A change replaces the network and every node at once; it
     * is refused without `networkChange` in `allowedChanges`.
     */
    subnet?: string;
    /**
     * Root access key, at least 3 characters. Default: generated. A change replaces the nodes' containers; on data that is
     * there it is refused without `rootKeyChange` in `allowedChanges`.
     */
    accessKey?: pulumi.Input<string>;
    /** Root secret key, at least 8 characters. Default: generated. A change is as one of `accessKey`. */
    secretKey?: pulumi.Input<string>;
    /**
     * Secret that nodes show each other, at least 16 characters, where the store has one of its own. Default:
     * generated. A change replaces the nodes' containers.
     */
    internodeSecret?: pulumi.Input<string>;
    /** Log level of the store. Default: `error`. Refused for a store without levels. */
    logLevel?: string;
    /** More environment variables for the store. A change replaces the nodes' containers. */
    environment?: { [name: string]: pulumi.Input<string> };
    /** More environment variables for the store that stay secret, from `docker inspect` too. */
    secretEnvironment?: { [name: string]: pulumi.Input<string> };
    /** Certificates in PEM that the store trusts besides its image's own, for what it asks of others. */
    additionalTrustedCertificates?: pulumi.Input<string>;
    /** Public URL of the console, for the store's own redirects. Default: none. */
    consoleUrl?: pulumi.Input<string>;
    /** Gives the nodes a second network, through which they reach others: identity providers, webhooks. Default: false. */
    egress?: boolean;
    /** Memory limit of each node, in MiB, from 64, without swap. Default: none. */
    memory?: number;
    /** CPU limit of each node, in CPUs; fractions allowed. Default: none. */
    cpus?: number;
    /** Limit of open files of each node, 1024 to 1048576. Default: 20000. */
    openFiles?: number;
    /** Whether Pulumi refuses to delete data volumes and the credentials that open them. Default: true. */
    retainData?: boolean;
    /** Limit for all nodes to become healthy, in seconds, 10 to 3600. Default: 300. */
    readyTimeout?: number;
    /** More labels for the nodes' containers, such as a team or a cost centre. Default: none. A change replaces the nodes. */
    labels?: { [name: string]: string };
    /**
     * Host of the engine that the Docker provider deploys to, for what the program itself asks of it. Default: that of the provider that is
     * passed to the component, else of the config keys (`docker:context`, `docker:host` …), else of the environment, as the provider takes
     * them. Refused where the provider talks to another engine.
     */
    dockerHost?: pulumi.Input<string>;
}

/** Where a cluster is reached, by a proxy on its network. */
export interface ClusterEndpoints {
    /** Name of the profile. */
    profileName: string;
    /** Name of the node network, which a proxy joins. */
    networkName: string;
    /** Addresses of the node network, in CIDR notation. */
    subnet: string;
    /** The nodes, in a fixed order. */
    servers: ClusterServer[];
    /** Port of the S3 listener. */
    s3Port: number;
    /** Port of the console listener. */
    consolePort: number;
    /** Readiness of the S3 listener. */
    s3HealthPath: string;
    /** Path of the S3 listener that answers 200 for as long as a node can read. Default: none. */
    s3ReadHealthPath?: string;
    /** Health of the console listener. */
    consoleHealthPath: string;
    /** Paths that are not for everyone. */
    restrictedPaths: RestrictedPaths;
    /**
     * Addresses of the node network that are kept for proxies: the nodes take their word for who a client is, and nobody else's.
     * Default: none, a proxy gets any address.
     */
    proxyAddresses?: string[];
    /** Uploads that are refused, since the store verifies no signature of theirs. Default: none. */
    unverifiedUploads?: UnverifiedUploads;
}

/** One node, as a proxy sees it. */
export interface ClusterServer {
    /** `node1`, `node2` … */
    name: string;
    /** Address on the node network. */
    address: string;
}

/**
 * An S3-compatible store with a console: one node, or several as one erasure-coded cluster, on an internal network
 * of its own. It publishes no port: {@link HaproxyFrontEnd} does.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created, with every problem of the args at once.
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
    /** Where the nodes are reached. In an update it is known only once every node is healthy. */
    readonly endpoints: pulumi.Output<ClusterEndpoints>;

    constructor(name: string, args: StorageClusterArgs = {}, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:StorageCluster", name, {}, opts);
        const settings = resolveStorageCluster(name, args, dockerHostOf(this, args.dockerHost));
        const dependsOn = engineAllows("StorageCluster", settings.demands, opts?.dependsOn);
        const childOptions = { parent: this, dependsOn };
        warnOfVulnerabilities(this, settings.image, settings.profile.knownVulnerabilities);

        const image = new docker.RemoteImage(
            `${name}-image`,
            { name: settings.image, keepLocally: true },
            childOptions,
        );
        const network = nodeNetwork(name, settings, childOptions);
        const egress = settings.egress ? egressNetwork(name, settings, childOptions) : undefined;
        const credentials = new Credentials(`${name}-credentials`, settings, childOptions);
        const { profile, topology, cluster, dockerHost } = settings;
        const inputs = clusterInputs(settings, credentials);
        const rollout = new Rollout(
            inputs.apply((known) => ({ ...cluster, ...known })),
            { ...settings, component: this, networkName: cluster.networkName },
        );
        const probe = ContainerProbe.of("StorageCluster", settings.clusterName, LABELS.cluster, dockerHost);
        // Once more, with the root keys that were generated: data must not get others.
        const nodeOptions = {
            parent: this,
            dependsOn: engineAllows("StorageCluster", { dockerHost, cluster, clusterInputs: inputs }, opts?.dependsOn),
        };
        const nodes = topology.nodes.map(
            (place) =>
                new StorageNode(
                    `${name}-${place.serverName}`,
                    {
                        ...settings,
                        dockerHost: args.dockerHost,
                        place,
                        alike: alikeInputs(settings).apply(alikeDigest),
                        image: image.imageId,
                        networkName: network.name,
                        egressNetworkName: egress?.name,
                        hosts: topology.nodes.map((peer) => ({ host: peer.name, ip: peer.address })),
                        environment: nodeEnvironment(settings),
                        secretEnvironment: nodeSecrets(settings, credentials),
                    },
                    nodeOptions,
                    (inputs, container, prepared) => {
                        probe.add(place.name, container);
                        return rollout.turnOf(place, inputs, prepared);
                    },
                ),
        );
        const ready = whenHealthy(this, probe, rollout, nodes, settings).catch((error: unknown) => {
            throw told(this, error);
        });

        this.accessKey = credentials.accessKey;
        this.secretKey = credentials.secretKey;
        this.nodeNames = pulumi.all(nodes.map((node) => node.nodeName));
        this.volumeNames = pulumi.all(nodes.map((node) => node.volumeNames)).apply((names) => names.flat());
        this.endpoints = pulumi.output(
            ready.then(() => ({
                profileName: profile.name,
                networkName: network.name,
                subnet: settings.subnet,
                servers: topology.nodes.map(({ serverName, address }) => ({ name: serverName, address })),
                s3Port: S3_PORT,
                consolePort: CONSOLE_PORT,
                s3HealthPath: profile.s3HealthPath,
                s3ReadHealthPath: profile.s3ReadHealthPath,
                consoleHealthPath: profile.consoleHealthPath,
                restrictedPaths: profile.restrictedPaths,
                ...(profile.variables.trustedProxies === undefined
                    ? {}
                    : { proxyAddresses: proxyAddresses(settings.subnet) }),
                ...(profile.unverifiedUploads === undefined ? {} : { unverifiedUploads: profile.unverifiedUploads }),
            })),
        );
        this.registerOutputs({
            accessKey: this.accessKey,
            secretKey: this.secretKey,
            nodeNames: this.nodeNames,
            volumeNames: this.volumeNames,
            endpoints: this.endpoints,
        });
    }
}

function nodeNetwork(
    name: string,
    { clusterName, stackName, subnet, dockerHost }: StorageClusterSettings,
    opts: pulumi.CustomResourceOptions,
): docker.Network {
    return new docker.Network(
        `${name}-network`,
        {
            name: `${clusterName}-nodes`,
            driver: "bridge",
            internal: true,
            // Addresses that nobody chose come from the upper half, so that they never take a node's.
            ipamConfigs: [{ subnet, gateway: gatewayOf(subnet), ipRange: upperHalf(subnet) }],
            options: isolatedGateway(dockerHost),
            labels: labelList({ [LABELS.cluster]: clusterName, [LABELS.stack]: stackName }),
        },
        // Neither a newer engine nor a renamed stack is a reason to replace the network, and every node with it.
        { ...opts, ignoreChanges: ["options", "labels"] },
    );
}

function egressNetwork(
    name: string,
    { clusterName, stackName }: StorageClusterSettings,
    opts: pulumi.CustomResourceOptions,
): docker.Network {
    const labels = labelList({ [LABELS.cluster]: clusterName, [LABELS.stack]: stackName });
    return new docker.Network(
        `${name}-egress`,
        { name: `${clusterName}-egress`, driver: "bridge", labels },
        // As of the node network.
        { ...opts, ignoreChanges: ["labels"] },
    );
}

/** A failure as an error of the component; what the engine or a proxy answered comes as an error of a library's. */
function told(component: pulumi.Resource, error: unknown): Error {
    return error instanceof pulumi.ResourceError || error instanceof pulumi.InputPropertiesError
        ? error
        : withoutStack(new pulumi.ResourceError((error as Error).message, component, true));
}

/**
 * Rolls the nodes out, once the engine is known to take them, and resolves once every one is healthy: both listeners of each. In a preview nothing is waited for.
 *
 * A promise, not an output: what waits for it must not count as derived from the nodes' containers, since the engine
 * replaces what derives from a replaced container along with it.
 */
async function whenHealthy(
    component: pulumi.Resource,
    probe: ContainerProbe,
    rollout: Rollout,
    nodes: StorageNode[],
    { dockerHost, readyTimeout: timeout, topology }: StorageClusterSettings,
): Promise<void> {
    if (pulumi.runtime.isDryRun()) {
        return;
    }
    const ids = new Map(nodes.map((node, index) => [topology.nodes[index]?.name ?? "", node.containerId]));
    await probe.passed();
    const settled = await rollout.run(ids);
    const containers = [...ids].map(([name, containerId]) => containerId.apply((id) => ({ name, id })));
    const awaited = await new Promise<AwaitedContainer[]>((resolve) => pulumi.all(containers).apply(resolve));
    await waitUntilHealthy(awaited, { dockerHost, timeout, component });
    await settled();
}
