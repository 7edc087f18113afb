import type { HostEngine } from "../docker/hosts";
import { MASTER_SOCKET, RELOAD_LOCK, SOCKET_DIRECTORY } from "./proxyFiles";
import { networksOverlap } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";
import { script } from "../docker/script";
import { poll, systemClock, type Clock } from "../docker/poll";

/** One node in one backend of one proxy process. */
export interface ProxyServer {
    /** Name of the proxy's container. */
    proxy: string;
    /** Process id, in the container. */
    worker: string;
    /** Whether the process accepts new connections. A worker from before a reload doesn't. */
    current: boolean;
    /** `s3/node1`. */
    server: string;
    /** Name of the node, as the caller names it (see {@link ProxyOptions}). */
    node: string;
    address: string;
    /** `UP`, `DOWN`, `DRAIN`, `MAINT` … */
    status: string;
    /** Number of requests and tunnels that run on it. */
    running: number;
    /** HTTP status of its last check, if that had another one than it should. */
    wrongStatus?: number;
}

/**
 * States that a server can be set to (HAProxy management guide, `set server`). With `ready after checks` the server goes
 * through maintenance and is down until two checks have passed (service contract, section 3). States with `reads` apply to
 * the backend that only reads.
 */
export type ServerState = "ready" | "ready after checks" | "drain" | "maint" | "drain reads" | "ready reads";

/** Control of the proxies in front of a cluster, as a rollout needs it. It identifies a node by its name. */
export interface ProxyControl {
    /**
     * Every node of the cluster in every backend, as seen by every process of every proxy.
     *
     * @throws {Error} if a running proxy gives no readable answer within the time of its retries.
     */
    list(): Promise<ProxyServer[]>;
    /**
     * Puts nodes into a state in every backend of every proxy, and records there whether this program keeps them out of
     * service.
     *
     * @throws {Error} if a running proxy doesn't carry it out.
     */
    set(nodes: readonly string[], state: ServerState): Promise<void>;
    /**
     * Names of the cluster's nodes that this program has taken out of service, in this update or in an earlier one.
     *
     * @param of `all`: taken out of all backends; `reads`: only out of the backend that only reads. Default: `all`.
     */
    cordoned(of?: "all" | "reads"): Promise<string[]>;
}

/** The part of the engines that is used to reach the proxies. */
export type ProxyEngine = Pick<HostEngine, "containers" | "networks" | "run">;

/** Whether the proxy sends a server no new requests because of a command (drain or maintenance). */
export function isOut({ status }: Pick<ProxyServer, "status">): boolean {
    return /^(DRAIN|MAINT)/.test(status);
}

/** Whether a server may get requests: its checks have passed, or it has none. */
export function isUp({ status }: Pick<ProxyServer, "status">): boolean {
    return /^(UP|no check)/.test(status);
}

/**
 * Whether a server answers the proxy's checks, but doesn't know their path: the proxy still has the health paths of another store. Once it
 * gets the right ones, the server is up.
 */
export function hasOtherPaths({ wrongStatus = 0 }: Pick<ProxyServer, "wrongStatus">): boolean {
    return wrongStatus >= 300 && wrongStatus < 500;
}

/** A node, and its address in the proxies' configuration. */
export interface ProxiedNode {
    name: string;
    address: string;
}

/** Options for querying the proxies. */
export interface ProxyOptions {
    /** The cluster's nodes. Default: all addresses of the network, each also being the node's name. */
    nodes?: readonly ProxiedNode[];
    /** Time limit for retries to a proxy that gives no answer, in seconds; 0 for one attempt. Default: 30. */
    patience?: number;
    clock?: Clock;
}

/**
 * The nodes of a cluster as the proxies on its network see them. They are controlled through the master socket of each
 * proxy, from within its own container. If a proxy serves other clusters as well, their nodes are neither listed nor
 * changed.
 *
 * A node that was taken out of service gets a marker file beside the socket, so that a later update returns it to service
 * if this one didn't. A node that an operator has drained has no such file, and stays drained.
 */
export class ProxyServers implements ProxyControl {
    private readonly clock: Clock;
    private readonly patience: number;
    /** Names of the proxies that were found last. */
    private known: string[] | undefined;

    constructor(
        private readonly engine: ProxyEngine,
        /** Name of the node network. */
        private readonly networkName: string,
        private readonly options: ProxyOptions = {},
    ) {
        this.clock = options.clock ?? systemClock;
        this.patience = options.patience ?? 30;
    }

    async list(): Promise<ProxyServer[]> {
        const nodeAt = await this.nodesByAddress();
        const servers = await this.ofAll((proxy) =>
            this.perl(proxy, "listServers.pl").then((text) => serversOf(proxy, text)),
        );
        return servers.flat().flatMap((server) => {
            const node = nodeAt(server.address);
            return node === undefined ? [] : [{ ...server, node }];
        });
    }

    async set(nodes: readonly string[], state: ServerState): Promise<void> {
        const nodeAt = await this.nodesByAddress();
        const addresses = nodes
            .map((name) => this.options.nodes?.find((node) => node.name === name)?.address ?? name)
            .filter((address) => nodeAt(address) !== undefined);
        if (addresses.length > 0) {
            const proxies = state.startsWith("ready") ? await this.reachableProxies() : await this.proxies();
            await this.ofAll((proxy) => this.perl(proxy, "setServers.pl", [state, ...addresses]), proxies);
        }
    }

    async cordoned(of: "all" | "reads" = "all"): Promise<string[]> {
        const nodeAt = await this.nodesByAddress();
        const files = await this.ofAll((proxy) => this.inContainer(proxy, ["ls", SOCKET_DIRECTORY]));
        const notes = files.flatMap((names) => [...names.matchAll(NOTE)]);
        const nodes = notes
            .filter(([, reads]) => (reads !== undefined) === (of === "reads"))
            .flatMap(([, , address = ""]) => nodeAt(address) ?? []);
        return [...new Set(nodes)];
    }

    /** The name of the cluster's node at an address. Undefined for the address of another cluster's node. */
    private async nodesByAddress(): Promise<(address: string) => string | undefined> {
        const { nodes } = this.options;
        if (nodes !== undefined) {
            return (address) => nodes.find((node) => node.address === address)?.name;
        }
        const networks = (await this.engine.networks()).filter(({ name }) => name === this.networkName);
        const isOwn = (address: string) => networks.some(({ subnet }) => networksOverlap(subnet, `${address}/32`));
        return (address) => (isOwn(address) ? address : undefined);
    }

    /**
     * Queries every proxy. A proxy that gives no answer is queried again, unless it has stopped meanwhile: then it serves
     * no client.
     */
    private async ofAll<Answer>(ask: (proxy: string) => Promise<Answer>, proxies?: string[]): Promise<Answer[]> {
        const asked = proxies ?? (await this.proxies());
        const answers = await Promise.all(asked.map((proxy) => this.ofOne(proxy, ask)));
        return answers.flat();
    }

    private async ofOne<Answer>(proxy: string, ask: (proxy: string) => Promise<Answer>): Promise<Answer[]> {
        let failure = "";
        const answer = await poll(
            async (round) => {
                if (round > 0 && !(await this.proxies().catch(() => [proxy])).includes(proxy)) {
                    return [];
                }
                return ask(proxy).then(
                    (found) => [found],
                    (error: unknown) => {
                        failure = (error as Error).message.trim();
                        return undefined;
                    },
                );
            },
            { clock: this.clock, timeout: this.patience },
        );
        if (answer === undefined) {
            throw new Error(
                `${proxy} doesn't report its servers, so their running requests are unknown: ${failure}. ` +
                    `See docker logs ${proxy}, then run the same update again`,
            );
        }
        return answer;
    }

    private async proxies(): Promise<string[]> {
        const containers = await this.engine.containers(LABELS.proxy);
        this.known = containers
            .filter(({ state, networks }) => state === "running" && networks.includes(this.networkName))
            .map(({ name }) => name);
        return this.known;
    }

    /**
     * The proxies; those that were found last if an engine doesn't answer any more. Nodes must return to service in the
     * proxies of all other hosts.
     */
    private async reachableProxies(): Promise<string[]> {
        try {
            return await this.proxies();
        } catch (error) {
            if (this.known === undefined) {
                throw error;
            }
            return this.known;
        }
    }

    private perl(proxy: string, name: string, args: string[] = []): Promise<string> {
        const program = ["askMaster.pl", name].map((file) => script(__dirname, file)).join("\n");
        return this.inContainer(proxy, ["perl", "-e", program, ...args]);
    }

    private async inContainer(proxy: string, command: string[]): Promise<string> {
        const { code, output } = await this.engine.run(proxy, command, SCRIPT_ENVIRONMENT);
        if (code !== 0) {
            throw new Error(output === "" ? `exit code ${code}` : output);
        }
        return output;
    }
}

/** A server as a proxy knows it: by its address. */
type FoundServer = Omit<ProxyServer, "node">;

const PREFIX = "taken-out-";
const NOTE = /^taken-out-(reads-)?([0-9.]+)$/gm;

/** Environment variables of the scripts. */
const SCRIPT_ENVIRONMENT = [
    `MASTER_SOCKET=${MASTER_SOCKET}`,
    `RELOAD_LOCK=${RELOAD_LOCK}`,
    `NOTE_PREFIX=${SOCKET_DIRECTORY}/${PREFIX}`,
];

/** @throws {Error} if the answers aren't those of a running proxy. */
function serversOf(proxy: string, output: string): FoundServer[] {
    const [processes = "", ...answers] = output.split("\0");
    const workers = [...processes.matchAll(/^(\d+)\s+worker\s+/gm)].map(([, worker = ""]) => worker);
    if (workers.length === 0) {
        throw new Error(`its answer lists no worker: ${JSON.stringify(processes.slice(0, 200))}`);
    }
    const old = processes.indexOf("# old workers");
    return workers.flatMap((worker, index) => {
        const current = old === -1 || processes.search(new RegExp(`^${worker}\\s`, "m")) < old;
        const [states = "", statistics = ""] = [answers[2 * index], answers[2 * index + 1]];
        if (!/^# be_id /m.test(states) || !/^# pxname,/m.test(statistics)) {
            throw new Error(`worker ${worker} answered ${JSON.stringify((states + statistics).slice(0, 200))}`);
        }
        return serversIn(states, statistics).map((server) => ({ ...server, proxy, worker, current }));
    });
}

/** Joins `show servers state`, which has the addresses, with `show stat`, which has the rest. */
function serversIn(states: string, statistics: string): Omit<FoundServer, "proxy" | "worker" | "current">[] {
    const [header = "", ...rows] = statistics.trim().replace(/^# /, "").split("\n");
    const columns = header.split(",");
    const found = rows.map((row) => {
        const values = row.split(",");
        const value = (column: string) => values[columns.indexOf(column)] ?? "";
        const running = Number(value("scur"));
        // HAProxy management guide, "show stat": the server answered, with a status that the check doesn't expect.
        const wrong = value("check_status") === "L7STS" ? { wrongStatus: Number(value("check_code")) } : {};
        return { server: `${value("pxname")}/${value("svname")}`, status: value("status"), running, ...wrong };
    });
    return states.split("\n").flatMap((row) => {
        const [id, backend, , name, address = ""] = row.split(" ");
        const statistic = found.find(({ server }) => server === `${backend}/${name}`);
        return id === undefined || !/^\d+$/.test(id) || statistic === undefined ? [] : [{ ...statistic, address }];
    });
}

/** Whether a server, such as `s3_read/node1`, belongs to a backend that only reads. */
export function isOfReads(server: string): boolean {
    return /^s3_read[-/]/.test(server);
}
