import * as pulumi from "@pulumi/pulumi";
import { pathsOf } from "./pools";
import { overlapsWith } from "./drivePaths";
import type { StorageClusterArgs } from "../args/storageClusterArgs";
import type { StoreWithoutCluster } from "./proxyBackends";
import { checkDockerName } from "../checks/inputChecks";
import type { At, Problem } from "../checks/problem";
import { url } from "../naming/endpointUrl";
import type { AdditionalStoreArgs, ObjectStoreArgs } from "../args/objectStoreArgs";
import type { StoreContentsArgs } from "../args/contentsArgs";

/** One of the stores behind the proxies of a deployment. */
export interface StorePart {
    /** Its place among `additionalStores`. Undefined for the store of the args themselves. */
    place?: number;
    /** Name of its {@link StorageCluster} in the program. */
    component: string;
    cluster: StorageClusterArgs;
    /** What the proxy has to know of it. */
    edge: StoreWithoutCluster;
    /** What the store contains. */
    contents: StoreContentsArgs;
    /** The paths in {@link ObjectStoreArgs} of the args of its cluster. */
    at: At;
    /** Of the first store: the names of the other stores' clusters. */
    additionalClusters?: readonly string[];
}

/** A store beside the first one, with what applies to all stores of a deployment. */
export function additionalStorePart(
    first: StorePart,
    storeName: string,
    { httpsPort, retainData, labels, dockerHost, openFiles, clientImage }: ObjectStoreArgs,
    additional: AdditionalStoreArgs,
    index: number,
): StorePart {
    const {
        name,
        s3Host,
        consoleHost,
        virtualHostBuckets,
        adminNetworks,
        consoleNetworks,
        buckets,
        policies,
        accessKeys,
        ...ofCluster
    } = additional;
    const edge = { name, s3Host, consoleHost, virtualHostBuckets, adminNetworks, consoleNetworks };
    return {
        place: index,
        component: `${first.component}-${name}`,
        cluster: {
            ...ofCluster,
            retainData: additional.retainData ?? retainData,
            ...{ labels, dockerHost, openFiles, clientImage },
            clusterName: `${storeName}-${name}`,
            ...clusterEdge(edge, httpsPort),
        },
        edge,
        contents: { buckets, policies, accessKeys },
        at: clusterTerm(index),
    };
}

/** What a cluster has to know of its hostnames. */
export function clusterEdge(
    { s3Host, consoleHost, virtualHostBuckets }: StoreWithoutCluster,
    httpsPort: pulumi.Input<number> = 443,
): Pick<StorageClusterArgs, "bucketDomains" | "consoleUrl"> {
    return {
        ...(virtualHostBuckets === true ? { bucketDomains: [s3Host] } : {}),
        consoleUrl: pulumi.all([consoleHost, httpsPort]).apply(([host, port]) => url(host, port)),
    };
}

/**
 * The path in {@link ObjectStoreArgs} of an arg of a cluster.
 *
 * @param place Place of its store among `additionalStores`. Undefined for the store of the args themselves.
 */
export function clusterTerm(place: number | undefined): At {
    const named = place === undefined ? "storeName" : "name";
    return (path) => {
        const property = path === "clusterName" ? named : path.replace(/^bucketDomains.*$/, "virtualHostBuckets");
        return place === undefined || OF_ALL_STORES.test(property)
            ? property
            : `additionalStores[${place}].${property}`;
    };
}

/** Paths of args that apply to all stores of a deployment. */
const OF_ALL_STORES = /^(labels|dockerHost|openFiles|clientImage)\b/;

/** Every problem of the args that make the stores of a deployment different from each other. */
export function checkAdditionalStores(storeName: string, args: ObjectStoreArgs): Problem[] {
    const { additionalStores = [], hosts } = args;
    if (additionalStores.length > 0 && hosts !== undefined) {
        const reason =
            "and hosts exclude each other: the nodes of additional stores run on one host. " +
            "Deploy each store over several hosts as a stack of its own";
        return [{ propertyPath: "additionalStores", reason }];
    }
    return [
        ...additionalStores.flatMap(({ name }, index) => checkName(`additionalStores[${index}].name`, storeName, name)),
        ...checkPathsOfAll(args),
    ];
}

function checkName(propertyPath: string, storeName: string, name: string): Problem[] {
    const problems = checkDockerName(propertyPath, name);
    if (problems.length > 0) {
        return problems;
    }
    if (/^(node|pool)[0-9]*(-|$)/.test(name)) {
        const reason = `"${name}" begins as the names of nodes do: give another, such as media`;
        return [{ propertyPath, reason }];
    }
    const whole = `${storeName}-${name}`;
    return whole.length <= 40
        ? []
        : [
              {
                  propertyPath,
                  reason:
                      `"${name}" makes the name ${whole} on the Docker host, which has ${whole.length} characters of at most 40: ` +
                      "give a shorter one",
              },
          ];
}

/** Checks for folders that are drives of two stores, or contain one of another store. */
function checkPathsOfAll({ additionalStores = [], ...store }: ObjectStoreArgs): Problem[] {
    const ofStores = [store, ...additionalStores].map((args, index) =>
        pathsOf(args).map((given) => ({
            ...given,
            propertyPath: clusterTerm(index === 0 ? undefined : index - 1)(given.propertyPath),
        })),
    );
    return ofStores.flatMap((paths, index) =>
        paths.flatMap((given) => overlapsWith(given, ofStores.slice(0, index).flat())),
    );
}
