import type { EngineSwarm } from "../../components/docker/swarm";
import type { Problem } from "../../components/checks/problem";
import { swarmFindings } from "../../components/hosts/swarm/swarmChecks";
import { otherNodes, swarmOfHosts } from "../../components/hosts/swarm/swarmMembers";
import type { StoreHost } from "../../components/args/hostArgs";

/** Role of a node in a swarm. */
export type SwarmRole = "manager" | "worker";

/** One change on the way to a swarm of all hosts. */
export type MembershipStep =
    | { kind: "initialise"; host: StoreHost }
    | { kind: "join"; host: StoreHost; role: SwarmRole }
    | { kind: "promote"; host: StoreHost }
    | { kind: "label"; host: StoreHost };

/** How the hosts become a swarm, or why nothing is changed. */
export interface MembershipPlan {
    /** What the user must correct first. There are no steps then. */
    problems: Problem[];
    /** Whether all of the problems may pass within a minute. */
    mayPass: boolean;
    /** In the order in which they are taken. Empty if nothing has to be changed. */
    steps: MembershipStep[];
    /** The host on which the swarm's nodes are listed and changed. Undefined if there is nothing to change. */
    manager: StoreHost | undefined;
}

/** Number of managers for a number of hosts: odd, because an even one survives no more losses than one manager less. */
export function desiredManagers(hostCount: number): number {
    return Math.min(7, hostCount % 2 === 1 ? hostCount : hostCount - 1);
}

/**
 * Decides which hosts initialise the swarm, join it, become managers and get their names as labels. It never makes an engine
 * leave a swarm, or a manager a worker. Managers on nodes of other stacks count too.
 *
 * @param swarms What each host's engine reports, by the host's name; an error if it doesn't answer.
 */
export function membershipPlan(
    hosts: readonly StoreHost[],
    swarms: ReadonlyMap<string, EngineSwarm | Error>,
): MembershipPlan {
    const findings = swarmFindings(hosts, swarms).filter(({ join }) => join === "refuses" || join === "waits");
    const problems = findings.map(({ propertyPath, reason }) => ({ propertyPath, reason }));
    const mayPass = findings.every(({ join }) => join === "waits");
    if (problems.length > 0) {
        return { problems, mayPass, steps: [], manager: undefined };
    }
    const all = swarmOfHosts(hosts, swarms);
    const former = all.answering.flatMap((one) => otherNodes(all, one)).map(({ id }) => id);
    const managers = (all.nodes ?? []).filter(({ id, isManager }) => isManager && !former.includes(id));
    let missing = desiredManagers(hosts.length) - managers.length;
    const promotions: MembershipStep[] = [];
    const others = all.answering.flatMap((one): MembershipStep[] => {
        const { host, place } = one;
        const node = all.nodeOf(one);
        const label: MembershipStep[] = node?.host === host.name ? [] : [{ kind: "label", host }];
        if (node?.isManager === true) {
            return label;
        }
        // The overlay network is created from the first host, and only managers can create it.
        const role = missing > 0 || place === 0 ? "manager" : "worker";
        missing--;
        if (node !== undefined) {
            promotions.push(...(role === "manager" ? [{ kind: "promote" as const, host }] : []));
            return label;
        }
        const starts = all.first === undefined && place === 0;
        return [starts ? { kind: "initialise", host } : { kind: "join", host, role }, ...label];
    });
    // If a host can't join, a swarm with one manager stays one: with two, the loss of either would stop it.
    const steps = [...others, ...promotions];
    return { problems, mayPass, steps, manager: all.manager?.host ?? hosts[0] };
}
