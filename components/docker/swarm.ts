import { LABELS } from "../naming/labels";

/** State of an engine in its swarm, in the words of Docker's API. */
export type SwarmState = "inactive" | "active" | "pending" | "locked" | "error";

/**
 * The part of a Docker client that is asked about a swarm. The client's own types stay out of the package's exports, since the
 * package's users don't have them.
 */
export interface SwarmClient {
    info(): Promise<unknown>;
    listNodes(): Promise<unknown>;
}

/** A node of a swarm, as a manager lists it. */
export interface SwarmNode {
    id: string;
    hostname: string;
    /** Address from which its engine is connected to the managers. It may differ from the address that the engine advertises. */
    address: string;
    /** Name of the host in stack config, from the node's label. Undefined if it has none. */
    host: string | undefined;
    /** `unknown` and `disconnected` last for seconds: after another manager became the leader, and while the node looks for it. */
    status: "ready" | "down" | "unknown" | "disconnected";
    availability: "active" | "pause" | "drain";
    /** Whether it takes part in the managers' quorum. A node may have the role and not be able to: it isn't one yet then. */
    isManager: boolean;
    /** Whether the leader reaches it as a manager. False for a worker. */
    isReachable: boolean;
}

/** An engine's information about its swarm. */
export interface EngineSwarm {
    state: SwarmState;
    /** The engine's own description of what is wrong. Empty if nothing is. */
    error: string;
    /** Id of the swarm. Undefined outside a swarm, for a worker, and for a manager without a quorum: they don't know it. */
    clusterId: string | undefined;
    /** Id of the engine's node. Undefined outside a swarm, and while it is joining or locked. */
    nodeId: string | undefined;
    /** Address that it advertises to the other nodes. Undefined outside a swarm. */
    address: string | undefined;
    isManager: boolean;
    /** The managers that the engine knows. Workers know them too. */
    managers: { nodeId: string; address: string }[];
    /** All nodes. Undefined if the engine is not a manager with a quorum. */
    nodes: SwarmNode[] | undefined;
    /** Whether it is a manager that can't list the nodes, because too few managers reach each other. */
    noQuorum: boolean;
}

/** What the API answers to `GET /info`, as far as it is needed here. */
interface InfoAnswer {
    Swarm: {
        NodeID: string;
        NodeAddr: string;
        LocalNodeState: SwarmState;
        ControlAvailable: boolean;
        Error: string;
        RemoteManagers: { NodeID: string; Addr: string }[] | null;
        Cluster?: { ID: string };
    };
}

/** What the API answers to `GET /nodes`, as far as it is needed here. */
interface NodeAnswer {
    ID: string;
    Spec: { Labels?: { [label: string]: string } | null; Availability: SwarmNode["availability"] };
    Description: { Hostname?: string };
    Status: { State: SwarmNode["status"]; Addr?: string };
    ManagerStatus?: { Reachability?: string } | null;
}

/**
 * Asks one engine about its swarm. An engine that has just lost its quorum takes up to 20 seconds to answer.
 *
 * @throws {Error} if the engine doesn't answer.
 */
export async function readSwarm(docker: SwarmClient): Promise<EngineSwarm> {
    const { Swarm: swarm } = (await docker.info()) as InfoAnswer;
    const nodes = swarm.ControlAvailable ? await listNodes(docker) : undefined;
    return {
        state: swarm.LocalNodeState,
        error: swarm.Error,
        clusterId: emptyAsUndefined(swarm.Cluster?.ID),
        nodeId: emptyAsUndefined(swarm.NodeID),
        address: emptyAsUndefined(swarm.NodeAddr),
        isManager: swarm.ControlAvailable,
        managers: (swarm.RemoteManagers ?? [])
            .filter(({ NodeID: nodeId }) => nodeId !== "")
            .map(({ NodeID: nodeId, Addr: address }) => ({ nodeId, address })),
        nodes,
        noQuorum: swarm.ControlAvailable && nodes === undefined,
    };
}

/**
 * The nodes, as a manager lists them. Undefined if it answers that it can't. Without a quorum, Docker 20.10 answers with
 * status 500 ("The swarm does not have a leader"), and in the first 20 seconds "context deadline exceeded".
 */
async function listNodes(docker: SwarmClient): Promise<SwarmNode[] | undefined> {
    try {
        return ((await docker.listNodes()) as NodeAnswer[]).map(nodeOf);
    } catch (error) {
        if (((error as { statusCode?: number }).statusCode ?? 0) < 500) {
            throw error;
        }
        return undefined;
    }
}

function nodeOf(answer: NodeAnswer): SwarmNode {
    const { ID: id, Spec: spec, Description: description, Status: status, ManagerStatus: manager } = answer;
    return {
        id,
        hostname: description.Hostname ?? "",
        address: status.Addr ?? "",
        host: spec.Labels?.[LABELS.host],
        status: status.State,
        availability: spec.Availability,
        isManager: manager !== undefined && manager !== null,
        isReachable: manager?.Reachability === "reachable",
    };
}

function emptyAsUndefined(text: string | undefined): string | undefined {
    return text === "" ? undefined : text;
}

/** Port of the API between a swarm's managers and its nodes. */
export const SWARM_PORT = 2377;

/** What must not be blocked between the hosts. */
export const OPEN_PORTS = `TCP ${SWARM_PORT}, TCP and UDP 7946 and UDP 4789 must be open between the hosts`;
