import * as pulumi from "@pulumi/pulumi";
import { checkCertificate, resolveCertificate, type CertificateSource } from "./certificateSource";
import { DEFAULT_OPEN_FILES } from "./containerBasics";
import type { EngineDemands } from "./enginePreflight";
import type { HaproxyFrontEndArgs } from "./haproxyFrontEnd";
import {
    checkAddress,
    checkContainerLimits,
    checkDockerName,
    checkHostname,
    checkImage,
    checkInteger,
    checkPort,
    checkSubnet,
    checkTrustedNetworks,
} from "./inputChecks";
import { gatewayOf, networkForName } from "./ipv4Network";
import { refuse, type Problem } from "./problem";
import type { ClusterEndpoints } from "./storageCluster";

/** The args of a front end with every default filled in. */
export interface HaproxyFrontEndSettings {
    cluster: pulumi.Output<ClusterEndpoints>;
    s3Host: string;
    consoleHost: string;
    httpPort: number;
    httpsPort: number;
    publishAddress: string;
    certificate: CertificateSource;
    image: pulumi.Input<string>;
    frontEndName: string;
    publicSubnet: string;
    adminNetworks: string[];
    consoleNetworks: string[];
    hstsMaxAge?: number;
    maxConnectionsPerAddress: number;
    openFiles: number;
    retainCertificates: boolean;
    readyTimeout: number;
    dockerHost?: string;
    demands: EngineDemands;
}

/** HAProxy's official image, where none is configured. */
export const DEFAULT_HAPROXY_IMAGE = "haproxy:3.2.26";

/** What a front end's args can be judged by before its cluster exists. */
export type HaproxyFrontEndWish = Omit<HaproxyFrontEndArgs, "cluster">;

/**
 * Every problem of a front end's args that is seen without asking anyone; with the cluster's subnet, where that is
 * known, also what doesn't go together with it.
 */
export function checkHaproxyFrontEnd(name: string, args: HaproxyFrontEndWish, clusterSubnet?: string): Problem[] {
    const { httpPort = 80, httpsPort = 443 } = args;
    const hostnames = [
        ...checkHostname("s3Host", args.s3Host),
        ...checkHostname("consoleHost", args.consoleHost),
        ...checkHostnamesDiffer(args),
    ];
    return [
        ...checkDockerName("frontEndName", args.frontEndName ?? name),
        ...hostnames,
        ...checkPort("httpPort", httpPort),
        ...checkPort("httpsPort", httpsPort),
        ...(httpPort === httpsPort
            ? [{ propertyPath: "httpsPort", reason: `${httpsPort} is httpPort already: give two ports` }]
            : []),
        ...(args.publishAddress === undefined ? [] : checkAddress("publishAddress", args.publishAddress)),
        ...checkCertificate(args.certificate ?? {}, hostnames.length > 0 ? [] : [args.s3Host, args.consoleHost]),
        ...(typeof args.image === "string" ? checkImage("image", args.image) : []),
        ...checkContainerLimits(args),
        ...checkEdge(name, args, clusterSubnet),
        ...(args.readyTimeout === undefined ? [] : checkInteger("readyTimeout", args.readyTimeout, 10, 3600)),
    ];
}

/**
 * Fills in the defaults.
 *
 * @throws {pulumi.InputPropertiesError} with every problem of {@link checkHaproxyFrontEnd}.
 */
export function resolveHaproxyFrontEnd(name: string, args: HaproxyFrontEndArgs): HaproxyFrontEndSettings {
    refuse("HaproxyFrontEnd", checkHaproxyFrontEnd(name, args));
    const openFiles = args.openFiles ?? DEFAULT_OPEN_FILES;
    return {
        cluster: pulumi.output(args.cluster).apply((cluster) => {
            refuse("HaproxyFrontEnd", checkTrust(args, [gatewayOf(cluster.subnet)]));
            return cluster;
        }),
        s3Host: args.s3Host,
        consoleHost: args.consoleHost,
        httpPort: args.httpPort ?? 80,
        httpsPort: args.httpsPort ?? 443,
        publishAddress: args.publishAddress ?? "0.0.0.0",
        certificate: resolveCertificate(args.certificate ?? {}, pulumi.getStack()),
        image: args.image ?? DEFAULT_HAPROXY_IMAGE,
        frontEndName: args.frontEndName ?? name,
        publicSubnet: publicSubnetOf(name, args),
        adminNetworks: args.adminNetworks ?? [],
        consoleNetworks: args.consoleNetworks ?? [],
        hstsMaxAge: args.hstsMaxAge,
        // HAProxy takes half as many connections as files; one address may have half of these.
        maxConnectionsPerAddress: args.maxConnectionsPerAddress ?? Math.floor(openFiles / 4),
        openFiles,
        retainCertificates: args.retainCertificates ?? true,
        readyTimeout: args.readyTimeout ?? 60,
        dockerHost: args.dockerHost,
        demands: frontEndDemands(name, args),
    };
}

/** What a front end will ask of the host, as far as its args are sound. */
export function frontEndDemands(name: string, args: HaproxyFrontEndWish): EngineDemands {
    const ports = [
        { propertyPath: "httpPort", port: args.httpPort ?? 80 },
        { propertyPath: "httpsPort", port: args.httpsPort ?? 443 },
    ];
    const publishAddress = args.publishAddress ?? "0.0.0.0";
    return {
        dockerHost: args.dockerHost,
        networks:
            checkGivenSubnet(args).length > 0
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
                : ports.filter(({ propertyPath, port }) => checkPort(propertyPath, port).length === 0),
        publishAddress,
        proxyName: `${args.frontEndName ?? name}-proxy`,
    };
}

/** The network that clients come by: the name's own /24, unless another was given. */
function publicSubnetOf(name: string, args: HaproxyFrontEndWish): string {
    return args.publicSubnet ?? networkForName(`${args.frontEndName ?? name}-public`);
}

/** What decides who gets in, and how many. */
function checkEdge(name: string, args: HaproxyFrontEndWish, clusterSubnet?: string): Problem[] {
    const subnet = checkGivenSubnet(args);
    const proxyNetworks = [...(subnet.length > 0 ? [] : [publicSubnetOf(name, args)]), clusterSubnet ?? []].flat();
    const { hstsMaxAge, maxConnectionsPerAddress } = args;
    return [
        ...subnet,
        ...checkTrust(args, proxyNetworks.map(gatewayOf)),
        ...(hstsMaxAge === undefined ? [] : checkInteger("hstsMaxAge", hstsMaxAge, 0, 10 * 365 * 24 * 3600)),
        ...(maxConnectionsPerAddress === undefined
            ? []
            : checkInteger("maxConnectionsPerAddress", maxConnectionsPerAddress, 1, 1048576)),
    ];
}

function checkGivenSubnet({ publicSubnet }: HaproxyFrontEndWish): Problem[] {
    return publicSubnet === undefined ? [] : checkSubnet("publicSubnet", publicSubnet, 16, 29);
}

/** The networks that are let in where others are not. */
function checkTrust(args: HaproxyFrontEndWish, gateways: string[]): Problem[] {
    return [
        ...checkTrustedNetworks("adminNetworks", args.adminNetworks ?? [], gateways),
        ...(args.consoleNetworks?.length === 0
            ? [
                  {
                      propertyPath: "consoleNetworks",
                      reason: "is empty: leave it out to let everybody in, or name a network",
                  },
              ]
            : checkTrustedNetworks("consoleNetworks", args.consoleNetworks ?? [], gateways)),
    ];
}

function checkHostnamesDiffer({ s3Host, consoleHost }: HaproxyFrontEndWish): Problem[] {
    if (s3Host.toLowerCase() !== consoleHost.toLowerCase()) {
        return [];
    }
    const reason = `"${consoleHost}" is s3Host already (case doesn't count): give the console a hostname of its own`;
    return [{ propertyPath: "consoleHost", reason }];
}
