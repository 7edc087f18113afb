import { defaultOf } from "../args/schema";
import { placementOf, poolsOf, profileOf } from "./pools";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterInputs, DesiredCluster } from "../requirements/desiredCluster";
import type { Labels } from "../docker/containerArgs";
import { networkForName } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";
import { sharedInputs, nodeSecrets, type RootSecrets } from "../store/nodeEnvironment";
import type { ServiceProfile } from "../store/serviceProfile";
import type { StorageClusterArgs } from "../args/storageClusterArgs";
import { layOut, type Topology } from "../store/topology";

/** The args of a cluster with every default filled in, and the values derived from them. */
export interface StorageClusterSettings {
    clusterName: string;
    /** Project and stack, joined by a slash. */
    stackName: string;
    profile: ServiceProfile;
    image: pulumi.Input<string>;
    topology: Topology;
    allowDrivesOnOneDevice: boolean;
    subnet: string;
    accessKey?: pulumi.Input<string>;
    secretKey?: pulumi.Input<string>;
    internodeSecret?: pulumi.Input<string>;
    logLevel?: string;
    environment: { [name: string]: pulumi.Input<string> };
    secretEnvironment: { [name: string]: pulumi.Input<string> };
    additionalTrustedCertificates?: pulumi.Input<string>;
    consoleUrl?: pulumi.Input<string>;
    bucketDomains: pulumi.Input<string>[];
    egress: boolean;
    memory?: number;
    cpus?: number;
    openFiles?: number;
    retainData: boolean;
    readyTimeout: number;
    drainTimeout: number;
    restartedAt?: string;
    labels: Labels;
    /** Whether data between hosts is encrypted. */
    encrypted: boolean;
    /** The desired cluster, which existing data and nodes are compared with. Its inputs aren't known yet. */
    cluster: DesiredCluster;
}

type ClusterSettings = Omit<StorageClusterSettings, "cluster">;

/** Fills in the defaults of valid args. */
export function clusterSettings(name: string, args: StorageClusterArgs): StorageClusterSettings {
    const settings = settingsOf(name, args);
    return { ...settings, cluster: desiredCluster(name, args, settings) };
}

function settingsOf(name: string, args: StorageClusterArgs): ClusterSettings {
    const profile = profileOf(args);
    const clusterName = args.clusterName ?? name;
    const stackName = `${pulumi.getProject()}/${pulumi.getStack()}`;
    const subnet = nodeSubnetOf(name, args);
    const labels = { [LABELS.stack]: stackName, [LABELS.component]: name };
    const pools = poolsOf(args);
    return {
        clusterName,
        stackName,
        profile,
        image: args.image ?? profile.image ?? "",
        topology: layOut({
            clusterName,
            profileName: profile.name,
            pools,
            subnet,
            labels,
            placement: placementOf(args, pools),
        }),
        allowDrivesOnOneDevice: args.allowDrivesOnOneDevice ?? false,
        subnet,
        accessKey: args.accessKey,
        secretKey: args.secretKey,
        internodeSecret: args.internodeSecret,
        logLevel: args.logLevel ?? profile.logLevel,
        environment: args.environment ?? {},
        secretEnvironment: args.secretEnvironment ?? {},
        additionalTrustedCertificates: args.additionalTrustedCertificates,
        consoleUrl: args.consoleUrl,
        bucketDomains: args.bucketDomains ?? [],
        egress: args.egress ?? false,
        memory: args.memory,
        cpus: args.cpus,
        openFiles: args.openFiles,
        retainData: args.retainData ?? true,
        readyTimeout: args.readyTimeout ?? defaultOf("StorageClusterArgs", "readyTimeout"),
        drainTimeout: args.drainTimeout ?? defaultOf("StorageClusterArgs", "drainTimeout"),
        restartedAt: args.restartedAt,
        labels: args.labels ?? {},
        encrypted: args.unencryptedOverlay !== true,
    };
}

/** Subnet of the node network: the configured one, or a /24 derived from the name. */
export function nodeSubnetOf(name: string, { subnet, clusterName = name }: StorageClusterArgs): string {
    return subnet ?? networkForName(clusterName);
}

/** The number of parity drives that the environment sets, as `EC:2`. Undefined for the store's default. */
function parityIn(
    environment: { [name: string]: pulumi.Input<string> },
    { parityVariable = "" }: ServiceProfile,
): number | undefined {
    const value = environment[parityVariable];
    const [, parity] = /^EC:(\d+)$/.exec(typeof value === "string" ? value : "") ?? [];
    return parity === undefined ? undefined : Number(parity);
}

/** The desired cluster, which existing data and nodes are compared with. */
function desiredCluster(name: string, args: StorageClusterArgs, settings: ClusterSettings): DesiredCluster {
    const { clusterName, stackName, profile, topology, subnet } = settings;
    return {
        clusterName,
        stackName,
        componentName: name,
        profile,
        pools: poolsOf(args),
        nodes: topology.nodes,
        networkName: `${clusterName}-nodes`,
        subnet,
        networkKind:
            args.hosts === undefined ? "bridge" : settings.encrypted ? "encrypted overlay" : "unencrypted overlay",
        secrets: {},
        allowedChanges: args.allowedChanges ?? [],
        parity: parityIn({ ...args.environment, ...args.secretEnvironment }, profile),
        namesPools: args.pools !== undefined,
    };
}

/**
 * The part of a desired cluster that may come from other resources. Root secrets without a configured value are left out.
 */
export function clusterInputs(settings: ClusterSettings, secrets: RootSecrets): pulumi.Output<ClusterInputs> {
    return pulumi.output({
        alike: sharedInputs(settings),
        image: settings.image,
        secrets: nodeSecrets(settings, secrets),
    });
}
