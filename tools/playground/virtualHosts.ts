import Docker from "dockerode";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoreHost } from "../../components";
import { copyImages } from "../images/engineImages";
import { namedEngine } from "../stack/namedEngine";
import { HOST_NAMES } from "./playground";

const SCRIPT = join(__dirname, "virtualHosts.sh");

/** The program that forwards connections. */
export const RELAY = join(__dirname, "relay.js");

/** Longest time for an engine to answer after its start, in seconds. */
const START_SECONDS = 60;

/** Direction of a host's packets: those that arrive, or those that leave. */
export type Way = "in" | "out";

/** Options of virtual hosts. */
export interface VirtualHostsOptions {
    count: number;
    /** Begins the names of their network namespaces. */
    prefix: string;
    /** Folder for their data, sockets and logs. It is removed with them. */
    folder: string;
    /** First three numbers of their addresses. Default: 10.99.0. No other network of this machine sees them. */
    network?: string;
}

/**
 * Hosts on this machine, each with a Docker engine of its own: network namespaces on one Ethernet, with a client beside them.
 * Only root can make them.
 */
export class VirtualHosts {
    private readonly relays: ChildProcess[] = [];

    private constructor(
        private readonly options: Required<VirtualHostsOptions>,
        /** The hosts, as stack config names them. */
        readonly hosts: StoreHost[],
    ) {}

    /** Hosts with these options, whether they were made or not. */
    static describe(options: VirtualHostsOptions): VirtualHosts {
        const { count, folder, network = "10.99.0" } = options;
        const hosts = HOST_NAMES.slice(0, count).map((name, index) => ({
            name,
            dockerHost: `unix://${join(folder, String(index + 1), "docker.sock")}`,
            address: `${network}.${index + 1}`,
        }));
        return new VirtualHosts({ ...options, network }, hosts);
    }

    /** Makes the hosts, or what is missing of them, and waits until their engines answer. */
    static async create(options: VirtualHostsOptions): Promise<VirtualHosts> {
        const made = VirtualHosts.describe(options);
        mkdirSync(options.folder, { recursive: true });
        await made.script("up", String(options.count));
        await Promise.all(made.hosts.map(({ name }) => made.untilAnswering(name)));
        return made;
    }

    /**
     * Copies images from the engine that this process deploys to, where a host doesn't have them.
     *
     * @param names Names of the hosts. Default: all.
     */
    async load(images: readonly string[], names = this.hosts.map(({ name }) => name)): Promise<void> {
        const from = await namedEngine();
        for (const name of names) {
            await copyImages(from, this.engine(name), images);
        }
    }

    /** A client of a host's engine. */
    engine(host: string): Docker {
        return new Docker({ socketPath: this.find(host).host.dockerHost.replace("unix://", "") });
    }

    /** Whether a host's engine answers. */
    answers(host: string): Promise<boolean> {
        return this.engine(host)
            .ping()
            .then(
                () => true,
                () => false,
            );
    }

    /** Starts the engine of a host again. */
    async start(host: string): Promise<void> {
        await this.script("start", this.numberOf(host));
        await this.untilAnswering(host);
    }

    /** Ends the engine of a host, and with it its containers. */
    stop(host: string): Promise<void> {
        return this.script("stop", this.numberOf(host));
    }

    /** Kills the engine of a host, whose containers go on, and starts it again. It ends them then, before it answers. */
    async crash(host: string): Promise<void> {
        await this.script("crash", this.numberOf(host));
        await this.untilAnswering(host);
    }

    /** Kills every process of a host at once, as a loss of power does. */
    kill(host: string): Promise<void> {
        return this.script("kill", this.numberOf(host));
    }

    /** Takes a host off the Ethernet. */
    cut(host: string): Promise<void> {
        return this.script("cut", this.numberOf(host));
    }

    /** Puts a host back on the Ethernet. */
    plug(host: string): Promise<void> {
        return this.script("plug", this.numberOf(host));
    }

    /** Loses every packet that arrives at a host, or that leaves it. */
    lose(host: string, way: Way): Promise<void> {
        return this.script("lose", this.numberOf(host), way);
    }

    /** Ends the loss of packets. */
    pass(host: string, way: Way): Promise<void> {
        return this.script("pass", this.numberOf(host), way);
    }

    /**
     * Gives a host a disk of its own, in memory, and mounts it where the volumes have their files. It lasts as long as the
     * host.
     *
     * @param size Such as `2g`.
     * @param volumes Names of empty volumes of the host's engine.
     */
    addDisk(host: string, size: string, volumes: string[]): Promise<void> {
        return this.script("disk", this.numberOf(host), size, ...volumes);
    }

    /** Fills a host's own disk to the last byte. */
    fillDisk(host: string): Promise<void> {
        return this.script("fill", this.numberOf(host));
    }

    /** Removes what has filled a host's disk. */
    emptyDisk(host: string): Promise<void> {
        return this.script("empty", this.numberOf(host));
    }

    /** Lets nothing arrive at a port of a host, as a firewall does. */
    block(host: string, protocol: "tcp" | "udp", port: number): Promise<void> {
        return this.script("block", this.numberOf(host), protocol, String(port));
    }

    /** Opens a blocked port of a host. */
    unblock(host: string, protocol: "tcp" | "udp", port: number): Promise<void> {
        return this.script("unblock", this.numberOf(host), protocol, String(port));
    }

    /**
     * Accepts connections at a Unix socket, and forwards each from the client's namespace to the first of the hosts that
     * accepts it: a client whose DNS name has all their addresses.
     *
     * @param addresses Default: those of the hosts, in their order.
     */
    async relay(socket: string, port: number, addresses?: readonly string[]): Promise<void> {
        const [program = "", ...args] = this.relayCommand({ [socket]: port }, addresses);
        const relay = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
        this.relays.push(relay);
        await new Promise((resolve, reject) => {
            relay.stdout.once("data", resolve);
            relay.once("error", reject).once("exit", (code) => reject(new Error(`the relay ended with ${code}`)));
        });
    }

    /**
     * The command that forwards connections from the client's namespace to the first of the hosts that accepts them.
     *
     * @param ports Port of the hosts, by the Unix socket at which connections to it are accepted.
     * @param addresses Default: those of the hosts, in their order.
     */
    relayCommand(
        ports: { [socket: string]: number },
        addresses: readonly string[] = this.hosts.map(({ address }) => address),
    ): string[] {
        const targets = Object.entries(ports).map(
            ([socket, port]) => `${socket}=${addresses.map((address) => `${address}:${port}`).join(",")}`,
        );
        return ["nsenter", `--net=/run/netns/${this.options.prefix}-client`, process.execPath, RELAY, ...targets];
    }

    /** Removes the hosts, with everything on them. */
    async remove(): Promise<void> {
        this.relays.forEach((relay) => relay.kill());
        await this.script("down");
    }

    private async untilAnswering(host: string): Promise<void> {
        for (let second = 0; second < START_SECONDS; second++) {
            if (await this.answers(host)) {
                return;
            }
            await sleep(1000);
        }
        throw new Error(
            `the Docker daemon of host ${host} doesn't answer: see ${join(this.options.folder, this.numberOf(host))}`,
        );
    }

    private async script(...args: string[]): Promise<void> {
        const { prefix, folder, network } = this.options;
        const env = { ...process.env, PREFIX: prefix, FOLDER: folder, NETWORK: network };
        // Its engines keep running, so its output isn't read.
        await ended(spawn(SCRIPT, args, { env, stdio: ["ignore", "ignore", "inherit"] }));
    }

    private numberOf(host: string): string {
        return String(this.find(host).place + 1);
    }

    private find(name: string): { host: StoreHost; place: number } {
        const index = this.hosts.findIndex((host) => host.name === name);
        const host = this.hosts[index];
        if (host === undefined) {
            throw new Error(`there is no host ${name}`);
        }
        return { host, place: index };
    }
}

/** Resolves once a process has ended with exit code 0. */
function ended(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", (code) =>
            code === 0 ? resolve() : reject(new Error(`${child.spawnargs.join(" ")} ended with ${code}`)),
        );
    });
}
