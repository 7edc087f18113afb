import { checkStorageCluster } from "./cluster/storageClusterChecks";
import type { StorageClusterArgs } from "./cluster/storageClusterArgs";
import { clusterDemands } from "./cluster/storageClusterSettings";
import {
    checkHaproxyFrontEnd,
    frontEndDemands,
    type FrontEndArgsWithoutCluster,
} from "./frontEnd/haproxyFrontEndSettings";
import type { Problem } from "./inputs/problem";
import { bothDemands, type EngineDemands } from "./preflight/enginePreflight";

/** The args of the two parts of one store. */
export interface StoreParts {
    cluster: StorageClusterArgs;
    frontEnd: FrontEndArgsWithoutCluster;
}

/** The names that the caller uses for each part's properties: maps path to path. */
export interface PartTerms {
    cluster: (propertyPath: string) => string;
    frontEnd: (propertyPath: string) => string;
}

/**
 * Every problem of both parts that can be found without querying the engine. Each is reported once, since some args belong
 * to both parts.
 *
 * @param name Name of the component.
 */
export function checkParts(name: string, { cluster, frontEnd }: StoreParts, terms: PartTerms): Problem[] {
    const subnet = clusterDemands(name, cluster).networks?.[0]?.subnet;
    const problems = [
        ...inTerms(checkStorageCluster(name, cluster), terms.cluster),
        ...inTerms(
            // The front end has the cluster's name.
            checkHaproxyFrontEnd(name, frontEnd, subnet).filter(({ propertyPath }) => propertyPath !== "frontEndName"),
            terms.frontEnd,
        ),
    ];
    return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** The requirements of both parts on the host. */
export function demandsOfParts(name: string, { cluster, frontEnd }: StoreParts): EngineDemands {
    return bothDemands(clusterDemands(name, cluster), frontEndDemands(name, frontEnd));
}

function inTerms(problems: Problem[], term: (propertyPath: string) => string): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({ propertyPath: term(propertyPath), reason }));
}
