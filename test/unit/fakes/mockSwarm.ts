import type { EngineSwarm, SwarmNode } from "../../../components/docker/swarm";
import type { StoreHost } from "../../../components/args/hostArgs";

/** Hosts named `a`, `b`, … with the addresses 10.0.0.1, 10.0.0.2, … */
export function hostsNamed(names: string): StoreHost[] {
    return Array.from(names).map((name, index) => ({
        name,
        dockerHost: `ssh://${name}`,
        address: `10.0.0.${index + 1}`,
    }));
}

/** Names of hosts whose nodes are managers, in capitals, and workers: `ABCd`. Their ids are `node-a`, `node-b`, … */
export function nodesOf(roles: string): SwarmNode[] {
    return Array.from(roles).map((role, index) => {
        const name = role.toLowerCase();
        const isManager = role !== name;
        return {
            id: `node-${name}`,
            hostname: name,
            address: `10.0.0.${index + 1}`,
            host: name,
            status: "ready",
            availability: "active",
            isManager,
            isReachable: isManager,
        };
    });
}

/** An engine in no swarm. */
export const OUTSIDE: EngineSwarm = {
    state: "inactive",
    error: "",
    clusterId: undefined,
    nodeId: undefined,
    address: undefined,
    isManager: false,
    managers: [],
    nodes: undefined,
    noQuorum: false,
};

/** What the engine of a node reports. */
export function memberOf(nodes: SwarmNode[], node: SwarmNode, clusterId = "swarm"): EngineSwarm {
    return {
        ...OUTSIDE,
        state: "active",
        clusterId: node.isManager ? clusterId : undefined,
        nodeId: node.id,
        address: node.address,
        isManager: node.isManager,
        managers: nodes
            .filter(({ isManager }) => isManager)
            .map(({ id, address }) => ({ nodeId: id, address: `${address}:2377` })),
        nodes: node.isManager ? nodes : undefined,
    };
}

/** What the engine of a manager reports that can't reach enough of the others. */
export function withoutQuorum(swarm: EngineSwarm): EngineSwarm {
    return { ...swarm, clusterId: undefined, nodes: undefined, noQuorum: swarm.isManager };
}

/** What the engine of each host reports: the nodes' as members, the others' as in no swarm. */
export function swarmsOf(
    hosts: StoreHost[],
    nodes: SwarmNode[],
    others: { [name: string]: EngineSwarm | Error } = {},
): Map<string, EngineSwarm | Error> {
    return new Map(
        hosts.map(({ name }) => {
            const node = nodes.find(({ id }) => id === `node-${name}`);
            return [name, others[name] ?? (node === undefined ? OUTSIDE : memberOf(nodes, node))];
        }),
    );
}

/** Nodes with some of them changed, by the names of their hosts. */
export function changed(nodes: SwarmNode[], changes: { [name: string]: Partial<SwarmNode> }): SwarmNode[] {
    return nodes.map((node) => ({ ...node, ...changes[node.hostname] }));
}
