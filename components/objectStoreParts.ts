import * as pulumi from "@pulumi/pulumi";
import { checkStoreContents, type StoreContentsArgs } from "./buckets/storeContents";
import { checkStorageCluster } from "./cluster/storageClusterChecks";
import type { StorageClusterArgs } from "./cluster/storageClusterArgs";
import { clusterDemands, DEFAULT_DRAIN_SECONDS, nodeSubnet } from "./cluster/storageClusterSettings";
import type { HaproxyFrontEndArgs } from "./frontEnd/haproxyFrontEndArgs";
import {
    checkHaproxyFrontEnd,
    frontEndDemands,
    type FrontEndArgsWithoutCluster,
} from "./frontEnd/haproxyFrontEndSettings";
import { checkFloatingAddress } from "./floatingAddress/floatingAddressChecks";
import type { FloatingAddressArgs } from "./floatingAddress/floatingAddressArgs";
import { publicSubnetOf } from "./frontEnd/frontEndNetworks";
import { checkSubnet } from "./inputs/inputChecks";
import type { Problem } from "./inputs/problem";
import { url } from "./naming/endpointUrl";
import { LABELS } from "./naming/labels";
import type { ObjectStoreArgs, ObjectStorePartNames } from "./objectStoreArgs";
import { bothDemands, type EngineDemands, type HostDemands } from "./preflight/enginePreflight";
import { checkFrontEndHosts, checkStoreHosts } from "./store/storeHostChecks";
import { socketPathOf, type StoreHost } from "./store/storeHosts";
import { PROXY_COUNT } from "./store/topology";

/** The parts of one store: their names and args. */
export interface ObjectStoreParts {
    names: ObjectStorePartNames;
    cluster: StorageClusterArgs;
    /** One front end, or one on each host that has one. */
    frontEnds: FrontEndPart[];
    /** One watchdog on each host, or none. */
    watchdogs: WatchdogPart[];
    /** What the store contains. */
    contents: StoreContentsArgs;
    /** The address that is always on a host whose proxy serves. */
    floating: FloatingPart | undefined;
    /** Problems of the args that decide which parts there are. */
    problems: Problem[];
}

/** The floating address of a store. */
export interface FloatingPart extends FloatingAddressArgs {
    /** Time that requests have to finish before the proxy is replaced that serves them, in seconds. */
    drainSeconds: number;
}

/** A front end of a store. */
export interface FrontEndPart {
    /** Name of its host. Undefined in a store on one host. */
    host: string | undefined;
    /** Name of the component. */
    name: string;
    args: FrontEndArgsWithoutCluster;
}

/** The watchdog of one of a store's hosts. */
export interface WatchdogPart {
    /** Name of the host. */
    host: string;
    storeName: string;
    /** Name of the container. */
    containerName: string;
    /** Image of HAProxy. Undefined: its default. */
    haproxyImage: pulumi.Input<string> | undefined;
    /** Additional labels of the container. */
    labels: ObjectStoreArgs["labels"];
    /** Path of the engine's socket on the host. */
    socketPath: string;
    /** Labels of the containers that it watches, as `NAME=VALUE`; each container has one of them. */
    watched: string[];
}

/** The parts of a store. */
export function partsOf(name: string, args: ObjectStoreArgs): ObjectStoreParts {
    const {
        storeName = name,
        partNames: names = { cluster: `${name}-cluster`, frontEnd: `${name}-front-end` },
        frontEndHosts,
        watchdog,
        haproxyImage,
        s3Host,
        consoleHost,
        virtualHostBuckets,
        services,
        certificate,
        httpPort,
        httpsPort,
        publishAddress,
        publicSubnet,
        publicIpv6Subnet,
        publishIpv6Address,
        publicNetworkName,
        proxyNumber,
        adminNetworks,
        consoleNetworks,
        trustedProxies,
        proxyProtocol,
        move,
        hstsMaxAge,
        maxConnectionsPerAddress,
        hardStopAfter,
        accessLog,
        floatingAddress,
        buckets,
        policies,
        accessKeys,
        ...ofCluster
    } = args;
    const { labels, dockerHost, openFiles, retainData, hosts } = args;
    const ofFrontEnd = {
        ...{ s3Host, consoleHost, services, certificate, httpPort, httpsPort, publishAddress, publicSubnet },
        ...{ publicNetworkName, proxyNumber, adminNetworks, consoleNetworks, hstsMaxAge, maxConnectionsPerAddress },
        ...{
            virtualHostBuckets,
            publicIpv6Subnet,
            publishIpv6Address,
            trustedProxies,
            proxyProtocol,
            move,
            hardStopAfter,
            accessLog,
            labels,
            dockerHost,
            openFiles,
        },
    };
    const frontEnd = {
        ...onlyOf<HaproxyFrontEndArgs, typeof ofFrontEnd>(ofFrontEnd),
        image: haproxyImage,
        retainCertificates: retainData,
    };
    const hostNames = hosts?.map((host) => host.name) ?? [];
    // Each proxy has a number of its own on the node network, and so its own address there. Where there are enough, a change
    // of frontEndHosts changes no proxy's number.
    const numbered = hostNames.length <= PROXY_COUNT ? hostNames : (frontEndHosts ?? []);
    const onHosts = (frontEndHosts ?? hostNames).map((host, place) => ({
        host,
        name: `${names.frontEnd}-${host}`,
        args: {
            ...frontEnd,
            // The others have copies. They are removed together with their front end.
            retainCertificates: place === 0 ? retainData : false,
            frontEndName: `${storeName}-${host}`,
            proxyNumber: Math.max(1, numbered.indexOf(host) + 1),
        },
    }));
    const alone = { host: undefined, name: names.frontEnd, args: { ...frontEnd, frontEndName: storeName } };
    return {
        names,
        cluster: {
            ...onlyOf<StorageClusterArgs, typeof ofCluster>(ofCluster),
            clusterName: storeName,
            ...(virtualHostBuckets === true ? { bucketDomains: [s3Host] } : {}),
            consoleUrl: pulumi.all([consoleHost, httpsPort ?? 443]).apply(([host, port]) => url(host, port)),
        },
        frontEnds: hosts === undefined ? [alone] : onHosts,
        watchdogs: watchdog === false ? [] : (hosts ?? []).map((host) => watchdogOf(storeName, host, args)),
        contents: { buckets, policies, accessKeys },
        floating: floatingAddress && { ...floatingAddress, drainSeconds: args.drainTimeout ?? DEFAULT_DRAIN_SECONDS },
        problems: [
            ...(hosts === undefined ? [] : checkStoreHosts(hosts)),
            ...checkFrontEndHosts(hosts, frontEndHosts),
            ...checkTogether(args),
            ...checkStoreContents({ buckets, policies, accessKeys }),
        ],
    };
}

function watchdogOf(storeName: string, host: StoreHost, { haproxyImage, labels }: ObjectStoreArgs): WatchdogPart {
    return {
        host: host.name,
        storeName,
        haproxyImage,
        labels,
        containerName: `${storeName}-${host.name}-watchdog`,
        socketPath: socketPathOf(host),
        watched: [`${LABELS.cluster}=${storeName}`, `${LABELS.frontEnd}=${storeName}-${host.name}`],
    };
}

/** Args that several hosts exclude, and those that need several. */
function checkTogether({ hosts, proxyNumber, services, watchdog }: ObjectStoreArgs): Problem[] {
    const excluded: [propertyPath: string, isSet: boolean, reason: string][] = [
        ["proxyNumber", proxyNumber !== undefined, "each host's proxy gets a number by its place"],
        ["services", services !== undefined, "the networks of services are on one host"],
    ];
    const needsHosts = `${watchdog} needs hosts: give at least two there, or remove watchdog`;
    return [
        ...(hosts === undefined && watchdog !== undefined ? [{ propertyPath: "watchdog", reason: needsHosts }] : []),
        ...excluded
            .filter(([, isSet]) => hosts !== undefined && isSet)
            .map(([propertyPath, , reason]) => ({ propertyPath, reason: `and hosts exclude each other: ${reason}` })),
    ];
}

/** Returns the args unchanged. An arg that the part doesn't have doesn't compile. */
function onlyOf<Part, Args>(args: Args & { [Arg in Exclude<keyof Args, keyof Part>]: never }): Args {
    return args;
}

/**
 * Every problem of both parts that can be found without querying the engine, with the property paths of
 * {@link ObjectStoreArgs}. Each is reported once, since some args belong to both parts.
 */
export function checkParts(parts: ObjectStoreParts): Problem[] {
    const { names, cluster, frontEnds, problems: ofParts } = parts;
    const unnamed = (["cluster", "frontEnd"] as const).filter((part) => !names[part]);
    const subnet = nodeSubnet(names.cluster, cluster);
    const problems = [
        ...unnamed.map((part) => ({
            propertyPath: `partNames.${part}`,
            reason: "has no value: give the names of both parts, or leave partNames out",
        })),
        ...inTerms(checkStorageCluster(names.cluster, cluster), clusterTerm),
        ...frontEnds.flatMap(({ name, args }) =>
            inTerms(
                // The front end has the cluster's name.
                checkHaproxyFrontEnd(name, args, subnet).filter(({ propertyPath }) => propertyPath !== "frontEndName"),
                frontEndTerm,
            ),
        ),
        ...checkFloating(parts, subnet),
        ...ofParts,
    ];
    return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** Every problem of the floating address. */
function checkFloating({ cluster, frontEnds, floating }: ObjectStoreParts, nodeNetwork: string | undefined): Problem[] {
    if (floating === undefined) {
        return [];
    }
    const isValid = (subnet: string) => checkSubnet("subnet", subnet, 0, 32).length === 0;
    const networks = [
        ["the node network", nodeNetwork ?? ""],
        ...frontEnds.map(({ host, name, args }) => [`the public network of host ${host}`, publicSubnetOf(name, args)]),
    ] as [string, string][];
    return checkFloatingAddress(floating, {
        hostAddresses: new Map((cluster.hosts ?? []).map(({ address }, place) => [`hosts[${place}].address`, address])),
        frontEndCount: cluster.hosts === undefined ? undefined : frontEnds.length,
        dockerNetworks: new Map(networks.filter(([, subnet]) => isValid(subnet))),
        publishAddress: frontEnds[0]?.args.publishAddress,
        expectsHeader: frontEnds[0]?.args.proxyProtocol !== undefined,
    });
}

/** The requirements of all parts on their hosts. */
export function demandsOfParts({ names, cluster, frontEnds }: ObjectStoreParts): EngineDemands {
    const { ofHosts, ...ofCluster } = clusterDemands(names.cluster, cluster);
    const onHost = (host: string | undefined, demands: HostDemands) => {
        const frontEnd = frontEnds.find((part) => part.host === host);
        return frontEnd === undefined ? demands : bothDemands(demands, frontEndDemands(frontEnd.name, frontEnd.args));
    };
    return ofHosts === undefined
        ? { ...ofCluster, ...onHost(undefined, ofCluster), term: clusterTerm }
        : {
              ...ofCluster,
              ofHosts: new Map([...ofHosts].map(([host, demands]) => [host, onHost(host, demands)])),
              term: clusterTerm,
          };
}

function inTerms(problems: Problem[], term: (propertyPath: string) => string): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({ propertyPath: term(propertyPath), reason }));
}

/** The path in {@link ObjectStoreArgs} of an arg of the cluster. */
function clusterTerm(path: string): string {
    return path === "clusterName" ? "storeName" : path.replace(/^bucketDomains.*$/, "virtualHostBuckets");
}

/** The path in {@link ObjectStoreArgs} of an arg of the front end. */
function frontEndTerm(path: string): string {
    return path === "image" ? "haproxyImage" : path;
}
