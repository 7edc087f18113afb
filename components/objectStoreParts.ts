import * as pulumi from "@pulumi/pulumi";
import { checkStorageCluster } from "./cluster/storageClusterChecks";
import type { StorageClusterArgs } from "./cluster/storageClusterArgs";
import { clusterDemands } from "./cluster/storageClusterSettings";
import type { HaproxyFrontEndArgs } from "./frontEnd/haproxyFrontEndArgs";
import {
    checkHaproxyFrontEnd,
    frontEndDemands,
    type FrontEndArgsWithoutCluster,
} from "./frontEnd/haproxyFrontEndSettings";
import type { Problem } from "./inputs/problem";
import { url } from "./naming/endpointUrl";
import type { ObjectStoreArgs, ObjectStorePartNames } from "./objectStoreArgs";
import { bothDemands, type EngineDemands } from "./preflight/enginePreflight";

/** The two parts of one store: their names and args. */
export interface ObjectStoreParts {
    names: ObjectStorePartNames;
    cluster: StorageClusterArgs;
    frontEnd: FrontEndArgsWithoutCluster;
}

/** The parts of a store. */
export function partsOf(name: string, args: ObjectStoreArgs): ObjectStoreParts {
    const {
        storeName = name,
        partNames = { cluster: `${name}-cluster`, frontEnd: `${name}-front-end` },
        haproxyImage,
        s3Host,
        consoleHost,
        services,
        certificate,
        httpPort,
        httpsPort,
        publishAddress,
        publicSubnet,
        publicNetworkName,
        proxyNumber,
        adminNetworks,
        consoleNetworks,
        hstsMaxAge,
        maxConnectionsPerAddress,
        hardStopAfter,
        accessLog,
        ...ofCluster
    } = args;
    const { labels, dockerHost, openFiles, retainData } = args;
    const ofFrontEnd = {
        ...{ s3Host, consoleHost, services, certificate, httpPort, httpsPort, publishAddress, publicSubnet },
        ...{ publicNetworkName, proxyNumber, adminNetworks, consoleNetworks, hstsMaxAge, maxConnectionsPerAddress },
        ...{ hardStopAfter, accessLog, labels, dockerHost, openFiles },
    };
    return {
        names: partNames,
        cluster: {
            ...onlyOf<StorageClusterArgs, typeof ofCluster>(ofCluster),
            clusterName: storeName,
            consoleUrl: pulumi.all([consoleHost, httpsPort ?? 443]).apply(([host, port]) => url(host, port)),
        },
        frontEnd: {
            ...onlyOf<HaproxyFrontEndArgs, typeof ofFrontEnd>(ofFrontEnd),
            frontEndName: storeName,
            image: haproxyImage,
            retainCertificates: retainData,
        },
    };
}

/** Returns the args unchanged. An arg that the part doesn't have doesn't compile. */
function onlyOf<Part, Args>(args: Args & { [Arg in Exclude<keyof Args, keyof Part>]: never }): Args {
    return args;
}

/**
 * Every problem of both parts that can be found without querying the engine, with the property paths of
 * {@link ObjectStoreArgs}. Each is reported once, since some args belong to both parts.
 */
export function checkParts({ names, cluster, frontEnd }: ObjectStoreParts): Problem[] {
    const unnamed = (["cluster", "frontEnd"] as const).filter((part) => !names[part]);
    const subnet = clusterDemands(names.cluster, cluster).networks?.[0]?.subnet;
    const problems = [
        ...unnamed.map((part) => ({
            propertyPath: `partNames.${part}`,
            reason: "has no value: give the names of both parts, or leave partNames out",
        })),
        ...inTerms(checkStorageCluster(names.cluster, cluster), clusterTerm),
        ...inTerms(
            // The front end has the cluster's name.
            checkHaproxyFrontEnd(names.frontEnd, frontEnd, subnet).filter(
                ({ propertyPath }) => propertyPath !== "frontEndName",
            ),
            frontEndTerm,
        ),
    ];
    return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** The requirements of both parts on the host. */
export function demandsOfParts({ names, cluster, frontEnd }: ObjectStoreParts): EngineDemands {
    const ofBoth = bothDemands(clusterDemands(names.cluster, cluster), frontEndDemands(names.frontEnd, frontEnd));
    return { ...ofBoth, term: clusterTerm };
}

function inTerms(problems: Problem[], term: (propertyPath: string) => string): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({ propertyPath: term(propertyPath), reason }));
}

/** The path in {@link ObjectStoreArgs} of an arg of the cluster. */
function clusterTerm(path: string): string {
    return path === "clusterName" ? "storeName" : path;
}

/** The path in {@link ObjectStoreArgs} of an arg of the front end. */
function frontEndTerm(path: string): string {
    return path === "image" ? "haproxyImage" : path;
}
