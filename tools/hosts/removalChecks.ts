import { onHost } from "../../components/docker/hosts";
import type { EngineSwarm } from "../../components/docker/swarm";
import { dockerOn } from "../../components/hosts/swarm/swarmCommands";
import { swarmOfHosts, type AnsweringHost, type HostsSwarm } from "../../components/hosts/swarm/swarmMembers";
import type { StoreHost } from "../../components/args/hostArgs";

/**
 * Reasons why hosts may not be those that a stack was deployed to, and why its networks can't be deleted. Volumes are deleted
 * by name, so they would be those of another stack. What else prevents a deployment doesn't prevent a removal.
 *
 * @param swarms What the engine of each host reports; an error if it doesn't answer.
 */
export function removalProblems(
    hosts: readonly StoreHost[],
    swarms: ReadonlyMap<string, EngineSwarm | Error>,
): string[] {
    const all = swarmOfHosts(hosts, swarms);
    const ofHosts = hosts.flatMap(({ name }) => {
        const one = all.answering.find(({ host }) => host.name === name);
        const problem = one === undefined ? unanswered(swarms.get(name)) : problemOf(one, all);
        return problem === undefined ? [] : [onHost(name, problem)];
    });
    return ofHosts.length > 0 ? ofHosts : [...managerProblems(all), ...formerNodes(hosts, all)];
}

function unanswered(answer: unknown): string {
    return answer instanceof Error ? answer.message : "its Docker daemon wasn't asked";
}

function problemOf(one: AnsweringHost, all: HostsSwarm): string | undefined {
    const { host, place, swarm } = one;
    const same = all.answering.find(
        (other) => other.place < place && swarm.nodeId !== undefined && other.swarm.nodeId === swarm.nodeId,
    );
    if (same !== undefined) {
        return `"${host.dockerHost}" is the Docker daemon of host ${same.host.name} too`;
    }
    const error = swarm.error === "" ? "" : ` (${swarm.error})`;
    switch (all.membership(one)) {
        case "member":
            return nameProblem(one, all);
        case "none":
            return `"${host.dockerHost}" is a Docker daemon in no swarm`;
        case "elsewhere":
            return `"${host.dockerHost}" is a Docker daemon of another swarm than that of host ${all.first?.host.name}`;
        case "removed":
            return `"${host.dockerHost}" is a Docker daemon whose node the swarm's managers have removed`;
        case "locked":
            return "its swarm is locked";
        case "joining":
        case "failed":
            return `its Docker daemon takes no part in its swarm${error}`;
    }
}

function nameProblem(one: AnsweringHost, all: HostsSwarm): string | undefined {
    const node = all.nodeOf(one);
    return node === undefined || node.host === one.host.name
        ? undefined
        : `its node in the swarm has ${node.host === undefined ? "no name of a host" : `the name "${node.host}"`}`;
}

/** Nodes that hosts had before they left the swarm and joined it again. Their containers still use the networks. */
function formerNodes(hosts: readonly StoreHost[], { answering, manager, nodes = [] }: HostsSwarm): string[] {
    const current = answering.map(({ swarm }) => swarm.nodeId);
    return nodes.flatMap(({ id, host, isManager }) => {
        const isFormer = !current.includes(id) && hosts.some(({ name }) => name === host);
        if (!isFormer || manager === undefined) {
            return [];
        }
        const docker = dockerOn(manager.host);
        const demote = isManager ? `${docker} node demote ${id}, then ` : "";
        return [
            onHost(
                host,
                `a former node of it, ${id}, keeps the network in use: ${demote}${docker} node rm --force ${id}`,
            ),
        ];
    });
}

/** Without a quorum nobody says whose nodes the engines are, and no overlay network can be deleted. */
function managerProblems({ manager, nodes = [] }: HostsSwarm): string[] {
    if (manager === undefined) {
        return ["no host is a manager of the swarm that can reach enough of the others"];
    }
    const managers = nodes.filter(({ isManager }) => isManager);
    const reachable = managers.filter(({ isReachable }) => isReachable);
    return reachable.length > managers.length / 2
        ? []
        : [`only ${reachable.length} of the swarm's ${managers.length} managers can be reached`];
}
