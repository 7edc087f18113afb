import type Docker from "dockerode";
import type { EngineSwarm, SwarmNode } from "../../../components/docker/swarm";
import type { StoreHost } from "../../../components/args/hostArgs";

/** Join tokens of a virtual swarm. */
export const TOKENS = { Manager: "SWMTKN-manager", Worker: "SWMTKN-worker" };

interface VirtualNode {
    ID: string;
    Version: { Index: number };
    Spec: { Labels: { [label: string]: string }; Role: string; Availability: string };
    Description: { Hostname: string };
    Status: { State: string; Addr: string };
    ManagerStatus?: { Reachability: string };
}

/** Options of a request that joins or initialises a swarm. */
interface JoinOptions {
    AdvertiseAddr: string;
    ListenAddr: string;
    DataPathAddr: string;
    RemoteAddrs?: string[];
    JoinToken?: string;
}

/** Engines that can form one swarm, as Docker's API shows it. */
export class VirtualSwarm {
    /** Every change, in order. */
    readonly changes: string[] = [];
    /** Hosts that can't join, with the engine's message. */
    readonly refusals = new Map<string, string>();
    /** Number of the next changes of nodes that the managers refuse, because of a change of their own. */
    overtaken = 0;
    /** Number of times that a new manager is listed before the others reach it. */
    delay = 0;
    private readonly nodes: VirtualNode[] = [];

    /** A client of a host's engine. */
    readonly engine = ({ name }: StoreHost): Promise<Docker> =>
        Promise.resolve({
            ping: () => Promise.resolve(),
            info: () => Promise.resolve({ Swarm: this.information(name) }),
            listNodes: () => Promise.resolve(this.listed()),
            swarmInspect: () => Promise.resolve({ JoinTokens: TOKENS }),
            swarmInit: (options: JoinOptions) => this.add(name, "manager", options),
            swarmJoin: (options: JoinOptions) =>
                this.add(name, options.JoinToken === TOKENS.Manager ? "manager" : "worker", options),
            getNode: (id: string) => ({
                inspect: () => Promise.resolve(structuredClone(this.node(id))),
                update: (options: { _query: { version: number }; _body: VirtualNode["Spec"] }) =>
                    this.update(this.node(id), options._query.version, options._body),
            }),
        } as unknown as Docker);

    private information(name: string): object {
        const node = this.nodes.find(({ ID: id }) => id === `node-${name}`);
        const managers = this.nodes.filter(({ ManagerStatus: manager }) => manager !== undefined);
        const remote = managers.map(({ ID, Status }) => ({ NodeID: ID, Addr: `${Status.Addr}:2377` }));
        return {
            NodeID: node?.ID ?? "",
            NodeAddr: node?.Status.Addr ?? "",
            LocalNodeState: node === undefined ? "inactive" : "active",
            ControlAvailable: node?.ManagerStatus !== undefined,
            Error: "",
            RemoteManagers: node === undefined ? null : remote,
            ...(node?.ManagerStatus === undefined ? {} : { Cluster: { ID: "swarm" } }),
        };
    }

    private listed(): VirtualNode[] {
        const found = structuredClone(this.nodes);
        this.delay--;
        return this.delay < 0 ? found : found.map((node) => ({ ...node, ManagerStatus: { Reachability: "unknown" } }));
    }

    private add(name: string, role: string, options: JoinOptions): Promise<void> {
        const { AdvertiseAddr: address, ListenAddr: listen, DataPathAddr: data, RemoteAddrs: remote } = options;
        const refusal = this.refusals.get(name);
        if (refusal !== undefined) {
            return Promise.reject(new Error(refusal));
        }
        this.changes.push(
            `${name} ${role} ${address} ${listen} ${data}${remote === undefined ? "" : ` by ${remote.join(" ")}`}`,
        );
        this.nodes.push({
            ID: `node-${name}`,
            Version: { Index: 1 },
            Spec: { Labels: { rack: "1" }, Role: role, Availability: "active" },
            Description: { Hostname: name },
            Status: { State: "ready", Addr: address },
            ...(role === "manager" ? { ManagerStatus: { Reachability: "reachable" } } : {}),
        });
        return Promise.resolve();
    }

    private update(node: VirtualNode, version: number, spec: VirtualNode["Spec"]): Promise<void> {
        if (this.overtaken > 0) {
            this.overtaken--;
            node.Version.Index++;
        }
        if (version !== node.Version.Index) {
            return Promise.reject(new Error("rpc error: code = Unknown desc = update out of sequence"));
        }
        node.Version.Index++;
        node.Spec = spec;
        if (spec.Role === "manager") {
            node.ManagerStatus = { Reachability: "reachable" };
        }
        this.changes.push(`${node.ID} ${spec.Role} ${spec.Availability} ${JSON.stringify(spec.Labels)}`);
        return Promise.resolve();
    }

    private node(id: string): VirtualNode {
        return this.nodes.find((node) => node.ID === id) as VirtualNode;
    }
}

/** A client of an engine that reports this, and can't be changed. */
export function answeringAs(swarm: EngineSwarm): Docker {
    const { state, nodeId = "", address = "", isManager, managers, nodes = [], clusterId = "" } = swarm;
    const information = {
        NodeID: nodeId,
        NodeAddr: address,
        LocalNodeState: state,
        ControlAvailable: isManager,
        Error: "",
        RemoteManagers: managers.map((manager) => ({ NodeID: manager.nodeId, Addr: manager.address })),
        Cluster: { ID: clusterId },
    };
    return {
        ping: () => Promise.resolve(),
        info: () => Promise.resolve({ Swarm: information }),
        listNodes: () => Promise.resolve(nodes.map(listedAs)),
    } as unknown as Docker;
}

function listedAs({ id, hostname, address, host, status, availability, isManager, isReachable }: SwarmNode): object {
    return {
        ID: id,
        Spec: { Labels: host === undefined ? {} : { "object-store.host": host }, Availability: availability },
        Description: { Hostname: hostname },
        Status: { State: status, Addr: address },
        ...(isManager ? { ManagerStatus: { Reachability: isReachable ? "reachable" : "unreachable" } } : {}),
    };
}
