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

/** The two parts of one store, as they are asked for. */
export interface StoreParts {
    cluster: StorageClusterArgs;
    frontEnd: FrontEndArgsWithoutCluster;
}

/** What each part's properties are called by those who ask for the whole: paths by paths. */
export interface PartTerms {
    cluster: (propertyPath: string) => string;
    frontEnd: (propertyPath: string) => string;
}

/**
 * Every problem of both parts that is seen without asking anyone, each once: some args are of both.
 *
 * @param name Name of the component.
 */
export function checkParts(name: string, { cluster, frontEnd }: StoreParts, terms: PartTerms): Problem[] {
    const subnet = clusterDemands(name, cluster).networks?.[0]?.subnet;
    const problems = [
        ...inTerms(checkStorageCluster(name, cluster), terms.cluster),
        ...inTerms(
            // Its name is the cluster's.
            checkHaproxyFrontEnd(name, frontEnd, subnet).filter(({ propertyPath }) => propertyPath !== "frontEndName"),
            terms.frontEnd,
        ),
    ];
    return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** What both parts ask of the host. */
export function demandsOfParts(name: string, { cluster, frontEnd }: StoreParts): EngineDemands {
    return bothDemands(clusterDemands(name, cluster), frontEndDemands(name, frontEnd));
}

function inTerms(problems: Problem[], term: (propertyPath: string) => string): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({ propertyPath: term(propertyPath), reason }));
}
