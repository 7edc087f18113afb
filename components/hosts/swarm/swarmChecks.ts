import { type EngineSwarm, OPEN_PORTS } from "../../docker/swarm";
import type { Problem } from "../../checks/problem";
import type { StoreHost } from "../../args/hostArgs";
import type { Requirement } from "../../requirements/requirement";
import { dockerOn, JOIN_COMMAND } from "./swarmCommands";
import { hostFindings, unreachable, type SwarmFinding } from "./swarmFindings";
import { swarmOfHosts, type HostsSwarm } from "./swarmMembers";

/** The hosts that aren't away are members of one swarm. */
export function hostsAreOneSwarm(members: readonly StoreHost[]): Requirement {
    return async ({ hosts }) => {
        const swarms = await Promise.all(
            [...hosts].map(async ([name = "", host]): Promise<[string, EngineSwarm | Error]> => [
                name,
                await host
                    .engine()
                    .then((engine) => engine.swarm())
                    .catch((error: unknown) => error as Error),
            ]),
        );
        return checkSwarmOfPresent(members, new Map(swarms));
    };
}

/**
 * Problems of the swarm that the hosts of a store must form, one for each cause, with the commands that correct it. Other
 * nodes of the swarm are allowed: another stack may have hosts there, or the same ones.
 *
 * @param swarms What each host's engine reports, by the host's name; an error if it doesn't answer.
 */
export function checkSwarm(hosts: readonly StoreHost[], swarms: ReadonlyMap<string, EngineSwarm | Error>): Problem[] {
    return swarmFindings(hosts, swarms).map(({ propertyPath, reason }) => ({ propertyPath, reason }));
}

/**
 * The same problems of the hosts that aren't away. Paths are those in the list of all hosts.
 *
 * @param swarms What the engine of each host reports that isn't away.
 */
export function checkSwarmOfPresent(
    hosts: readonly StoreHost[],
    swarms: ReadonlyMap<string, EngineSwarm | Error>,
): Problem[] {
    const present = hosts.filter(({ name }) => swarms.has(name));
    const places = present.map((host) => hosts.indexOf(host));
    return checkSwarm(present, swarms).map(({ propertyPath, reason }) => ({
        propertyPath: propertyPath.replace(/^hosts\[(\d+)\]/, (_, place: string) => `hosts[${places[Number(place)]}]`),
        reason,
    }));
}

/** The same problems, with what `npm run hosts -- join` does about them. */
export function swarmFindings(
    hosts: readonly StoreHost[],
    swarms: ReadonlyMap<string, EngineSwarm | Error>,
): SwarmFinding[] {
    const all = swarmOfHosts(hosts, swarms);
    const ofHosts = hosts.flatMap((host, index) => {
        const answering = all.answering.find((one) => one.place === index);
        return answering === undefined
            ? [unreachable(host, index, swarms.get(host.name))]
            : hostFindings(answering, all);
    });
    return [...ofHosts, ...managerFindings(hosts, all)];
}

/** Minimum number of managers, so that the swarm can still be changed after one of them is lost. */
const MINIMUM_MANAGERS = 3;

function managerFindings(hosts: readonly StoreHost[], all: HostsSwarm): SwarmFinding[] {
    const { answering, manager, nodes } = all;
    if (manager === undefined || nodes === undefined) {
        return withoutManager(hosts, all);
    }
    const managers = nodes.filter(({ isManager }) => isManager);
    const reachable = managers.filter(({ isReachable }) => isReachable);
    const quorum = Math.floor(managers.length / 2) + 1;
    const docker = dockerOn(manager.host);
    const lost = managers.filter(({ isReachable }) => !isReachable).map(({ id, address }) => `${id} (${address})`);
    const few =
        `only ${reachable.length} of the swarm's ${managers.length} managers can be reached, ${quorum} are needed to change anything: ` +
        `start the Docker daemons of ${lost.join(", ")}; ${OPEN_PORTS}; ${docker} node ls shows them`;
    // Hosts that are in no swarm yet become managers where some are missing.
    const later = answering.filter((one) => all.membership(one) === "none").length;
    const workers = answering.flatMap((one) => {
        const node = all.nodeOf(one);
        return node === undefined || node.isManager ? [] : [node.id];
    });
    const promoted = workers.slice(0, MINIMUM_MANAGERS - managers.length).join(" ");
    const missing =
        `the swarm has ${managers.length} ${managers.length === 1 ? "manager" : "managers"}, with ${hosts.length} hosts it needs ` +
        `${MINIMUM_MANAGERS} or more to survive the loss of one: ${JOIN_COMMAND} promotes hosts; by hand: ${docker} node promote ${promoted}`;
    const first = answering.find(({ place }) => place === 0);
    const node = first === undefined ? undefined : all.nodeOf(first);
    const worker =
        `"${hosts[0]?.name}" is a worker of the swarm, and the network between the nodes is created from the first host, as only ` +
        `managers can: ${JOIN_COMMAND} promotes it; by hand: ${docker} node promote ${node?.id}`;
    return [
        ...(node?.isManager === false ? [{ propertyPath: "hosts[0]", reason: worker, join: "corrects" as const }] : []),
        ...(reachable.length < quorum ? [{ propertyPath: "hosts", reason: few, join: "waits" as const }] : []),
        ...(hosts.length >= MINIMUM_MANAGERS && managers.length + later < MINIMUM_MANAGERS && workers.length > 0
            ? [{ propertyPath: "hosts", reason: missing, join: "corrects" as const }]
            : []),
    ];
}

/** The problem of a swarm whose nodes no host can list. None while another problem explains it. */
function withoutManager(hosts: readonly StoreHost[], all: HostsSwarm): SwarmFinding[] {
    const members = all.answering.filter((one) => all.membership(one) === "member");
    const addresses = [...new Set(members.flatMap(({ swarm }) => swarm.managers.map(({ address }) => address)))].sort();
    const stuck = members.find(({ swarm }) => swarm.noQuorum);
    if (stuck !== undefined) {
        const reason =
            `too few of the swarm's managers (${addresses.join(", ")}) reach each other, so nothing in it can be changed: ` +
            `start their Docker daemons; ${OPEN_PORTS}. If the others are lost for good: ${dockerOn(stuck.host)} swarm init ` +
            `--force-new-cluster --advertise-addr ${stuck.host.address}, then ${JOIN_COMMAND}`;
        return [{ propertyPath: "hosts", reason, join: "waits" }];
    }
    if (members.length === 0 || all.answering.length < hosts.length) {
        return [];
    }
    const reason =
        `no host is a manager of the swarm, so its nodes can't be listed: on one of its managers (${addresses.join(", ")}) ` +
        `docker node promote ${members
            .map(({ swarm }) => swarm.nodeId)
            .slice(0, MINIMUM_MANAGERS)
            .join(" ")}`;
    return [{ propertyPath: "hosts", reason, join: "refuses" }];
}
