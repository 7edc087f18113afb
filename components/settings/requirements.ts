import * as pulumi from "@pulumi/pulumi";
import { defaultOf } from "../args/schema";
import type { StorageClusterArgs } from "../args/storageClusterArgs";
import { dependsOnOthers, isPlain } from "../checks/plain";
import { located, withoutValues, type At, type Problem } from "../checks/problem";
import { checkLabels } from "../checks/textChecks";
import { allLabels, type Labels } from "../docker/containerArgs";
import { LABELS } from "../naming/labels";
import { clusterCanBecome } from "../requirements/clusterRequirements";
import type { ClusterInputs, DesiredCluster } from "../requirements/desiredCluster";
import { foldersCanHoldDrives, type DriveFolder, type WantedDrives } from "../requirements/drivePathChecks";
import { ipv6NetworkIsFree } from "../requirements/ipv6NetworkChecks";
import { limitsAreAccepted } from "../requirements/limitChecks";
import { networksAreFree, type WantedNetwork } from "../requirements/networkChecks";
import { portsAreFree } from "../requirements/portChecks";
import { imageIsSupported } from "../requirements/proxyImage";
import type { LaterRequirements, Requirement, Requirements } from "../requirements/requirement";
import { clusterInputs, clusterSettings } from "./clusterSettings";
import { pathsOf } from "./pools";
import { publicIpv6Of, type PublicIpv6 } from "./publicIpv6";
import { publicSubnetOf } from "./proxyNetworks";
import { checkProxy, type ProxyArgsWithoutCluster } from "./proxySettings";

/** A cluster of a deployment. Its args are valid. */
export interface PlannedCluster {
    /** Name of its component. */
    component: string;
    cluster: StorageClusterArgs;
    at: At;
    /** Names of the deployment's other clusters, if this is the first one: one that is no longer among them was removed. */
    additionalClusters?: readonly string[];
}

/** A proxy of a deployment. Its args are valid. */
export interface PlannedProxy {
    /** Name of its component. */
    name: string;
    /** Name of its host. Undefined if the deployment has one host. */
    host: string | undefined;
    args: ProxyArgsWithoutCluster;
    at: At;
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
                ...clusters.map(nodeNetwork),
                ...proxies.filter((proxy) => proxy.host === host).flatMap(publicNetwork),
            ]),
            ...clusters.flatMap((cluster, index) => [
                foldersCanHoldDrives(host, wantedDrives(cluster, clusters.slice(0, index), host)),
                limitsAreAccepted(host, cluster.cluster, cluster.at),
            ]),
        ]),
        ...clusters.flatMap(ofCluster),
        ...proxies.flatMap(ofProxy),
    ];
}

/** The subnet of the nodes' network, and what it is named after. */
function nodeNetwork({ component, cluster, at }: PlannedCluster): WantedNetwork {
    const { clusterName, subnet } = clusterSettings(component, cluster);
    return {
        name: `${clusterName}-nodes`,
        propertyPath: at("subnet"),
        subnet,
        owner: { propertyPath: at("clusterName"), label: LABELS.cluster, name: clusterName },
    };
}

function publicNetwork({ name, args, at }: PlannedProxy): WantedNetwork[] {
    const { frontEndName = name } = args;
    return args.publicNetworkName !== undefined
        ? []
        : [
              {
                  name: `${frontEndName}-public`,
                  propertyPath: at("publicSubnet"),
                  subnet: publicSubnetOf(name, args),
                  owner: { propertyPath: at("frontEndName"), label: LABELS.proxy, name: frontEndName },
              },
          ];
}

/** @param before The clusters before this one: links in its paths may lead to their folders. */
function wantedDrives(
    { component, cluster, at }: PlannedCluster,
    before: readonly PlannedCluster[],
    host: string | undefined,
): WantedDrives {
    const { clusterName, stackName, profile, allowDrivesOnOneDevice } = clusterSettings(component, cluster);
    return {
        folders: foldersOn(host, cluster, at),
        ofOtherStores: before.flatMap((other) => foldersOn(host, other.cluster, other.at)),
        allowOneDevice: allowDrivesOnOneDevice,
        clusterName,
        stackName,
        formatFile: profile.formatFile,
    };
}

function foldersOn(host: string | undefined, args: StorageClusterArgs, at: At): DriveFolder[] {
    return pathsOf(args, host).map(({ propertyPath, path }) => ({ propertyPath: at(propertyPath), path }));
}

function ofCluster({ component, cluster, at, additionalClusters }: PlannedCluster): LaterRequirements[] {
    const settings = clusterSettings(component, cluster);
    return [
        dataIsKept({ ...settings.cluster, additionalClusters }, clusterInputs(settings, cluster), at),
        ...labelsAreValid(cluster.labels, at),
    ];
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
    const publicIpv6 = publicIpv6Of(args);
    return [
        ...ofPorts(proxy, publicIpv6),
        ...(publicIpv6 === undefined ? [] : [ipv6NetworkIsFree(host, ipv6Network(frontEndName, publicIpv6, at))]),
        ...(typeof image === "string" ? [imageIsSupported(host, at("image"), image)] : []),
        limitsAreAccepted(host, args, at),
        ...laterOfProxy(proxy),
    ];
}

/** The IPv6 network through which clients connect. */
export function ipv6Network(frontEndName: string, { subnet }: PublicIpv6, at: At): WantedNetwork {
    return { name: `${frontEndName}-public`, propertyPath: at("publicIpv6Subnet"), subnet };
}

/** The ports that are known, on each address. */
function ofPorts({ name, host, args, at }: PlannedProxy, publicIpv6: PublicIpv6 | undefined): Requirement[] {
    const ports = (["httpPort", "httpsPort"] as const).flatMap((property) => {
        const port = args[property] ?? defaultOf("HaproxyFrontEndArgs", property);
        return isPlain(port) ? [{ propertyPath: at(property), port }] : [];
    });
    const { publishAddress = defaultOf("HaproxyFrontEndArgs", "publishAddress") } = args;
    const proxyName = `${args.frontEndName ?? name}-proxy`;
    const on = (addressProperty: string, address: string) =>
        portsAreFree(host, { ports, publishAddress: address, addressProperty: at(addressProperty), proxyName });
    return [
        on("publishAddress", publishAddress),
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
