import type { ObjectStoreArgs } from "../args/objectStoreArgs";
import { located, type Problem } from "../checks/problem";
import { checkAdditionalStores, type StorePart } from "./additionalStores";
import { checkStorageCluster } from "./clusterChecks";
import { checkStoreContents } from "./contentsChecks";
import type { ProxyPart } from "./deploymentSettings";
import { checkProxy } from "./proxySettings";

/** Every problem of the args that decide which parts there are. */
export function checkCombination(storeName: string, args: ObjectStoreArgs): Problem[] {
    return [...checkTogether(args), ...checkAdditionalStores(storeName, args)];
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

/** Every problem of one of the stores. */
export function checkStore({ component, cluster, contents, place, at }: StorePart): Problem[] {
    const ofCluster = checkStorageCluster(component, cluster)
        // The names of additional stores have a check of their own.
        .filter(({ propertyPath }) => place === undefined || propertyPath !== "clusterName");
    return located(at, [...ofCluster, ...checkStoreContents(contents)]);
}

/**
 * Every problem of one of the proxies. Its name is that of the deployment.
 *
 * @param clusterSubnets Subnets of the node networks.
 */
export function checkProxyPart({ name, args, at }: ProxyPart, clusterSubnets: string[]): Problem[] {
    return checkProxy(name, args, clusterSubnets, at).filter(({ propertyPath }) => propertyPath !== at("frontEndName"));
}
