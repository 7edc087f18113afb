import * as pulumi from "@pulumi/pulumi";
import { defaultOf } from "../args/schema";
import type { StoreContentsArgs } from "../args/contentsArgs";
import type { StorageClusterArgs } from "../args/storageClusterArgs";
import { dependsOnOthers, isPlain } from "../checks/plain";
import { located, withoutValues, type At, type Problem } from "../checks/problem";
import { checkLabels } from "../checks/textChecks";
import { allLabels, type Labels } from "../docker/containerArgs";
import { LABELS } from "../naming/labels";
import { clientImageIsThere } from "../requirements/clientImage";
import { clusterCanBecome } from "../requirements/clusterRequirements";
import type { ClusterInputs, DesiredCluster } from "../requirements/desiredCluster";
import { foldersCanHoldDrives, type DriveFolder, type WantedDrives } from "../requirements/drivePathChecks";
import { ipv6NetworkIsFree } from "../requirements/ipv6NetworkChecks";
import { limitsAreAccepted, type WantedLimits } from "../requirements/limitChecks";
import { networksAreFree, type WantedNetwork } from "../requirements/networkChecks";
import { portsAreFree } from "../requirements/portChecks";
import { imageIsSupported } from "../requirements/proxyImage";
import type { LaterRequirements, Requirement, Requirements } from "../requirements/requirement";
import { weakBucketsAreNamed } from "../requirements/weakBuckets";
import { clusterInputs, clusterSettings, nodeSubnetOf } from "./clusterSettings";
import { pathsOf, profileOf } from "./pools";
import { publicIpv6Of, type PublicIpv6 } from "./publicIpv6";
import { publicSubnetOf } from "./proxyNetworks";
import { checkProxy, type ProxyArgsWithoutCluster } from "./proxySettings";

/** A part of a deployment. */
interface Planned {
    at: At;
    /** The problems of its args: what follows from these args isn't asked. Default: none. */
    problems?: readonly Problem[];
}

/** A cluster of a deployment. */
export interface PlannedCluster extends Planned {
    /** Name of its component. */
    component: string;
    cluster: StorageClusterArgs;
    /** Names of the deployment's other clusters, if this is the first one: one that is no longer among them was removed. */
    additionalClusters?: readonly string[];
    contents?: StoreContentsArgs;
}

/** A proxy of a deployment. */
export interface PlannedProxy extends Planned {
    /** Name of its component. */
    name: string;
    /** Name of its host. Undefined if the deployment has one host. */
    host: string | undefined;
    args: ProxyArgsWithoutCluster;
}

/** A deployment, as far as it concerns its engines. */
export interface PlannedDeployment {
    clusters: readonly PlannedCluster[];
    proxies: readonly PlannedProxy[];
    /** Names of the hosts. Default: one host. */
    hosts?: readonly string[];
}

/** All that a deployment requires of its engines, whether they are on one host or on several. */
export function requirementsOf({ clusters, proxies, hosts }: PlannedDeployment): Requirements["then"] {
    return [
        ...(hosts ?? [undefined]).flatMap((host) => [
            networksAreFree(host, [
                ...clusters.flatMap(nodeNetwork),
                ...proxies.filter((proxy) => proxy.host === host).flatMap(publicNetwork),
            ]),
            ...clusters.flatMap((cluster, index) => [
                foldersCanHoldDrives(host, wantedDrives(cluster, clusters.slice(0, index), host)),
                limitsAreAccepted(host, validLimits(cluster, cluster.cluster), cluster.at),
            ]),
        ]),
        ...clusters.flatMap(ofCluster),
        ...proxies.flatMap(ofProxy),
    ];
}

/** Whether none of some args has a problem. */
function areValid({ problems = [], at }: Planned, ...args: string[]): boolean {
    return problems.every(({ propertyPath }) => !args.some((arg) => propertyPath.startsWith(at(arg))));
}

/** Those limits of a container that are valid. */
function validLimits(part: Planned, { memory, cpus, openFiles }: WantedLimits): WantedLimits {
    const valid = Object.entries({ memory, cpus, openFiles }).filter(([arg]) => areValid(part, arg));
    return Object.fromEntries(valid);
}

function nodeNetwork(part: PlannedCluster): WantedNetwork[] {
    const { component, cluster, at } = part;
    const { clusterName = component } = cluster;
    return areValid(part, "subnet", "nodeCount", "pools")
        ? [
              {
                  name: `${clusterName}-nodes`,
                  propertyPath: at("subnet"),
                  subnet: nodeSubnetOf(component, cluster),
                  owner: { propertyPath: at("clusterName"), label: LABELS.cluster, name: clusterName },
              },
          ]
        : [];
}

function publicNetwork(part: PlannedProxy): WantedNetwork[] {
    const { name, args, at } = part;
    const { frontEndName = name } = args;
    return args.publicNetworkName === undefined && areValid(part, "publicSubnet")
        ? [
              {
                  name: `${frontEndName}-public`,
                  propertyPath: at("publicSubnet"),
                  subnet: publicSubnetOf(name, args),
                  owner: { propertyPath: at("frontEndName"), label: LABELS.proxy, name: frontEndName },
              },
          ]
        : [];
}

/** @param before The clusters before this one: links in its paths may lead to their folders. */
function wantedDrives(part: PlannedCluster, before: readonly PlannedCluster[], host: string | undefined): WantedDrives {
    const { component, cluster } = part;
    return {
        folders: foldersOn(host, part),
        ofOtherStores: before.flatMap((other) => foldersOn(host, other)),
        allowOneDevice: cluster.allowDrivesOnOneDevice === true,
        clusterName: cluster.clusterName ?? component,
        stackName: `${pulumi.getProject()}/${pulumi.getStack()}`,
        formatFile: profileOf(cluster).formatFile,
    };
}

function foldersOn(host: string | undefined, part: PlannedCluster): DriveFolder[] {
    const { cluster, at } = part;
    return areValid(part, "drivePaths", "pools")
        ? pathsOf(cluster, host).map(({ propertyPath, path }) => ({ propertyPath: at(propertyPath), path }))
        : [];
}

/** Args that decide which nodes and drives there are. */
const OF_TOPOLOGY = [
    ...["clusterName", "profile", "customProfile", "image", "subnet", "hosts", "allowedChanges"],
    ...["nodeCount", "drivesPerNode", "drivePaths", "volumeNames", "pools", "allowDrivesOnOneDevice"],
];

function ofCluster(part: PlannedCluster): Requirements["then"] {
    const { component, cluster, at, additionalClusters, contents } = part;
    if (!areValid(part, ...OF_TOPOLOGY)) {
        return [];
    }
    const settings = clusterSettings(component, cluster);
    const desired = { ...settings.cluster, additionalClusters };
    return [
        dataIsKept(desired, clusterInputs(settings, cluster), at),
        weakBucketsAreNamed(desired, declaredIn(contents)),
        ...(hasContents(contents) && areValid(part, "clientImage") ? [clientImageIsThere(desired, cluster, at)] : []),
        ...labelsAreValid(cluster.labels, at),
    ];
}

function hasContents({ buckets = {}, policies = {}, accessKeys = {} }: StoreContentsArgs = {}): boolean {
    return [buckets, policies, accessKeys].some((named) => Object.keys(named).length > 0);
}

/** Names of the buckets whose durability the args say. */
function declaredIn({ buckets = {} }: StoreContentsArgs = {}): string[] {
    return Object.keys(buckets).filter((name) => buckets[name]?.durability !== undefined);
}

/** The deployed cluster can become the desired one. Asked without its inputs at first, and again once they are known. */
export function dataIsKept(desired: DesiredCluster, inputs: pulumi.Output<ClusterInputs>, at: At): LaterRequirements {
    return {
        before: [clusterCanBecome(desired, at)],
        known: inputs.apply((known) => [clusterCanBecome({ ...desired, ...known }, at)]),
    };
}

/** Labels that other resources provide are valid. */
function labelsAreValid(labels: Labels = {}, at: At): LaterRequirements[] {
    const known = () => allLabels(labels).apply((all) => problems(located(at, checkLabels("labels", all))));
    return dependsOnOthers(labels) ? [{ before: [], known: known() }] : [];
}

function ofProxy(proxy: PlannedProxy): Requirements["then"] {
    const { name, host, args, at } = proxy;
    const { frontEndName = name, image } = args;
    const publicIpv6 = areValid(proxy, "publicIpv6Subnet", "publishIpv6Address") ? publicIpv6Of(args) : undefined;
    return [
        ...ofPorts(proxy, publicIpv6),
        ...(publicIpv6 === undefined ? [] : [ipv6NetworkIsFree(host, ipv6Network(frontEndName, publicIpv6, at))]),
        ...(typeof image === "string" && areValid(proxy, "image") ? [imageIsSupported(host, at("image"), image)] : []),
        limitsAreAccepted(host, validLimits(proxy, args), at),
        ...((proxy.problems ?? []).length > 0 ? [] : laterOfProxy(proxy)),
    ];
}

/** The IPv6 network through which clients connect. */
export function ipv6Network(frontEndName: string, { subnet }: PublicIpv6, at: At): WantedNetwork {
    return { name: `${frontEndName}-public`, propertyPath: at("publicIpv6Subnet"), subnet };
}

/** The ports that are known, on each address. */
function ofPorts(proxy: PlannedProxy, publicIpv6: PublicIpv6 | undefined): Requirement[] {
    const { name, host, args, at } = proxy;
    const ports = (["httpPort", "httpsPort"] as const).flatMap((property) => {
        const port = args[property] ?? defaultOf("HaproxyFrontEndArgs", property);
        return isPlain(port) && areValid(proxy, property) ? [{ propertyPath: at(property), port }] : [];
    });
    const { publishAddress = defaultOf("HaproxyFrontEndArgs", "publishAddress") } = args;
    const proxyName = `${args.frontEndName ?? name}-proxy`;
    const on = (addressProperty: string, address: string) =>
        portsAreFree(host, { ports, publishAddress: address, addressProperty: at(addressProperty), proxyName });
    return [
        ...(areValid(proxy, "publishAddress") ? [on("publishAddress", publishAddress)] : []),
        ...(publicIpv6 === undefined ? [] : [on("publishIpv6Address", publicIpv6.publishAddress)]),
    ];
}

/** What follows from hostnames, ports and labels that other resources provide. */
function laterOfProxy({ name, host, args, at }: PlannedProxy): LaterRequirements[] {
    const { s3Host, consoleHost, httpPort, httpsPort, labels, stores, services } = args;
    const inputs = {
        ...{ s3Host, consoleHost, httpPort, httpsPort, labels },
        stores: stores?.map((store) => ({ s3Host: store.s3Host, consoleHost: store.consoleHost })),
        services: services?.map(({ hostname }) => ({ hostname })),
    };
    if (!dependsOnOthers(inputs)) {
        return [];
    }
    const output = pulumi.output(inputs);
    const known = output.apply(async (values) => {
        const knownArgs = {
            ...args,
            ...values,
            stores: stores?.map((store, index) => ({ ...store, ...values.stores?.[index] })),
            services: services?.map((service, index) => ({ ...service, ...values.services?.[index] })),
        };
        const found = checkProxy(name, knownArgs, [], at);
        const secrets = (await pulumi.isSecret(output)) ? values : [];
        return found.length > 0
            ? problems(withoutValues(found, secrets))
            : ofPorts({ name, host, args: knownArgs, at }, publicIpv6Of(args));
    });
    return [{ before: [], known }];
}

/** Requirements that don't hold whatever the engines say. */
function problems(found: Problem[]): Requirement[] {
    return [() => Promise.resolve(found)];
}
