import { checkContainerLimits } from "../args/containerLimits";
import { limitFailures, withDefaults, type WithDefaults } from "../args/schema";
import * as pulumi from "@pulumi/pulumi";
import type { AccessLog } from "../haproxyConfig/accessLog";
import type { ProxyProtocol } from "../haproxyConfig/clientAddress";
import { checkCertificate, resolveCertificate, type CertificateSource } from "../certificate/certificateSource";
import type { Labels } from "../docker/containerArgs";
import type { DockerHost } from "../docker/providerHost";
import { certificateNamesOf, checkBucketHosts } from "./bucketHosts";
import {
    checkBackends,
    checkTrust,
    filesOfMoves,
    knownServices,
    storesOf,
    type StoreWithoutCluster,
} from "./proxyBackends";
import { checkClientAddress, checkTrustedProxies } from "./clientAddressChecks";
import { checkPublicIpv6, publicIpv6Of, type PublicIpv6 } from "./publicIpv6";
import { checkPublicSubnet, networksOf, publicSubnetOf, type ProxyNetworks } from "./proxyNetworks";
import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";
import type { ProxyContext } from "./proxyGroup";
import type { HaproxyService } from "../haproxyConfig/services";
import { checkHaproxyImage } from "../checks/imageChecks";
import { checkAddress, checkDockerName } from "../checks/inputChecks";
import { checkLabels } from "../checks/textChecks";
import { gatewayOf } from "../naming/ipv4Network";
import { isPlain } from "../checks/plain";
import { located, type At, type Problem } from "../checks/problem";

type Args = WithDefaults<"HaproxyFrontEndArgs", HaproxyFrontEndArgs>;

/** Args that the settings have in another form, or not at all. */
type Resolved = keyof ProxyNetworks | "cluster" | "certificate" | "dockerHost" | "services";

/** The args of a proxy with every default filled in. */
export interface ProxySettings extends ProxyNetworks, Omit<Args, Resolved> {
    services: pulumi.Output<HaproxyService[]>;
    /** Files beside haproxy.cfg that the moves of its stores need. */
    moveFiles: { [name: string]: string };
    /** Hostnames of the first store. */
    s3Host: pulumi.Output<string>;
    consoleHost: pulumi.Output<string>;
    /** Every name that the certificate covers. */
    hostnames: pulumi.Output<string[]>;
    /** Undefined if the ports are published on IPv4 addresses alone. */
    publicIpv6?: PublicIpv6;
    certificate: CertificateSource;
    frontEndName: string;
    labels: Labels;
    trustedProxies: string[];
    proxyProtocol?: ProxyProtocol;
    maxConnections: number;
    maxConnectionsPerAddress: number;
    accessLog: AccessLog;
    dockerHost?: DockerHost;
}

/** The args of a proxy that can be checked before its cluster exists. */
export type ProxyArgsWithoutCluster = Omit<HaproxyFrontEndArgs, "cluster" | "stores"> & {
    stores?: StoreWithoutCluster[];
};

/**
 * Every problem of a proxy's args that can be found without querying the engine. If the subnets of its clusters are known, also
 * conflicts with those. Values that other resources provide are checked once they are known.
 *
 * @param at The paths that the user wrote. Default: those of {@link HaproxyFrontEndArgs}.
 */
export function checkProxy(
    name: string,
    args: ProxyArgsWithoutCluster,
    clusterSubnets: string[] = [],
    at: At = (propertyPath) => propertyPath,
): Problem[] {
    const { httpPort, httpsPort } = withDefaults("HaproxyFrontEndArgs", args);
    const backends = checkBackends(args, at);
    return located(at, [
        ...checkDockerName("frontEndName", args.frontEndName ?? name),
        ...backends,
        ...(backends.length > 0 ? [] : checkBucketHosts(args)),
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
        ...limitFailures("HaproxyFrontEndArgs", args, ["memory", "openFiles"]),
    ]);
}

/** Fills in the defaults of valid args. */
export function proxySettings(
    name: string,
    args: HaproxyFrontEndArgs,
    { host, earlyEndpoints }: Pick<ProxyContext, "earlyEndpoints" | "host">,
): ProxySettings {
    const settings = withDefaults("HaproxyFrontEndArgs", args);
    const { openFiles, accessLog } = settings;
    const [first] = storesOf(args);
    return {
        ...settings,
        ...networksOf(name, args, host, earlyEndpoints),
        services: knownServices(args),
        moveFiles: filesOfMoves(args),
        s3Host: pulumi.output(first?.s3Host ?? ""),
        consoleHost: pulumi.output(first?.consoleHost ?? ""),
        hostnames: pulumi.all(certificateNamesOf(args)),
        publicIpv6: publicIpv6Of(args),
        certificate: resolveCertificate(args.certificate ?? {}, pulumi.getStack()),
        frontEndName: args.frontEndName ?? name,
        labels: args.labels ?? {},
        trustedProxies: args.trustedProxies ?? [],
        proxyProtocol: args.proxyProtocol as ProxyProtocol | undefined,
        // HAProxy accepts half as many connections as files. One address may have a quarter of these connections.
        maxConnections: Math.floor(openFiles / 2),
        maxConnectionsPerAddress: args.maxConnectionsPerAddress ?? Math.floor(openFiles / 8),
        accessLog: accessLog as AccessLog,
        dockerHost: host.dockerHost,
    };
}

/** Checks the settings that decide which clients may connect, and how many connections they may have. */
function checkEdge(name: string, args: ProxyArgsWithoutCluster, clusterSubnets: string[]): Problem[] {
    const subnet = checkPublicSubnet(args);
    const unknown = subnet.length > 0 || args.publicNetworkName !== undefined;
    const proxyNetworks = [...(unknown ? [] : [publicSubnetOf(name, args)]), ...clusterSubnets];
    const ipv6 = checkPublicIpv6(args);
    const gateways = [
        ...proxyNetworks.map((network) => gatewayOf(network)),
        ...(ipv6.length > 0 ? [] : [publicIpv6Of(args)?.gateway ?? []].flat()),
    ];
    return [
        ...subnet,
        ...ipv6,
        ...checkClientAddress(args),
        ...checkTrust(args, gateways),
        ...checkTrustedProxies(args, gateways),
    ];
}
