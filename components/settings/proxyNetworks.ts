import { checkBucketDomainsOfClusters } from "./bucketHosts";
import * as pulumi from "@pulumi/pulumi";
import { connectEngine } from "../docker/connectEngine";
import type { Host } from "../docker/hosts";
import type { EngineNetwork } from "../docker/model";
import { checkSubnet } from "../checks/inputChecks";
import type { HaproxyStore } from "../haproxyConfig/haproxyStore";
import type { Problem } from "../checks/problem";
import { gatewayOf, networkForName } from "../naming/ipv4Network";
import { hasNoProxy } from "../requirements/proxyOnEngine";
import { checkProxyAddresses, claimNumber, type ProxyNetwork } from "../requirements/proxyAddresses";
import { checkTrustedProxies } from "./clientAddressChecks";
import { checkTrust, clustersOf, knownStores } from "./proxyBackends";
import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";
import type { ClusterEndpoints } from "../args/clusterEndpoints";
import { changesNothing } from "../pulumi/pulumiCommand";

/** The stores of a proxy, and the networks on both sides of the proxy. */
export interface ProxyNetworks {
    /**
     * The stores behind the proxy. They are known once their nodes are healthy; for a proxy of an ObjectStore that doesn't exist yet,
     * before, so that its files are ready when it may start.
     */
    stores: pulumi.Output<HaproxyStore[]>;
    /** Known once the nodes of all stores are healthy, so that the proxy may start. */
    storesReady: pulumi.Output<unknown>;
    /** Networks of the proxy besides the clients' network: those of the stores, then those of services. */
    backendNetworks: pulumi.Output<ProxyNetwork[]>;
    /** Those of the stores alone. */
    nodeNetworks: pulumi.Output<ProxyNetwork[]>;
    /** Subnet of the network through which clients connect. */
    publicSubnet: pulumi.Output<string>;
    /** Problems of the args together with the networks. */
    problems: pulumi.Output<Problem[]>;
}

/** The network through which clients connect: the configured one, or a /24 derived from the name. */
export function publicSubnetOf(name: string, args: Pick<HaproxyFrontEndArgs, "publicSubnet" | "frontEndName">): string {
    return args.publicSubnet ?? networkForName(`${args.frontEndName ?? name}-public`);
}

/** Checks the configured subnet of the public network. */
export function checkPublicSubnet({
    publicSubnet,
    publicNetworkName,
}: Pick<HaproxyFrontEndArgs, "publicSubnet" | "publicNetworkName">): Problem[] {
    if (publicSubnet !== undefined && publicNetworkName !== undefined) {
        const reason = `"${publicSubnet}" and publicNetworkName exclude each other: an existing network has its own subnet`;
        return [{ propertyPath: "publicSubnet", reason }];
    }
    return publicSubnet === undefined ? [] : checkSubnet("publicSubnet", publicSubnet, 16, 29);
}

/**
 * The stores, and the networks on both sides of the proxy, once they are known.
 *
 * @param host The proxy's. The engine of one that is away isn't asked.
 * @param earlyEndpoints The endpoints before the nodes are healthy. Default: those in the args.
 */
export function networksOf(
    name: string,
    args: HaproxyFrontEndArgs,
    { dockerHost, away = false }: Host,
    earlyEndpoints?: pulumi.Output<ClusterEndpoints>[],
): ProxyNetworks {
    const given = clustersOf(args).flatMap((cluster) => (cluster === undefined ? [] : [cluster]));
    const { frontEndName = name, proxyNumber = 1 } = args;
    const containerName = `${frontEndName}-proxy`;
    // A preview prepares nothing.
    const isAsked = !away && !changesNothing();
    const isNew = pulumi.output(isAsked && hasNoProxy(() => connectEngine(dockerHost), frontEndName));
    const clusters = isNew.apply((early) => pulumi.all(early ? (earlyEndpoints ?? given) : given));
    const existing = existingNetworks(args);
    const networks = pulumi.all([existing, dockerHost]).apply(async ([wanted, host]) => {
        const there = wanted.length === 0 ? [] : await (await connectEngine(host)).networks();
        return there.filter((network) => wanted.some((other) => other.name === network.name));
    });
    const nodeNetworks = clusters.apply((known) => distinct(known.map((cluster) => nodeNetwork(cluster, proxyNumber))));
    const backendNetworks = pulumi.all([nodeNetworks, existing]).apply(([ofStores, wanted]) => {
        const ofServices = wanted.filter(({ propertyPath }) => propertyPath !== "publicNetworkName");
        return distinct([...ofStores, ...ofServices.map((network) => ({ name: network.name }))]);
    });
    const rivals = claimNumber(clustersOf(args), proxyNumber, containerName);
    const taken = pulumi
        .all([backendNetworks, dockerHost])
        .apply(([joined, host]) =>
            away ? [] : checkProxyAddresses({ containerName, proxyNumber, networks: joined, rivals }, host),
        );
    const stores = pulumi.all([clusters, knownStores(args)]).apply(([known, named]) =>
        named.flatMap((store, index) => {
            const cluster = known[index];
            return cluster === undefined ? [] : [{ ...store, cluster }];
        }),
    );
    const publicSubnet = pulumi
        .all([args.publicNetworkName, networks])
        .apply(
            ([given, found]) => found.find((network) => network.name === given)?.subnet ?? publicSubnetOf(name, args),
        );
    const problems = pulumi
        .all([stores, existing, networks, taken])
        .apply(([known, wanted, found, ofAddresses]) => [
            ...checkNetworksOf(args, known, wanted, found),
            ...ofAddresses,
        ]);
    return { stores, storesReady: pulumi.all(given), backendNetworks, nodeNetworks, publicSubnet, problems };
}

/** A cluster's network, with the proxy's address there if it has one. */
function nodeNetwork({ networkName: name, proxyAddresses = [] }: ClusterEndpoints, proxyNumber: number): ProxyNetwork {
    return { name, ipv4Address: proxyAddresses[proxyNumber - 1] };
}

function checkNetworksOf(
    args: HaproxyFrontEndArgs,
    stores: readonly HaproxyStore[],
    wanted: readonly ExistingNetwork[],
    found: EngineNetwork[],
): Problem[] {
    const gateways = [
        ...stores.map(({ cluster }) => gatewayOf(cluster.subnet)),
        ...found.map(({ gateway }) => gateway),
    ];
    return [
        ...wanted.flatMap((desired) => checkExistingNetwork(desired, found)),
        ...checkTrust(args, gateways),
        ...checkTrustedProxies(args, gateways),
        ...checkBucketDomainsOfClusters(args, stores),
    ];
}

function distinct(networks: ProxyNetwork[]): ProxyNetwork[] {
    return networks.filter((network, index) => networks.findIndex((other) => other.name === network.name) === index);
}

/** A network that must exist already; the proxy doesn't create it. */
interface ExistingNetwork {
    propertyPath: string;
    name: string;
}

function existingNetworks({ publicNetworkName, services = [] }: HaproxyFrontEndArgs): pulumi.Output<ExistingNetwork[]> {
    const given =
        publicNetworkName === undefined ? [] : [{ propertyPath: "publicNetworkName", name: publicNetworkName }];
    const ofServices = services.map(({ networkName }, index) => ({
        propertyPath: `services[${index}].networkName`,
        name: networkName,
    }));
    return pulumi.output([...given, ...ofServices]);
}

/** Checks an existing network. In a preview it may be missing, since it may still be created. */
function checkExistingNetwork({ propertyPath, name }: ExistingNetwork, found: EngineNetwork[]): Problem[] {
    const network = found.find((other) => other.name === name);
    if (network === undefined) {
        return changesNothing()
            ? []
            : [{ propertyPath, reason: `"${name}" is not an IPv4 network on the Docker daemon: create it first` }];
    }
    return propertyPath === "publicNetworkName" && network.internal
        ? [
              {
                  propertyPath,
                  reason: `"${name}" is an internal network, through which no client can connect: use another`,
              },
          ]
        : [];
}
