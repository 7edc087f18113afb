import { withDefaults, type WithDefaults } from "../args/schema";
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

type Args = WithDefaults<"StorageClusterArgs", StorageClusterArgs>;

/** The args of a cluster with every default filled in, and the values derived from them. */
export interface StorageClusterSettings extends Omit<Args, "hosts" | "logLevel" | "profile"> {
    clusterName: string;
    /** Project and stack, joined by a slash. */
    stackName: string;
    profile: ServiceProfile;
    image: pulumi.Input<string>;
    topology: Topology;
    subnet: string;
    logLevel?: string;
    environment: { [name: string]: pulumi.Input<string> };
    secretEnvironment: { [name: string]: pulumi.Input<string> };
    bucketDomains: pulumi.Input<string>[];
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
    const { clusterName = name, environment = {}, secretEnvironment = {}, bucketDomains = [], labels = {} } = args;
    const stackName = `${pulumi.getProject()}/${pulumi.getStack()}`;
    const subnet = nodeSubnetOf(name, args);
    const pools = poolsOf(args);
    return {
        ...withDefaults("StorageClusterArgs", args),
        ...{ clusterName, stackName, profile, subnet, environment, secretEnvironment, bucketDomains, labels },
        image: args.image ?? profile.image ?? "",
        logLevel: args.logLevel ?? profile.logLevel,
        encrypted: args.unencryptedOverlay !== true,
        topology: layOut({
            clusterName,
            profileName: profile.name,
            pools,
            subnet,
            labels: { [LABELS.stack]: stackName, [LABELS.component]: name },
            placement: placementOf(args, pools),
        }),
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
