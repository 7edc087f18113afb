import { defaultOf } from "../args/schema";
import { pathsOf, placementOf, poolsOf, profileOf } from "./pools";
import { checkGivenSubnet, checkHosts, checkProfile, checkShape, checkStorageCluster } from "./clusterChecks";
import { checkDrivePaths } from "./drivePaths";
import * as pulumi from "@pulumi/pulumi";
import type { DockerHost } from "../docker/providerHost";
import type { ClusterInputs, DesiredCluster } from "../requirements/desiredCluster";
import { deploymentHosts, type DeploymentHost } from "../docker/hosts";
import type { EngineDemands, HostDemands } from "../requirements/run";
import { allLabels, type Labels } from "../docker/containerArgs";
import { checkLabels } from "../checks/textChecks";
import { dependsOnOthers } from "../checks/plain";
import { networkForName } from "../naming/ipv4Network";
import { wantedLimits } from "../requirements/limitChecks";
import { LABELS } from "../naming/labels";
import { alikeInputs, nodeSecrets, type RootSecrets } from "../store/nodeEnvironment";
import { refuse } from "../checks/refusal";
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
    /** The hosts of the nodes. One without a name, if the args name none. */
    hosts: readonly DeploymentHost[];
    /** Whether data between hosts is encrypted. */
    encrypted: boolean;
    /** The desired cluster, which existing data and nodes are compared with. Its inputs aren't known yet. */
    cluster: DesiredCluster;
    demands: EngineDemands;
}

/** The settings that depend on the args alone. */
type ClusterSettings = Omit<StorageClusterSettings, "demands" | "cluster" | "hosts">;

/**
 * Fills in the defaults.
 *
 * @throws {pulumi.InputPropertiesError} with every problem of {@link checkStorageCluster}.
 */
export function resolveStorageCluster(
    name: string,
    args: StorageClusterArgs,
    dockerHost?: DockerHost,
): StorageClusterSettings {
    refuse("StorageCluster", checkStorageCluster(name, args));
    const settings = settingsOf(name, args);
    return {
        ...settings,
        hosts: deploymentHosts(args, dockerHost),
        cluster: desiredCluster(name, args, settings),
        demands: { ...clusterDemands(name, args), dockerHost },
    };
}

/** Fills in the defaults of valid args. */
function settingsOf(name: string, args: StorageClusterArgs): ClusterSettings {
    const profile = profileOf(args);
    const clusterName = args.clusterName ?? name;
    const stackName = `${pulumi.getProject()}/${pulumi.getStack()}`;
    const subnet = args.subnet ?? networkForName(clusterName);
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

/** What a cluster will require of its hosts, as far as its args are valid. */
export function clusterDemands(name: string, args: StorageClusterArgs): EngineDemands {
    const sound = [...checkProfile(args), ...checkShape(args), ...checkGivenSubnet(args), ...checkHosts(args)];
    const settings = sound.length === 0 ? settingsOf(name, args) : undefined;
    const ofCluster =
        settings === undefined
            ? {}
            : laterCluster(desiredCluster(name, args, settings), clusterInputs(settings, args), args.labels);
    const names = settings === undefined ? [] : (args.hosts ?? []).map((host) => host.name);
    return args.hosts === undefined
        ? { ...ofCluster, ...hostDemands(name, args, undefined) }
        : {
              ...ofCluster,
              swarm: sound.length === 0 ? args.hosts : undefined,
              ofHosts: new Map(names.map((host) => [host, hostDemands(name, args, host)])),
          };
}

/** Subnet of the node network. Undefined if the configured one can't be used. */
export function nodeSubnet(name: string, args: StorageClusterArgs): string | undefined {
    return hostDemands(name, args, undefined).networks?.[0]?.subnet;
}

/** What a cluster will require of one of its hosts. */
function hostDemands(name: string, args: StorageClusterArgs, host: string | undefined): HostDemands {
    const clusterName = args.clusterName ?? name;
    const subnet = args.subnet ?? networkForName(clusterName);
    return {
        networks:
            checkGivenSubnet(args).length > 0
                ? []
                : [
                      {
                          name: `${clusterName}-nodes`,
                          propertyPath: "subnet",
                          subnet,
                          owner: { propertyPath: "clusterName", label: LABELS.cluster, name: clusterName },
                      },
                  ],
        drives: {
            folders: checkDrivePaths(pathsOf(args)).length > 0 ? [] : pathsOf(args, host),
            allowOneDevice: args.allowDrivesOnOneDevice ?? false,
            clusterName,
            stackName: `${pulumi.getProject()}/${pulumi.getStack()}`,
            formatFile: profileOf(args).formatFile,
        },
        limits: wantedLimits(args),
    };
}

/**
 * The desired cluster as a requirement: at first without its inputs, and with them once they are known.
 *
 * @param labels The configured labels. Those that other resources provide are checked then.
 */
export function laterCluster(
    cluster: DesiredCluster,
    inputs: pulumi.Output<ClusterInputs>,
    labels: Labels = {},
): Pick<EngineDemands, "cluster" | "later"> {
    const ofLabels = dependsOnOthers(labels)
        ? [allLabels(labels).apply((known) => ({ problems: checkLabels("labels", known), demands: {} }))]
        : [];
    const whole = inputs.apply((known) => ({ problems: [], demands: { cluster: { ...cluster, ...known } } }));
    return { cluster, later: [whole, ...ofLabels] };
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
        alike: alikeInputs(settings),
        image: settings.image,
        secrets: nodeSecrets(settings, secrets),
    });
}
