import * as pulumi from "@pulumi/pulumi";
import {
    additionalStorePart,
    checkAdditionalStores,
    clusterEdge,
    clusterTerm,
    withAdditionalClusters,
    withOthersDrives,
    type StorePart,
} from "./additionalStores";
import { checkStorageCluster } from "./clusterChecks";
import type { StorageClusterArgs } from "../args/storageClusterArgs";
import { clusterDemands, nodeSubnet } from "./clusterSettings";
import { checkHaproxyFrontEnd, frontEndDemands, type FrontEndArgsWithoutCluster } from "./proxySettings";
import { checkFloatingAddress } from "../hosts/floatingAddress/floatingAddressChecks";
import type { FloatingAddressArgs } from "../args/floatingAddressArgs";
import type { StoreWithoutCluster } from "./proxyBackends";
import { publicSubnetOf } from "./proxyNetworks";
import { checkSubnet } from "../checks/inputChecks";
import type { Problem } from "../checks/problem";
import { LABELS } from "../naming/labels";
import type { ObjectStoreArgs } from "../args/objectStoreArgs";
import { bothDemands, type EngineDemands, type HostDemands } from "../requirements/run";
import { checkFrontEndHosts, checkStoreHosts } from "../hosts/placement/hostListChecks";
import { socketPathOf, type StoreHost } from "../args/hostArgs";
import { PROXY_COUNT } from "../store/topology";
import { checkStoreContents } from "./contentsChecks";
import { defaultOf } from "../args/schema";

/** The parts of a deployment: their names and args. */
export interface ObjectStoreParts {
    /** Name of the front end in the program; of several, the beginning of their names. */
    frontEndComponent: string;
    /** Name of the deployment on the Docker host. */
    storeName: string;
    /** The stores behind the front ends, at least one: that of the args themselves, then the additional ones. */
    stores: [StorePart, ...StorePart[]];
    /** Hosts of the nodes. Undefined for a deployment on one host. */
    hosts: StoreHost[] | undefined;
    /** Names of those that are down. */
    unreachableHosts: string[];
    /** One front end, or one on each host that has one. */
    frontEnds: FrontEndPart[];
    /** One watchdog on each host, or none. */
    watchdogs: WatchdogPart[];
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
    args: FrontEndArgsWithoutCluster & { stores: StoreWithoutCluster[] };
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

/** The parts of a deployment. */
export function partsOf(name: string, args: ObjectStoreArgs): ObjectStoreParts {
    const {
        storeName = name,
        frontEndHosts,
        watchdog,
        haproxyImage,
        s3Host = defaultOf("ObjectStoreArgs", "s3Host"),
        consoleHost = defaultOf("ObjectStoreArgs", "consoleHost"),
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
        additionalStores = [],
        buckets,
        policies,
        accessKeys,
        ...ofCluster
    } = args;
    const { labels, dockerHost, openFiles, retainData, hosts } = args;
    const frontEndComponent = `${name}-front-end`;
    const edge = { s3Host, consoleHost, virtualHostBuckets, adminNetworks, consoleNetworks, move };
    const store: StorePart = {
        component: `${name}-cluster`,
        cluster: {
            ...onlyOf<StorageClusterArgs, typeof ofCluster>(ofCluster),
            clusterName: storeName,
            ...clusterEdge(edge, httpsPort),
        },
        edge,
        contents: { buckets, policies, accessKeys },
    };
    const stores: ObjectStoreParts["stores"] = [
        store,
        ...additionalStores.map((additional, place) => additionalStorePart(store, storeName, args, additional, place)),
    ];
    const ofFrontEnd = {
        ...{ services, certificate, httpPort, httpsPort, publishAddress, publicSubnet },
        ...{ publicNetworkName, proxyNumber, hstsMaxAge, maxConnectionsPerAddress },
        ...{
            publicIpv6Subnet,
            publishIpv6Address,
            trustedProxies,
            proxyProtocol,
            hardStopAfter,
            accessLog,
            labels,
            dockerHost,
            openFiles,
        },
        stores: stores.map(({ edge }) => edge),
    };
    const frontEnd = {
        ...onlyOf<FrontEndArgsWithoutCluster, typeof ofFrontEnd>(ofFrontEnd),
        image: haproxyImage,
        retainCertificates: retainData,
    };
    const hostNames = hosts?.map((host) => host.name) ?? [];
    // Each proxy has a number of its own on the node network, and so its own address there. Where there are enough, a change
    // of frontEndHosts changes no proxy's number.
    const numbered = hostNames.length <= PROXY_COUNT ? hostNames : (frontEndHosts ?? []);
    const onHosts = (frontEndHosts ?? hostNames).map((host, place) => ({
        host,
        name: `${frontEndComponent}-${host}`,
        args: {
            ...frontEnd,
            // The others have copies. They are removed together with their front end.
            retainCertificates: place === 0 ? retainData : false,
            frontEndName: `${storeName}-${host}`,
            proxyNumber: Math.max(1, numbered.indexOf(host) + 1),
        },
    }));
    const alone = { host: undefined, name: frontEndComponent, args: { ...frontEnd, frontEndName: storeName } };
    return {
        frontEndComponent,
        storeName,
        stores,
        hosts,
        unreachableHosts: args.unreachableHosts ?? [],
        frontEnds: hosts === undefined ? [alone] : onHosts,
        watchdogs: watchdog === false ? [] : (hosts ?? []).map((host) => watchdogOf(storeName, host, args)),
        floating: floatingAddress && {
            ...floatingAddress,
            drainSeconds: args.drainTimeout ?? defaultOf("ObjectStoreArgs", "drainTimeout"),
        },
        problems: [
            ...(hosts === undefined ? [] : checkStoreHosts(hosts)),
            ...checkFrontEndHosts(hosts, frontEndHosts),
            ...checkTogether(args),
            ...checkAdditionalStores(storeName, args),
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
    const { stores, frontEnds, problems: ofParts } = parts;
    const subnets = stores.flatMap(({ component, cluster }) => nodeSubnet(component, cluster) ?? []);
    const problems = [
        ...stores.flatMap(({ component, cluster, contents, place }) => [
            ...inTerms(
                // The names of additional stores have a check of their own.
                checkStorageCluster(component, cluster).filter(
                    ({ propertyPath }) => place === undefined || propertyPath !== "clusterName",
                ),
                clusterTerm(place),
            ),
            ...inTerms(checkStoreContents(contents), clusterTerm(place)),
        ]),
        ...frontEnds.flatMap(({ name, args }) =>
            inTerms(
                // The front end has the cluster's name.
                checkHaproxyFrontEnd(name, args, subnets).filter(({ propertyPath }) => propertyPath !== "frontEndName"),
                frontEndTerm,
            ),
        ),
        ...checkFloating(parts, subnets[0]),
        ...ofParts,
    ];
    return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** Every problem of the floating address. */
function checkFloating({ hosts, frontEnds, floating }: ObjectStoreParts, nodeNetwork: string | undefined): Problem[] {
    if (floating === undefined) {
        return [];
    }
    const isValid = (subnet: string) => checkSubnet("subnet", subnet, 0, 32).length === 0;
    const networks = [
        ["the node network", nodeNetwork ?? ""],
        ...frontEnds.map(({ host, name, args }) => [`the public network of host ${host}`, publicSubnetOf(name, args)]),
    ] as [string, string][];
    return checkFloatingAddress(floating, {
        hostAddresses: new Map((hosts ?? []).map(({ address }, place) => [`hosts[${place}].address`, address])),
        frontEndCount: hosts === undefined ? undefined : frontEnds.length,
        dockerNetworks: new Map(networks.filter(([, subnet]) => isValid(subnet))),
        publishAddress: frontEnds[0]?.args.publishAddress,
        expectsHeader: frontEnds[0]?.args.proxyProtocol !== undefined,
    });
}

/** The requirements of all parts on their hosts. */
export function demandsOfParts({ stores: [store, ...additional], frontEnds }: ObjectStoreParts): EngineDemands {
    const { ofHosts, ...ofCluster } = withAdditionalClusters(
        clusterDemands(store.component, store.cluster),
        additional.map(({ cluster }) => cluster.clusterName ?? ""),
    );
    const others = additional.map(({ component, cluster, place }) => ({
        ...clusterDemands(component, cluster),
        term: clusterTerm(place),
    }));
    const onHost = (host: string | undefined, demands: HostDemands) => {
        const frontEnd = frontEnds.find((part) => part.host === host);
        return frontEnd === undefined ? demands : bothDemands(demands, ofFrontEnd(frontEnd));
    };
    const term = clusterTerm(undefined);
    if (ofHosts !== undefined) {
        return {
            ...ofCluster,
            ofHosts: new Map([...ofHosts].map(([host, demands]) => [host, onHost(host, demands)])),
            term,
        };
    }
    const both = onHost(undefined, ofCluster);
    return {
        ...ofCluster,
        ...both,
        // All together, since they may overlap each other.
        networks: [
            ...(both.networks ?? []),
            ...others.flatMap(({ networks = [], term: inStore }) =>
                networks.map(({ propertyPath, owner, ...network }) => ({
                    ...network,
                    propertyPath: inStore(propertyPath),
                    ...(owner && { owner: { ...owner, propertyPath: inStore(owner.propertyPath) } }),
                })),
            ),
        ],
        ...(others.length === 0 ? {} : { others: withOthersDrives(ofCluster, others) }),
        term,
    };
}

/** The requirements of a front end. */
function ofFrontEnd({ name, args }: FrontEndPart): HostDemands {
    const { later = [], ...demands } = frontEndDemands(name, args);
    return {
        ...demands,
        later: later.map((output) =>
            output.apply(({ problems, ...one }) => ({ ...one, problems: inTerms(problems, frontEndTerm) })),
        ),
    };
}

/** Problems with the paths of {@link ObjectStoreArgs}, in their reasons too. */
function inTerms(problems: Problem[], term: (text: string) => string): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({
        propertyPath: term(propertyPath),
        reason: reason.replace(STORE_PATH, (path) => term(path)),
    }));
}

/** Beginning of the path of a store's property in the args of a front end. */
const STORE_PATH = /\bstores\[(\d+)\]\./g;

/** The path in {@link ObjectStoreArgs} of an arg of the front end. */
function frontEndTerm(path: string): string {
    return path === "image"
        ? "haproxyImage"
        : path.replace(STORE_PATH, (_, place: string) =>
              place === "0" ? "" : `additionalStores[${Number(place) - 1}].`,
          );
}
