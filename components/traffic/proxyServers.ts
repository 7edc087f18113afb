import type { DockerEngine } from "../engine/dockerEngine";
import { MASTER_SOCKET, RELOAD_LOCK, SOCKET_DIRECTORY } from "./proxyFiles";
import { networksOverlap } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";
import { script } from "../engine/script";
import { poll, systemClock, type Clock } from "../engine/poll";

/** One node in one backend of one proxy's process. */
export interface ProxyServer {
    /** Name of the proxy's container. */
    proxy: string;
    /** Process id, in the container. */
    worker: string;
    /** Whether the process takes new connections; one of before a reload doesn't. */
    current: boolean;
    /** `s3/node1`. */
    server: string;
    address: string;
    /** `UP`, `DOWN`, `DRAIN`, `MAINT` … */
    status: string;
    /** Requests and tunnels that run on it. */
    running: number;
}

/**
 * What the proxies may do with a server (HAProxy management guide, `set server`). `ready after checks` is down until two checks were good:
 * it goes through maintenance (service contract, section 3). Those with `reads` are for the backend that only reads.
 */
export type ServerState = "ready" | "ready after checks" | "drain" | "maint" | "drain reads" | "ready reads";

/** The proxies in front of a cluster, as a rollout needs them. */
export interface ProxyControl {
    /**
     * Every node of the cluster in every backend, as every process of every proxy has it.
     *
     * @throws {Error} where a running proxy gives no answer that can be read, for as long as it is asked again.
     */
    list(): Promise<ProxyServer[]>;
    /**
     * Puts nodes into a state in every backend of every proxy, and notes there whether it is this program that keeps them out.
     *
     * @throws {Error} where a running proxy doesn't do it.
     */
    set(addresses: readonly string[], state: ServerState): Promise<void>;
    /**
     * Addresses of the cluster's nodes that this program has taken out, in this update or in one before.
     *
     * @param of Out of all backends, or of the one that only reads alone. Default: all.
     */
    takenOut(of?: "all" | "reads"): Promise<string[]>;
}

/** What of the engine leads to the proxies. */
export type ProxyEngine = Pick<DockerEngine, "containers" | "networks" | "run">;

/** Whether the proxy sends a server no new requests because somebody has said so. */
export function isOut({ status }: Pick<ProxyServer, "status">): boolean {
    return /^(DRAIN|MAINT)/.test(status);
}

/** Whether the proxy's checks, or their absence, let a server take requests. */
export function isUp({ status }: Pick<ProxyServer, "status">): boolean {
    return /^(UP|no check)/.test(status);
}

/** How proxies are asked. */
export interface ProxyOptions {
    /** Addresses of the cluster's nodes. Default: those of the network. */
    addresses?: readonly string[];
    /** Limit for a proxy that gives no answer, in seconds, 0 for one attempt. Default: 30. */
    patience?: number;
    clock?: Clock;
}

/**
 * The nodes of a cluster as the proxies on its network see them, controlled through the master socket of each, in its own
 * container. A proxy may serve other clusters as well: their nodes are neither listed nor changed.
 *
 * A node that was taken out leaves a note beside the socket, so that a later update returns it to service where this one
 * didn't; what an operator has drained carries no such note, and stays drained.
 */
export class ProxyServers implements ProxyControl {
    private readonly clock: Clock;
    private readonly patience: number;

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
        const isOwn = await this.ownAddress();
        const servers = await this.ofAll((proxy) =>
            this.perl(proxy, "listServers.pl").then((text) => serversOf(proxy, text)),
        );
        return servers.flat().filter(({ address }) => isOwn(address));
    }

    async set(addresses: readonly string[], state: ServerState): Promise<void> {
        const isOwn = await this.ownAddress();
        const own = addresses.filter(isOwn);
        if (own.length > 0) {
            await this.ofAll((proxy) => this.perl(proxy, "setServers.pl", [state, ...own]));
        }
    }

    async takenOut(of: "all" | "reads" = "all"): Promise<string[]> {
        const isOwn = await this.ownAddress();
        const files = await this.ofAll((proxy) => this.inContainer(proxy, ["ls", SOCKET_DIRECTORY]));
        const notes = files.flatMap((names) => [...names.matchAll(NOTE)]);
        const addresses = notes
            .filter(([, reads]) => (reads !== undefined) === (of === "reads"))
            .map(([, , address = ""]) => address);
        return [...new Set(addresses)].filter(isOwn);
    }

    private async ownAddress(): Promise<(address: string) => boolean> {
        const { addresses } = this.options;
        if (addresses !== undefined) {
            return (address) => addresses.includes(address);
        }
        const networks = (await this.engine.networks()).filter(({ name }) => name === this.networkName);
        return (address) => networks.some(({ subnet }) => networksOverlap(subnet, `${address}/32`));
    }

    /** Asks every proxy; one that gives no answer is asked again, unless it has stopped meanwhile: then it serves nobody. */
    private async ofAll<Answer>(ask: (proxy: string) => Promise<Answer>): Promise<Answer[]> {
        const answers = await Promise.all((await this.proxies()).map((proxy) => this.ofOne(proxy, ask)));
        return answers.flat();
    }

    private async ofOne<Answer>(proxy: string, ask: (proxy: string) => Promise<Answer>): Promise<Answer[]> {
        let failure = "";
        const answer = await poll(
            async (round) => {
                if (round > 0 && !(await this.proxies()).includes(proxy)) {
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
                `${proxy} can't be asked for its servers, so nobody knows which requests they have: ${failure}. ` +
                    `See docker logs ${proxy}, then run the same update again`,
            );
        }
        return answer;
    }

    private async proxies(): Promise<string[]> {
        const containers = await this.engine.containers(LABELS.frontEnd);
        return containers
            .filter(({ state, networks }) => state === "running" && networks.includes(this.networkName))
            .map(({ name }) => name);
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

const PREFIX = "taken-out-";
const NOTE = /^taken-out-(reads-)?([0-9.]+)$/gm;

/** What the scripts take. */
const SCRIPT_ENVIRONMENT = [
    `MASTER_SOCKET=${MASTER_SOCKET}`,
    `RELOAD_LOCK=${RELOAD_LOCK}`,
    `NOTE_PREFIX=${SOCKET_DIRECTORY}/${PREFIX}`,
];

/** @throws {Error} where the answers aren't those of a running proxy. */
function serversOf(proxy: string, output: string): ProxyServer[] {
    const [processes = "", ...answers] = output.split("\0");
    const workers = [...processes.matchAll(/^(\d+)\s+worker\s+/gm)].map(([, worker = ""]) => worker);
    if (workers.length === 0) {
        throw new Error(`it names no worker, but ${JSON.stringify(processes.slice(0, 200))}`);
    }
    const old = processes.indexOf("# old workers");
    return workers.flatMap((worker, place) => {
        const current = old === -1 || processes.search(new RegExp(`^${worker}\\s`, "m")) < old;
        const [states = "", statistics = ""] = [answers[2 * place], answers[2 * place + 1]];
        if (!/^# be_id /m.test(states) || !/^# pxname,/m.test(statistics)) {
            throw new Error(`worker ${worker} answered ${JSON.stringify((states + statistics).slice(0, 200))}`);
        }
        return serversIn(states, statistics).map((server) => ({ ...server, proxy, worker, current }));
    });
}

/** Joins `show servers state`, which has addresses, with `show stat`, which has the rest. */
function serversIn(states: string, statistics: string): Omit<ProxyServer, "proxy" | "worker" | "current">[] {
    const [header = "", ...rows] = statistics.trim().replace(/^# /, "").split("\n");
    const columns = header.split(",");
    const found = rows.map((row) => {
        const values = row.split(",");
        const value = (column: string) => values[columns.indexOf(column)] ?? "";
        const running = Number(value("scur"));
        return { server: `${value("pxname")}/${value("svname")}`, status: value("status"), running };
    });
    return states.split("\n").flatMap((row) => {
        const [id, backend, , name, address = ""] = row.split(" ");
        const statistic = found.find(({ server }) => server === `${backend}/${name}`);
        return id === undefined || !/^\d+$/.test(id) || statistic === undefined ? [] : [{ ...statistic, address }];
    });
}

/** Whether a server, as in `s3_read/node1`, is one of a backend of reads. */
export function isOfReads(server: string): boolean {
    return /^s3_read[-/]/.test(server);
}
