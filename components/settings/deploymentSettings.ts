import { argsOf, defaultOf } from "../args/schema";
import type { FloatingAddressArgs } from "../args/floatingAddressArgs";
import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";
import { socketPathOf, type StoreHost } from "../args/hostArgs";
import type { ObjectStoreArgs } from "../args/objectStoreArgs";
import type { StorageClusterArgs } from "../args/storageClusterArgs";
import type { At } from "../checks/problem";
import { LABELS } from "../naming/labels";
import { PROXY_COUNT } from "../store/topology";
import { additionalStorePart, clusterEdge, clusterTerm, type StorePart } from "./additionalStores";
import { STORE_ARGS, type StoreWithoutCluster } from "./proxyBackends";
import type { ProxyArgsWithoutCluster } from "./proxySettings";
import type * as pulumi from "@pulumi/pulumi";

/** The parts of a deployment: their names and args. */
export interface ObjectStoreParts {
    /** Name of the proxy in the program; of several, the beginning of their names. */
    proxyComponent: string;
    /** Name of the deployment on the Docker host. */
    storeName: string;
    /** The stores behind the proxies, at least one: that of the args themselves, then the additional ones. */
    stores: [StorePart, ...StorePart[]];
    /** Hosts of the nodes. Undefined for a deployment on one host. */
    hosts: StoreHost[] | undefined;
    /** One proxy, or one on each host that has one. */
    proxies: ProxyPart[];
    /** One watchdog on each host, or none. */
    watchdogs: WatchdogPart[];
    /** The address that is always on a host whose proxy serves. */
    floating: FloatingPart | undefined;
}

/** The floating address of a store. */
export interface FloatingPart extends FloatingAddressArgs {
    /** Time that requests have to finish before the proxy is replaced that serves them, in seconds. */
    drainSeconds: number;
}

/** A proxy of a store. */
export interface ProxyPart {
    /** Name of its host. Undefined in a store on one host. */
    host: string | undefined;
    /** Name of the component. */
    name: string;
    args: ProxyArgsWithoutCluster & { stores: StoreWithoutCluster[] };
    at: At;
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

/** Args of the proxies that a deployment sets for each store, and those of the same name that are the nodes'. */
const NOT_OF_PROXIES = [...STORE_ARGS, "image", "readyTimeout"] as const;

type OfProxies = Exclude<keyof HaproxyFrontEndArgs & keyof ObjectStoreArgs, (typeof NOT_OF_PROXIES)[number]>;

/** The parts of a deployment. */
export function partsOf(name: string, args: ObjectStoreArgs): ObjectStoreParts {
    const { storeName = name, hosts, additionalStores = [], floatingAddress } = args;
    const store = firstStore(name, storeName, args);
    const stores: ObjectStoreParts["stores"] = [
        store,
        ...additionalStores.map((additional, index) => additionalStorePart(store, storeName, args, additional, index)),
    ];
    const proxyComponent = `${name}-front-end`;
    return {
        proxyComponent,
        storeName,
        stores,
        hosts,
        proxies: proxiesOf(proxyComponent, storeName, args, stores),
        watchdogs: args.watchdog === false ? [] : (hosts ?? []).map((host) => watchdogOf(storeName, host, args)),
        floating: floatingAddress && {
            ...floatingAddress,
            drainSeconds: args.drainTimeout ?? defaultOf("ObjectStoreArgs", "drainTimeout"),
        },
    };
}

function firstStore(name: string, storeName: string, args: ObjectStoreArgs): StorePart {
    const edge = {
        ...(Object.fromEntries(STORE_ARGS.map((name) => [name, args[name]])) as Pick<
            ObjectStoreArgs,
            (typeof STORE_ARGS)[number]
        >),
        s3Host: args.s3Host ?? defaultOf("ObjectStoreArgs", "s3Host"),
        consoleHost: args.consoleHost ?? defaultOf("ObjectStoreArgs", "consoleHost"),
    };
    const { buckets, policies, accessKeys } = args;
    return {
        component: `${name}-cluster`,
        cluster: {
            ...argsOf<ObjectStoreArgs, keyof StorageClusterArgs & keyof ObjectStoreArgs>("StorageClusterArgs", args),
            clusterName: storeName,
            ...clusterEdge(edge, args.httpsPort),
        },
        edge,
        contents: { buckets, policies, accessKeys },
        at: clusterTerm(undefined),
        additionalClusters: (args.additionalStores ?? []).map((additional) => `${storeName}-${additional.name}`),
    };
}

function proxiesOf(
    component: string,
    storeName: string,
    args: ObjectStoreArgs,
    stores: readonly StorePart[],
): ProxyPart[] {
    const { hosts, retainData } = args;
    const ofAll = {
        ...argsOf<ObjectStoreArgs, OfProxies>("HaproxyFrontEndArgs", args, NOT_OF_PROXIES),
        stores: stores.map(({ edge }) => edge),
        image: args.haproxyImage,
        retainCertificates: retainData,
    };
    if (hosts === undefined) {
        const alone = { ...ofAll, frontEndName: storeName };
        return [{ host: undefined, name: component, args: alone, at: proxyAt }];
    }
    const hostNames = hosts.map((host) => host.name);
    const { frontEndHosts = hostNames } = args;
    // Each proxy has a number of its own on the node network, and so its own address there. Where there are enough, a change
    // of frontEndHosts changes no proxy's number.
    const numbered = hostNames.length <= PROXY_COUNT ? hostNames : (args.frontEndHosts ?? []);
    return frontEndHosts.map((host, index) => ({
        host,
        name: `${component}-${host}`,
        args: {
            ...ofAll,
            // The others have copies. They are removed together with their proxy.
            retainCertificates: index === 0 ? retainData : false,
            frontEndName: `${storeName}-${host}`,
            proxyNumber: Math.max(1, numbered.indexOf(host) + 1),
        },
        at: proxyAt,
    }));
}

function watchdogOf(storeName: string, host: StoreHost, { haproxyImage, labels }: ObjectStoreArgs): WatchdogPart {
    return {
        host: host.name,
        storeName,
        haproxyImage,
        labels,
        containerName: `${storeName}-${host.name}-watchdog`,
        socketPath: socketPathOf(host),
        watched: [`${LABELS.cluster}=${storeName}`, `${LABELS.proxy}=${storeName}-${host.name}`],
    };
}

/** Args of a proxy that have another name in {@link ObjectStoreArgs}. */
const NAMES: { [name: string]: string } = { image: "haproxyImage", frontEndName: "storeName" };

/** The path in {@link ObjectStoreArgs} of an arg of a proxy. */
function proxyAt(path: string): string {
    return (
        NAMES[path] ??
        path.replace(/^stores\[(\d+)\]\./, (_, place: string) =>
            place === "0" ? "" : `additionalStores[${Number(place) - 1}].`,
        )
    );
}
