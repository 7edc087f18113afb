import type { DockerEngine } from "./dockerEngine";
import { MASTER_SOCKET, SOCKET_DIRECTORY } from "./haproxyConfig";
import { LABELS } from "./labels";

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

/** What the proxies may do with a server (HAProxy management guide, `set server`). */
export type ServerState = "ready" | "drain" | "maint";

/**
 * The nodes of a cluster as the proxies on its network see them, asked and told through the master socket of each, in
 * its own container. A node that was taken out leaves a note beside the socket, so that a later update takes it in
 * again where this one didn't come to it; what an operator has drained carries no such note, and stays drained.
 */
export class ProxyServers {
    constructor(
        private readonly engine: DockerEngine,
        /** Name of the node network. */
        private readonly networkName: string,
    ) {}

    /** Every node in every backend, as every process of every proxy has it. */
    async list(): Promise<ProxyServer[]> {
        const proxies = await this.proxies();
        return (await Promise.all(proxies.map((proxy) => this.listOf(proxy)))).flat();
    }

    /** Puts a node into a state in every backend, and notes whether it is this program that keeps it out. */
    async set(address: string, state: ServerState): Promise<void> {
        const servers = (await this.list()).filter((server) => server.address === address);
        for (const proxy of new Set(servers.map((server) => server.proxy))) {
            const commands = servers
                .filter((server) => server.proxy === proxy)
                .map(({ worker, server }) => `@!${worker} set server ${server} state ${state}`);
            if (state !== "ready") {
                await this.inContainer(proxy, ["touch", noteOf(address)]);
            }
            await this.ask(proxy, commands);
            if (state === "ready") {
                await this.inContainer(proxy, ["rm", "-f", noteOf(address)]);
            }
        }
    }

    /** Addresses of the nodes that this program took out, now or in an update before. */
    async takenOut(): Promise<string[]> {
        const notes = await Promise.all(
            (await this.proxies()).map((proxy) => this.inContainer(proxy, ["ls", SOCKET_DIRECTORY])),
        );
        return [...new Set(notes.flatMap((files) => files.match(NOTE) ?? []))].map((file) => file.slice(PREFIX.length));
    }

    private async proxies(): Promise<string[]> {
        const containers = await this.engine.containers(LABELS.frontEnd);
        return containers
            .filter(({ state, networks }) => state === "running" && networks.includes(this.networkName))
            .map(({ name }) => name);
    }

    private async listOf(proxy: string): Promise<ProxyServer[]> {
        const [processes = ""] = await this.ask(proxy, ["show proc"]);
        const workers = [...processes.matchAll(/^(\d+)\s+worker\s+/gm)].map(([, worker = ""]) => worker);
        const old = processes.indexOf("# old workers");
        const answers = await this.ask(
            proxy,
            workers.flatMap((worker) => [`@!${worker} show servers state`, `@!${worker} show stat`]),
        );
        return workers.flatMap((worker, place) => {
            const current = old === -1 || processes.search(new RegExp(`^${worker}\\s`, "m")) < old;
            return serversIn(answers[2 * place] ?? "", answers[2 * place + 1] ?? "").map((server) => ({
                ...server,
                proxy,
                worker,
                current,
            }));
        });
    }

    private async ask(proxy: string, commands: string[]): Promise<string[]> {
        const output = await this.inContainer(proxy, ["perl", "-MIO::Socket::UNIX", "-e", ASK, ...commands]);
        return output.split("\0");
    }

    private async inContainer(proxy: string, command: string[]): Promise<string> {
        const { code, output } = await this.engine.run(proxy, command);
        if (code !== 0) {
            throw new Error(`${proxy} can't be asked for its servers: ${output}`);
        }
        return output;
    }
}

/** Sends each argument to the master, which answers once there is no more to come, and prints the answers, parted by zero bytes. */
const ASK =
    "print join(qq{\\0}, map { " +
    `my $s = IO::Socket::UNIX->new(Peer => "${MASTER_SOCKET}") or die qq{no answer: $!}; ` +
    "print $s qq{$_\\n}; shutdown($s, 1); join('', <$s>) } @ARGV)";

const PREFIX = "taken-out-";
const NOTE = /^taken-out-[0-9.]+$/gm;

function noteOf(address: string): string {
    return `${SOCKET_DIRECTORY}/${PREFIX}${address}`;
}

/** Joins `show servers state`, which has addresses, with `show stat`, which has the rest. */
function serversIn(states: string, statistics: string): Omit<ProxyServer, "proxy" | "worker" | "current">[] {
    const [header = "", ...rows] = statistics.replace(/^# /, "").split("\n");
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
