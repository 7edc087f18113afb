import type { StoreHost } from "../args/hostArgs";
import type { ObjectStoreArgs } from "../args/objectStoreArgs";
import { checkSubnet } from "../checks/inputChecks";
import type { Problem } from "../checks/problem";
import type { Requirement } from "../requirements/requirement";
import type { ObjectStoreParts } from "../settings/deploymentSettings";
import { publicSubnetOf } from "../settings/proxyNetworks";
import { checkFloatingAddress } from "./floatingAddress/floatingAddressChecks";
import { checkHosts } from "./placement/hostChecks";
import { checkProxyHosts, checkStoreHosts, checkUnreachableHosts } from "./placement/hostListChecks";
import { hostsAreOneSwarm } from "./swarm/swarmChecks";

/** Every problem of the args that name the hosts, those that are down, and those with a proxy. */
export function checkHostNames({ hosts, unreachableHosts = [], frontEndHosts }: ObjectStoreArgs): Problem[] {
    return [
        ...(hosts === undefined ? [] : [...checkStoreHosts(hosts), ...checkUnreachableHosts(hosts, unreachableHosts)]),
        ...checkProxyHosts(hosts, frontEndHosts),
    ];
}

/**
 * Every further problem of what only several hosts have: the loss of one, and the address that they share.
 *
 * @param nodeNetwork Subnet of the node network. Undefined if that isn't valid.
 */
export function checkSeveralHosts(parts: ObjectStoreParts, nodeNetwork: string | undefined): Problem[] {
    return [...checkHosts(parts.stores[0].cluster), ...checkFloating(parts, nodeNetwork)];
}

/** What several hosts have to be before anything else is asked of their engines: members of one swarm. */
export function requirementsOfHosts(hosts: readonly StoreHost[] | undefined): Requirement[] {
    return hosts === undefined ? [] : [hostsAreOneSwarm(hosts)];
}

function checkFloating({ hosts, proxies, floating }: ObjectStoreParts, nodeNetwork: string | undefined): Problem[] {
    if (floating === undefined) {
        return [];
    }
    const isValid = (subnet: string) => checkSubnet("subnet", subnet, 0, 32).length === 0;
    const networks = [
        ["the node network", nodeNetwork ?? ""],
        ...proxies.map(({ host, name, args }) => [`the public network of host ${host}`, publicSubnetOf(name, args)]),
    ] as [string, string][];
    return checkFloatingAddress(floating, {
        hostAddresses: new Map((hosts ?? []).map(({ address }, index) => [`hosts[${index}].address`, address])),
        proxyCount: hosts === undefined ? undefined : proxies.length,
        dockerNetworks: new Map(networks.filter(([, subnet]) => isValid(subnet))),
        publishAddress: proxies[0]?.args.publishAddress,
        expectsHeader: proxies[0]?.args.proxyProtocol !== undefined,
    });
}
