import * as pulumi from "@pulumi/pulumi";
import { DEFAULT_HAPROXY_IMAGE } from "../haproxyConfig/image";
import { ACCESS_LOGS, type AccessLog } from "../haproxyConfig/accessLog";
import type { ProxyProtocol } from "../haproxyConfig/clientAddress";
import { checkCertificate, resolveCertificate, type CertificateSource } from "../certificate/certificateSource";
import { DEFAULT_OPEN_FILES } from "../docker/containerBasics";
import type { Labels } from "../docker/containerArgs";
import type { DockerHost } from "../docker/providerHost";
import type { EngineDemands } from "../requirements/run";
import { certificateNamesOf, checkBucketHosts } from "./bucketHosts";
import {
    checkBackends,
    checkClusters,
    checkTrust,
    filesOfMoves,
    knownServices,
    storesOf,
    type StoreWithoutCluster,
} from "./proxyBackends";
import { checkClientAddress, checkTrustedProxies } from "./clientAddressChecks";
import { checkPublicIpv6, publicIpv6Of, type PublicIpv6 } from "./publicIpv6";
import { checkPublicSubnet, networksOf, publicSubnetOf, type FrontEndNetworks } from "./proxyNetworks";
import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";
import type { HaproxyService } from "../haproxyConfig/services";
import { checkHaproxyImage } from "../checks/imageChecks";
import {
    checkAddress,
    checkContainerLimits,
    checkDockerName,
    checkInteger,
    checkOneOf,
    checkPort,
} from "../checks/inputChecks";
import { checkLabels } from "../checks/textChecks";
import { wantedLimits } from "../requirements/limitChecks";
import { gatewayOf } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";
import { dependsOnOthers, ifPlain, isPlain } from "../checks/plain";
import { type Problem, withoutValues } from "../checks/problem";
import { refuse } from "../checks/refusal";
import { PROXY_COUNT } from "../store/topology";

/** The args of a front end with every default filled in. */
export interface HaproxyFrontEndSettings extends FrontEndNetworks {
    services: pulumi.Output<HaproxyService[]>;
    /** Files beside haproxy.cfg that the moves of its stores need. */
    moveFiles: { [name: string]: string };
    /** Hostnames of the first store. */
    s3Host: pulumi.Output<string>;
    consoleHost: pulumi.Output<string>;
    /** Every name that the certificate covers. */
    hostnames: pulumi.Output<string[]>;
    httpPort: pulumi.Input<number>;
    httpsPort: pulumi.Input<number>;
    publishAddress: string;
    /** Undefined if the ports are published on IPv4 addresses alone. */
    publicIpv6?: PublicIpv6;
    certificate: CertificateSource;
    image: pulumi.Input<string>;
    frontEndName: string;
    /** Existing network through which clients connect. Undefined if the front end creates one. */
    publicNetworkName?: pulumi.Input<string>;
    labels: Labels;
    trustedProxies: string[];
    proxyProtocol?: ProxyProtocol;
    hstsMaxAge?: number;
    maxConnections: number;
    maxConnectionsPerAddress: number;
    hardStopAfter: number;
    accessLog: AccessLog;
    openFiles: number;
    retainCertificates: boolean;
    readyTimeout: number;
    dockerHost?: DockerHost;
    demands: EngineDemands;
}

/** Default of `hardStopAfter`, in seconds: one day. */
export const DEFAULT_HARD_STOP_SECONDS = 24 * 3600;

/** The args of a front end that can be checked before its cluster exists. */
export type FrontEndArgsWithoutCluster = Omit<HaproxyFrontEndArgs, "cluster" | "stores"> & {
    stores?: StoreWithoutCluster[];
};

/**
 * Every problem of a front end's args that can be found without querying the engine. If the subnets of its clusters are known, also
 * conflicts with those. Values that other resources provide are checked once they are known.
 */
export function checkHaproxyFrontEnd(
    name: string,
    args: FrontEndArgsWithoutCluster,
    clusterSubnets: string[] = [],
): Problem[] {
    const { httpPort = 80, httpsPort = 443 } = args;
    const backends = checkBackends(args);
    return [
        ...checkDockerName("frontEndName", args.frontEndName ?? name),
        ...backends,
        ...(backends.length > 0 ? [] : checkBucketHosts(args)),
        ...ifPlain(httpPort, (port) => checkPort("httpPort", port)),
        ...ifPlain(httpsPort, (port) => checkPort("httpsPort", port)),
        ...(isPlain(httpPort) && httpPort === httpsPort
            ? [{ propertyPath: "httpsPort", reason: `${httpsPort} is httpPort already: set two different ports` }]
            : []),
        ...(args.publishAddress === undefined ? [] : checkAddress("publishAddress", args.publishAddress)),
        ...checkCertificate(
            args.certificate ?? {},
            backends.length > 0 ? [] : certificateNamesOf(args).filter(isPlain),
        ),
        ...(typeof args.image === "string" ? checkHaproxyImage("image", args.image) : []),
        ...checkContainerLimits(args),
        ...checkLabels("labels", args.labels ?? {}),
        ...checkEdge(name, args, clusterSubnets),
        ...(args.accessLog === undefined ? [] : checkOneOf("accessLog", args.accessLog, ACCESS_LOGS)),
        ...(args.proxyNumber === undefined ? [] : checkInteger("proxyNumber", args.proxyNumber, 1, PROXY_COUNT)),
        ...(args.readyTimeout === undefined ? [] : checkInteger("readyTimeout", args.readyTimeout, 10, 3600)),
    ];
}

/**
 * Fills in the defaults.
 *
 * @param away Whether its host is away: its engine isn't asked.
 * @throws {pulumi.InputPropertiesError} with every problem of {@link checkHaproxyFrontEnd}.
 */
export function resolveHaproxyFrontEnd(
    name: string,
    args: HaproxyFrontEndArgs,
    dockerHost?: DockerHost,
    away = false,
): HaproxyFrontEndSettings {
    refuse("HaproxyFrontEnd", [...checkHaproxyFrontEnd(name, args), ...checkClusters(args)]);
    const openFiles = args.openFiles ?? DEFAULT_OPEN_FILES;
    const [first] = storesOf(args);
    return {
        ...networksOf(name, args, dockerHost, away),
        services: knownServices(args),
        moveFiles: filesOfMoves(args),
        s3Host: pulumi.output(first?.s3Host ?? ""),
        consoleHost: pulumi.output(first?.consoleHost ?? ""),
        hostnames: pulumi.all(certificateNamesOf(args)),
        httpPort: args.httpPort ?? 80,
        httpsPort: args.httpsPort ?? 443,
        publishAddress: args.publishAddress ?? "0.0.0.0",
        publicIpv6: publicIpv6Of(args),
        certificate: resolveCertificate(args.certificate ?? {}, pulumi.getStack()),
        image: args.image ?? DEFAULT_HAPROXY_IMAGE,
        frontEndName: args.frontEndName ?? name,
        publicNetworkName: args.publicNetworkName,
        labels: args.labels ?? {},
        trustedProxies: args.trustedProxies ?? [],
        proxyProtocol: args.proxyProtocol as ProxyProtocol | undefined,
        hstsMaxAge: args.hstsMaxAge,
        // HAProxy accepts half as many connections as files. One address may have a quarter of these connections.
        maxConnections: Math.floor(openFiles / 2),
        maxConnectionsPerAddress: args.maxConnectionsPerAddress ?? Math.floor(openFiles / 8),
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
export function frontEndDemands(name: string, args: FrontEndArgsWithoutCluster): EngineDemands {
    const ports = [
        { propertyPath: "httpPort", port: args.httpPort ?? 80 },
        { propertyPath: "httpsPort", port: args.httpsPort ?? 443 },
    ];
    const publishAddress = args.publishAddress ?? "0.0.0.0";
    const publicIpv6 = checkPublicIpv6(args).length > 0 ? undefined : publicIpv6Of(args);
    const frontEndName = args.frontEndName ?? name;
    return {
        networks:
            checkPublicSubnet(args).length > 0 || args.publicNetworkName !== undefined
                ? []
                : [
                      {
                          name: `${frontEndName}-public`,
                          propertyPath: "publicSubnet",
                          subnet: publicSubnetOf(name, args),
                          owner: { propertyPath: "frontEndName", label: LABELS.frontEnd, name: frontEndName },
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
        ...(publicIpv6 === undefined
            ? {}
            : {
                  publishIpv6Address: publicIpv6.publishAddress,
                  ipv6Network: {
                      name: `${frontEndName}-public`,
                      propertyPath: "publicIpv6Subnet",
                      subnet: publicIpv6.subnet,
                  },
              }),
        proxyName: `${frontEndName}-proxy`,
        later: laterDemands(name, args),
    };
}

/** What follows from hostnames, ports and labels that other resources provide. */
function laterDemands(name: string, args: FrontEndArgsWithoutCluster): EngineDemands["later"] {
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
    const later = output.apply(async (known) => {
        const knownArgs = {
            ...args,
            ...known,
            stores: stores?.map((store, place) => ({ ...store, ...known.stores?.[place] })),
            services: services?.map((service, place) => ({ ...service, ...known.services?.[place] })),
        };
        const problems = checkHaproxyFrontEnd(name, knownArgs);
        const secrets = (await pulumi.isSecret(output)) ? known : [];
        return { problems: withoutValues(problems, secrets), demands: frontEndDemands(name, knownArgs) };
    });
    return [later];
}

/** Checks the settings that decide which clients may connect, and how many connections they may have. */
function checkEdge(name: string, args: FrontEndArgsWithoutCluster, clusterSubnets: string[]): Problem[] {
    const subnet = checkPublicSubnet(args);
    const unknown = subnet.length > 0 || args.publicNetworkName !== undefined;
    const proxyNetworks = [...(unknown ? [] : [publicSubnetOf(name, args)]), ...clusterSubnets];
    const ipv6 = checkPublicIpv6(args);
    const gateways = [
        ...proxyNetworks.map((network) => gatewayOf(network)),
        ...(ipv6.length > 0 ? [] : [publicIpv6Of(args)?.gateway ?? []].flat()),
    ];
    const { hstsMaxAge, maxConnectionsPerAddress, hardStopAfter } = args;
    return [
        ...subnet,
        ...ipv6,
        ...checkClientAddress(args),
        ...checkTrust(args, gateways),
        ...checkTrustedProxies(args, gateways),
        ...(hstsMaxAge === undefined ? [] : checkInteger("hstsMaxAge", hstsMaxAge, 0, 10 * 365 * 24 * 3600)),
        ...(maxConnectionsPerAddress === undefined
            ? []
            : checkInteger("maxConnectionsPerAddress", maxConnectionsPerAddress, 1, 1048576)),
        ...(hardStopAfter === undefined ? [] : checkInteger("hardStopAfter", hardStopAfter, 60, 7 * 24 * 3600)),
    ];
}
