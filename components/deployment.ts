import * as pulumi from "@pulumi/pulumi";
import type { StoreHost } from "./args/hostArgs";
import type { ObjectStoreArgs } from "./args/objectStoreArgs";
import type { Problem } from "./checks/problem";
import { withProviders } from "./docker/hostProviders";
import { hostsOf, type Host } from "./docker/hosts";
import { dockerHostOf } from "./docker/providerHost";
import { checkHostNames, checkSeveralHosts, requirementsOfHosts } from "./hosts/severalHosts";
import { EngineCache } from "./requirements/engineCache";
import { requireAll } from "./requirements/requireAll";
import type { Requirements } from "./requirements/requirement";
import { checkGivenSubnet } from "./settings/clusterChecks";
import { nodeSubnetOf } from "./settings/clusterSettings";
import { enginesOf, type Context } from "./settings/context";
import { checkCombination, checkProxyPart, checkStore } from "./settings/deploymentChecks";
import type { ObjectStoreParts } from "./settings/deploymentSettings";
import { requirementsOf, type PlannedDeployment } from "./settings/requirements";

/** The problems of a deployment's args; and its parts that have none, as far as those are known. */
export interface CheckedDeployment {
    problems: Problem[];
    valid: PlannedDeployment;
}

/**
 * Every problem of a deployment that can be found without querying the engines, each once: some args belong to several
 * parts.
 */
export function checkDeployment(args: ObjectStoreArgs, parts: ObjectStoreParts): CheckedDeployment {
    const { stores, proxies, storeName } = parts;
    const subnets = stores.flatMap(({ component, cluster }) =>
        checkGivenSubnet(cluster).length > 0 ? [] : [nodeSubnetOf(component, cluster)],
    );
    const ofStores = stores.map((store) => ({ part: store, problems: checkStore(store) }));
    const ofProxies = proxies.map((proxy) => ({ part: proxy, problems: checkProxyPart(proxy, subnets) }));
    const ofHosts = checkSeveralHosts(parts, subnets[0]);
    const ofNames = [...checkHostNames(args), ...checkCombination(storeName, args)];
    const all = [...[...ofStores, ...ofProxies].flatMap(({ problems }) => problems), ...ofHosts, ...ofNames];
    const isValid = ({ problems }: { problems: Problem[] }) => problems.length === 0;
    return {
        problems: [...new Map(all.map((problem) => [JSON.stringify(problem), problem])).values()],
        valid:
            ofHosts.length + ofNames.length > 0
                ? { clusters: [], proxies: [] }
                : {
                      clusters: ofStores.filter(isValid).map(({ part }) => part),
                      proxies: ofProxies.filter(isValid).map(({ part }) => part),
                  },
    };
}

/** All that a deployment requires of its engines. */
export function requirementsOfDeployment(
    planned: PlannedDeployment,
    hosts: readonly StoreHost[] | undefined,
): Requirements {
    const names = hosts?.map(({ name }) => name);
    return { first: requirementsOfHosts(hosts), then: requirementsOf({ ...planned, hosts: names }) };
}

/** What the parts of a public component share: its hosts, and their engines, which are asked for all that it requires. */
export function contextOf(
    type: string,
    component: pulumi.ComponentResource,
    name: string,
    args: Pick<ObjectStoreArgs, "dockerHost" | "hosts" | "unreachableHosts">,
    planned: PlannedDeployment,
    opts?: pulumi.ComponentResourceOptions,
): Context {
    const named = hostsOf(args, dockerHostOf(component, args.dockerHost));
    const hosts = withProviders(name, named, args, { parent: component }) as [Host, ...Host[]];
    const asked = enginesOf(opts);
    const engines = asked ?? new EngineCache(hosts);
    const requirements = requirementsOfDeployment(planned, args.hosts);
    return {
        hosts,
        engines,
        allowed: requireAll(
            type,
            asked === undefined ? requirements : { first: [], then: [] },
            engines,
            opts?.dependsOn,
        ),
        at: (propertyPath) => propertyPath,
    };
}
