import * as pulumi from "@pulumi/pulumi";
import { ACCESS_LOGS, type AccessLog } from "../haproxy/accessLog";
import { checkCertificate, resolveCertificate, type CertificateSource } from "../certificate/certificateSource";
import { DEFAULT_OPEN_FILES, type Labels } from "../engine/containerBasics";
import { DockerEngine } from "../engine/dockerEngine";
import type { EngineNetwork } from "../engine/engine";
import type { DockerHost } from "../engine/dockerHost";
import type { EngineDemands } from "../preflight/enginePreflight";
import {
    checkBackends,
    checkClusters,
    checkTrust,
    clustersOf,
    hostnamesOf,
    knownServices,
    knownStores,
    storesOf,
} from "./frontEndBackends";
import type { HaproxyFrontEndArgs } from "./haproxyFrontEndArgs";
import type { HaproxyService } from "../haproxy/services";
import type { HaproxyStore } from "../haproxy/stores";
import { checkHaproxyImage } from "../inputs/imageChecks";
import {
    checkAddress,
    checkContainerLimits,
    checkDockerName,
    checkInteger,
    checkLabels,
    checkOneOf,
    checkPort,
    checkSubnet,
} from "../inputs/inputChecks";
import { wantedLimits } from "../preflight/limitChecks";
import { gatewayOf, networkForName } from "../naming/ipv4Network";
import { dependsOnOthers, ifPlain, isPlain } from "../inputs/plain";
import { refuse, type Problem } from "../inputs/problem";
import { checkProxyAddresses, claimNumber, type ProxyNetwork } from "../preflight/proxyAddresses";
import { PROXY_COUNT } from "../store/topology";

/** The args of a front end with every default filled in. */
export interface HaproxyFrontEndSettings {
    /** The stores behind the proxy, once their clusters exist. */
    stores: pulumi.Output<HaproxyStore[]>;
    services: pulumi.Output<HaproxyService[]>;
    /** Networks that the proxy joins in addition to the clients' network. */
    backendNetworks: pulumi.Output<ProxyNetwork[]>;
    /** Hostnames of the first store. */
    s3Host: pulumi.Output<string>;
    consoleHost: pulumi.Output<string>;
    /** Every public hostname. */
    hostnames: pulumi.Output<string[]>;
    httpPort: pulumi.Input<number>;
    httpsPort: pulumi.Input<number>;
    publishAddress: string;
    certificate: CertificateSource;
    image: pulumi.Input<string>;
    frontEndName: string;
    /** Existing network through which clients connect. Undefined if the front end creates one. */
    publicNetworkName?: pulumi.Input<string>;
    /** Subnet of the network through which clients connect. */
    publicSubnet: pulumi.Output<string>;
    labels: Labels;
    /** Problems of the args together with the networks. */
    problems: pulumi.Output<Problem[]>;
    hstsMaxAge?: number;
    maxConnectionsPerAddress: number;
    hardStopAfter: number;
    accessLog: AccessLog;
    openFiles: number;
    retainCertificates: boolean;
    readyTimeout: number;
    dockerHost?: DockerHost;
    demands: EngineDemands;
}

/** HAProxy's official image, used if none is configured. */
export const DEFAULT_HAPROXY_IMAGE = "haproxy:3.2.26";

/** Default of `hardStopAfter`, in seconds: one day. */
export const DEFAULT_HARD_STOP_SECONDS = 24 * 3600;

/** The args of a front end that can be checked before its cluster exists. */
export type FrontEndArgsWithoutCluster = Omit<HaproxyFrontEndArgs, "cluster" | "stores">;

/**
 * Every problem of a front end's args that can be found without querying the engine. If the cluster's subnet is known, also
 * conflicts with that. Values that other resources provide are checked once they are known.
 */
export function checkHaproxyFrontEnd(name: string, args: HaproxyFrontEndArgs, clusterSubnet?: string): Problem[] {
    const { httpPort = 80, httpsPort = 443 } = args;
    const backends = checkBackends(args);
    return [
        ...checkDockerName("frontEndName", args.frontEndName ?? name),
        ...backends,
        ...ifPlain(httpPort, (port) => checkPort("httpPort", port)),
        ...ifPlain(httpsPort, (port) => checkPort("httpsPort", port)),
        ...(isPlain(httpPort) && httpPort === httpsPort
            ? [{ propertyPath: "httpsPort", reason: `${httpsPort} is httpPort already: set two different ports` }]
            : []),
        ...(args.publishAddress === undefined ? [] : checkAddress("publishAddress", args.publishAddress)),
        ...checkCertificate(args.certificate ?? {}, backends.length > 0 ? [] : hostnamesOf(args).filter(isPlain)),
        ...(typeof args.image === "string" ? checkHaproxyImage("image", args.image) : []),
        ...checkContainerLimits(args),
        ...checkLabels("labels", args.labels ?? {}),
        ...checkEdge(name, args, clusterSubnet),
        ...(args.accessLog === undefined ? [] : checkOneOf("accessLog", args.accessLog, ACCESS_LOGS)),
        ...(args.proxyNumber === undefined ? [] : checkInteger("proxyNumber", args.proxyNumber, 1, PROXY_COUNT)),
        ...(args.readyTimeout === undefined ? [] : checkInteger("readyTimeout", args.readyTimeout, 10, 3600)),
    ];
}

/**
 * Fills in the defaults.
 *
 * @throws {pulumi.InputPropertiesError} with every problem of {@link checkHaproxyFrontEnd}.
 */
export function resolveHaproxyFrontEnd(
    name: string,
    args: HaproxyFrontEndArgs,
    dockerHost?: DockerHost,
): HaproxyFrontEndSettings {
    refuse("HaproxyFrontEnd", [...checkHaproxyFrontEnd(name, args), ...checkClusters(args)]);
    const openFiles = args.openFiles ?? DEFAULT_OPEN_FILES;
    const [first] = storesOf(args);
    return {
        ...networksOf(name, args, dockerHost),
        services: knownServices(args),
        s3Host: pulumi.output(first?.s3Host ?? ""),
        consoleHost: pulumi.output(first?.consoleHost ?? ""),
        hostnames: pulumi.all(hostnamesOf(args)),
        httpPort: args.httpPort ?? 80,
        httpsPort: args.httpsPort ?? 443,
        publishAddress: args.publishAddress ?? "0.0.0.0",
        certificate: resolveCertificate(args.certificate ?? {}, pulumi.getStack()),
        image: args.image ?? DEFAULT_HAPROXY_IMAGE,
        frontEndName: args.frontEndName ?? name,
        publicNetworkName: args.publicNetworkName,
        labels: args.labels ?? {},
        hstsMaxAge: args.hstsMaxAge,
        // HAProxy accepts half as many connections as files. One address may have half of these connections.
        maxConnectionsPerAddress: args.maxConnectionsPerAddress ?? Math.floor(openFiles / 4),
        hardStopAfter: args.hardStopAfter ?? DEFAULT_HARD_STOP_SECONDS,
        accessLog: (args.accessLog ?? "text") as AccessLog,
        openFiles,
        retainCertificates: args.retainCertificates ?? true,
        readyTimeout: args.readyTimeout ?? 60,
        dockerHost,
        demands: { ...frontEndDemands(name, args), dockerHost },
    };
}

/** What a front end will require of the host, as far as its args are valid. */
export function frontEndDemands(name: string, args: HaproxyFrontEndArgs): EngineDemands {
    const ports = [
        { propertyPath: "httpPort", port: args.httpPort ?? 80 },
        { propertyPath: "httpsPort", port: args.httpsPort ?? 443 },
    ];
    const publishAddress = args.publishAddress ?? "0.0.0.0";
    return {
        networks:
            checkGivenSubnet(args).length > 0 || args.publicNetworkName !== undefined
                ? []
                : [
                      {
                          name: `${args.frontEndName ?? name}-public`,
                          propertyPath: "publicSubnet",
                          subnet: publicSubnetOf(name, args),
                      },
                  ],
        ports:
            checkAddress("publishAddress", publishAddress).length > 0
                ? []
                : ports.flatMap(({ propertyPath, port }) =>
                      isPlain(port) && checkPort(propertyPath, port).length === 0 ? [{ propertyPath, port }] : [],
                  ),
        limits: wantedLimits(args),
        ...(typeof args.image === "string" && checkHaproxyImage("image", args.image).length === 0
            ? { proxyImage: { propertyPath: "image", reference: args.image } }
            : {}),
        publishAddress,
        proxyName: `${args.frontEndName ?? name}-proxy`,
        later: laterDemands(name, args),
    };
}

/** What follows from hostnames, ports and labels that other resources provide. */
function laterDemands(name: string, args: HaproxyFrontEndArgs): EngineDemands["later"] {
    const { s3Host, consoleHost, httpPort, httpsPort, labels, stores, services } = args;
    const inputs = {
        ...{ s3Host, consoleHost, httpPort, httpsPort, labels },
        stores: stores?.map((store) => ({ s3Host: store.s3Host, consoleHost: store.consoleHost })),
        services: services?.map(({ hostname }) => ({ hostname })),
    };
    if (!dependsOnOthers(inputs)) {
        return [];
    }
    const later = pulumi.output(inputs).apply((known) => {
        const knownArgs = {
            ...args,
            ...known,
            stores: stores?.map((store, place) => ({ ...store, ...known.stores?.[place] })),
            services: services?.map((service, place) => ({ ...service, ...known.services?.[place] })),
        };
        return { problems: checkHaproxyFrontEnd(name, knownArgs), demands: frontEndDemands(name, knownArgs) };
    });
    return [later];
}

/** The network through which clients connect: the configured one, or a /24 derived from the name. */
function publicSubnetOf(name: string, args: HaproxyFrontEndArgs): string {
    return args.publicSubnet ?? networkForName(`${args.frontEndName ?? name}-public`);
}

/** Checks the settings that decide which clients may connect, and how many connections they may have. */
function checkEdge(name: string, args: HaproxyFrontEndArgs, clusterSubnet?: string): Problem[] {
    const subnet = checkGivenSubnet(args);
    const unknown = subnet.length > 0 || args.publicNetworkName !== undefined;
    const proxyNetworks = [...(unknown ? [] : [publicSubnetOf(name, args)]), clusterSubnet ?? []].flat();
    const { hstsMaxAge, maxConnectionsPerAddress, hardStopAfter } = args;
    return [
        ...subnet,
        ...checkTrust(
            args,
            proxyNetworks.map((network) => gatewayOf(network)),
        ),
        ...(hstsMaxAge === undefined ? [] : checkInteger("hstsMaxAge", hstsMaxAge, 0, 10 * 365 * 24 * 3600)),
        ...(maxConnectionsPerAddress === undefined
            ? []
            : checkInteger("maxConnectionsPerAddress", maxConnectionsPerAddress, 1, 1048576)),
        ...(hardStopAfter === undefined ? [] : checkInteger("hardStopAfter", hardStopAfter, 60, 7 * 24 * 3600)),
    ];
}

function checkGivenSubnet({ publicSubnet, publicNetworkName }: HaproxyFrontEndArgs): Problem[] {
    if (publicSubnet !== undefined && publicNetworkName !== undefined) {
        const reason = `"${publicSubnet}" and publicNetworkName exclude each other: an existing network has its own subnet`;
        return [{ propertyPath: "publicSubnet", reason }];
    }
    return publicSubnet === undefined ? [] : checkSubnet("publicSubnet", publicSubnet, 16, 29);
}

/** The stores, and the networks on both sides of the proxy, once they are known. */
function networksOf(
    name: string,
    args: HaproxyFrontEndArgs,
    dockerHost: DockerHost | undefined,
): Pick<HaproxyFrontEndSettings, "stores" | "backendNetworks" | "publicSubnet" | "problems"> {
    const clusters = pulumi.all(clustersOf(args).flatMap((cluster) => (cluster === undefined ? [] : [cluster])));
    const existing = existingNetworks(args);
    const { proxyNumber = 1 } = args;
    const networks = pulumi.all([existing, dockerHost]).apply(async ([wanted, host]) => {
        const there = wanted.length === 0 ? [] : await (await DockerEngine.connect(host)).networks();
        return there.filter((network) => wanted.some((other) => other.name === network.name));
    });
    const backendNetworks = pulumi.all([clusters, existing]).apply(([known, wanted]) => {
        const ofServices = wanted.filter(({ propertyPath }) => propertyPath !== "publicNetworkName");
        const addresses = known.map(({ networkName: network, proxyAddresses = [] }) => ({
            name: network,
            ipv4Address: proxyAddresses[proxyNumber - 1],
        }));
        return [...addresses, ...ofServices.map((network) => ({ name: network.name }))].filter(
            (network, place, all) => all.findIndex((other) => other.name === network.name) === place,
        );
    });
    const containerName = `${args.frontEndName ?? name}-proxy`;
    const rivals = claimNumber(clustersOf(args), proxyNumber, containerName);
    const addresses = pulumi
        .all([backendNetworks, dockerHost])
        .apply(([joined, host]) => checkProxyAddresses({ containerName, proxyNumber, networks: joined, rivals }, host));
    return {
        stores: pulumi.all([clusters, knownStores(args)]).apply(([known, stores]) =>
            stores.flatMap((store, place) => {
                const cluster = known[place];
                return cluster === undefined ? [] : [{ ...store, cluster }];
            }),
        ),
        backendNetworks,
        publicSubnet: pulumi
            .all([args.publicNetworkName, networks])
            .apply(
                ([given, found]) =>
                    found.find((network) => network.name === given)?.subnet ?? publicSubnetOf(name, args),
            ),
        problems: pulumi.all([clusters, existing, networks, addresses]).apply(([known, wanted, found, taken]) => {
            const gateways = [...known.map(({ subnet }) => gatewayOf(subnet)), ...found.map(({ gateway }) => gateway)];
            return [
                ...wanted.flatMap((desired) => checkExistingNetwork(desired, found)),
                ...checkTrust(args, gateways),
                ...taken,
            ];
        }),
    };
}

/** A network that must exist already; the front end doesn't create it. */
interface ExistingNetwork {
    propertyPath: string;
    name: string;
}

function existingNetworks({ publicNetworkName, services = [] }: HaproxyFrontEndArgs): pulumi.Output<ExistingNetwork[]> {
    const given =
        publicNetworkName === undefined ? [] : [{ propertyPath: "publicNetworkName", name: publicNetworkName }];
    const ofServices = services.map(({ networkName }, place) => ({
        propertyPath: `services[${place}].networkName`,
        name: networkName,
    }));
    return pulumi.output([...given, ...ofServices]);
}

/** Checks an existing network. In a preview it may be missing, since it may still be created. */
function checkExistingNetwork({ propertyPath, name }: ExistingNetwork, found: EngineNetwork[]): Problem[] {
    const network = found.find((other) => other.name === name);
    if (network === undefined) {
        return pulumi.runtime.isDryRun()
            ? []
            : [{ propertyPath, reason: `"${name}" is not an IPv4 network on the engine: create it first` }];
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
