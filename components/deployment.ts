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
import type { CheckedOptions, Context } from "./settings/context";
import { checkCombination, checkProxyPart, checkStore } from "./settings/deploymentChecks";
import type { ObjectStoreParts } from "./settings/deploymentSettings";
import { requirementsOf, type PlannedDeployment } from "./settings/requirements";

/** The problems of a deployment's args, and what is asked of its engines all the same, so that all is said at once. */
export interface CheckedDeployment {
    problems: Problem[];
    /** Nothing if the args don't say which parts there are. */
    planned: PlannedDeployment;
}

/**
 * Every problem of a deployment that can be found without querying the engines, each once: some args belong to several
 * parts.
 */
export function checkDeployment(args: ObjectStoreArgs, parts: ObjectStoreParts): CheckedDeployment {
    const { storeName } = parts;
    const subnets = parts.stores.flatMap(({ component, cluster }) =>
        checkGivenSubnet(cluster).length > 0 ? [] : [nodeSubnetOf(component, cluster)],
    );
    const clusters = parts.stores.map((store) => ({ ...store, problems: checkStore(store) }));
    const proxies = parts.proxies.map((proxy) => ({ ...proxy, problems: checkProxyPart(proxy, subnets) }));
    const ofParts = [...clusters, ...proxies].flatMap(({ problems }) => problems);
    const ofNames = [...checkHostNames(args), ...checkCombination(storeName, args)];
    const all = [...ofParts, ...checkSeveralHosts(parts, subnets[0]), ...ofNames];
    return {
        problems: [...new Map(all.map((problem) => [JSON.stringify(problem), problem])).values()],
        planned: ofNames.length > 0 ? { clusters: [], proxies: [] } : { clusters, proxies },
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
    opts?: CheckedOptions,
): Context {
    const named = hostsOf(args, dockerHostOf(component, args.dockerHost));
    const hosts = withProviders(name, named, args, { parent: component }) as [Host, ...Host[]];
    const asked = opts?.engines;
    const engines = asked ?? new EngineCache(hosts);
    const requirements = asked === undefined ? requirementsOfDeployment(planned, args.hosts) : { first: [], then: [] };
    return {
        hosts,
        engines,
        allowed: requireAll(type, requirements, engines, opts?.dependsOn),
        at: (propertyPath) => propertyPath,
    };
}
