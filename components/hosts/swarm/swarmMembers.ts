import type { EngineSwarm, SwarmNode } from "../../docker/swarm";
import type { StoreHost } from "../../args/hostArgs";

/** A host whose engine answers. */
export interface AnsweringHost {
    host: StoreHost;
    /** Its place in stack config. */
    place: number;
    swarm: EngineSwarm;
}

/**
 * How an engine belongs to the swarm of the hosts. `joining`: the managers that it tries to join haven't answered yet;
 * `removed`: it takes itself for a member, but the managers have removed its node.
 */
export type Membership = "member" | "none" | "joining" | "locked" | "failed" | "elsewhere" | "removed";

/** The swarm of the hosts: that of the first host which is in one. */
export interface HostsSwarm {
    answering: AnsweringHost[];
    /** The first host that is in a swarm. Undefined if none is. */
    first: AnsweringHost | undefined;
    /** A host that can list and change the swarm's nodes. Undefined if none can. */
    manager: AnsweringHost | undefined;
    /** The swarm's nodes. Undefined if no host can list them. */
    nodes: SwarmNode[] | undefined;
    /** How a host's engine belongs to the swarm. */
    membership(host: AnsweringHost): Membership;
    /** Node of a host. Undefined if it isn't a member, or if no host can list the nodes. */
    nodeOf(host: AnsweringHost): SwarmNode | undefined;
}

/** The swarm of the hosts, from what each engine reports. */
export function swarmOfHosts(
    hosts: readonly StoreHost[],
    swarms: ReadonlyMap<string, EngineSwarm | Error>,
): HostsSwarm {
    const answering = hosts.flatMap((host, index): AnsweringHost[] => {
        const swarm = swarms.get(host.name);
        return swarm === undefined || swarm instanceof Error ? [] : [{ host, place: index, swarm }];
    });
    const first = answering.find(({ swarm }) => isNode(swarm));
    const inFirst = ({ swarm }: AnsweringHost) => first !== undefined && isSameSwarm(swarm, first.swarm);
    const manager = answering.find((one) => one.swarm.nodes !== undefined && inFirst(one));
    const nodes = manager?.swarm.nodes;
    const nodeOf = ({ swarm }: AnsweringHost) => nodes?.find(({ id }) => id === swarm.nodeId);
    const membership = (one: AnsweringHost): Membership => {
        switch (one.swarm.state) {
            case "inactive":
                return "none";
            case "locked":
                return "locked";
            case "error":
                return "failed";
            case "active":
            case "pending":
                if (!isNode(one.swarm)) {
                    return "joining";
                }
                if (!inFirst(one)) {
                    return "elsewhere";
                }
                return nodes !== undefined && nodeOf(one) === undefined ? "removed" : "member";
        }
    };
    return { answering, first, manager, nodes, membership, nodeOf };
}

/**
 * Whether an engine is a node of a swarm. After its start such an engine is `pending` until it has found a leader, which
 * takes as long as there is none. An engine that has never joined is `pending` without a node.
 */
function isNode({ state, nodeId }: EngineSwarm): boolean {
    return (state === "active" || state === "pending") && nodeId !== undefined;
}

/** Only managers with a quorum know a swarm's id. Every other member is recognised by the managers that it knows. */
function isSameSwarm(one: EngineSwarm, other: EngineSwarm): boolean {
    if (one.clusterId !== undefined && other.clusterId !== undefined) {
        return one.clusterId === other.clusterId;
    }
    const known = knownNodes(one);
    return knownNodes(other).some((id) => known.includes(id));
}

function knownNodes({ nodeId, managers, nodes = [] }: EngineSwarm): string[] {
    return [
        ...(nodeId === undefined ? [] : [nodeId]),
        ...[...managers.map((manager) => manager.nodeId), ...nodes.map(({ id }) => id)],
    ];
}

/**
 * Nodes with the address or the name of a host that are not the node of any host's engine. They remain when an engine leaves
 * its swarm, and when a machine is replaced.
 */
export function otherNodes({ answering, nodes = [] }: HostsSwarm, { host }: AnsweringHost): SwarmNode[] {
    const current = answering.flatMap(({ swarm }) => swarm.nodeId ?? []);
    return nodes.filter(
        (node) => !current.includes(node.id) && (node.address === host.address || node.host === host.name),
    );
}
