import type Docker from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";

/** What the engine says of a container's health. */
export interface ContainerHealth {
    /** `healthy`, `unhealthy` or `starting`; `none` without a health check. */
    health: string;
    /** `running`, `restarting`, `exited` …; `gone` where there is no such container. */
    state: string;
    /** What the last health check printed. */
    lastCheck: string;
}

/** How a container that does one thing and ends has ended. */
export interface ContainerExit {
    /** Its exit code. */
    code: number;
    /** Its last lines. */
    log: string;
}

/** A TCP port of the host that a container publishes. */
export interface PublishedPort {
    container: string;
    address: string;
    port: number;
}

/**
 * The Docker engine, asked by the program itself: what the Docker provider can't say (health, logs, what else is
 * there). It reads, and starts a helper container again; it never creates, changes or removes anything.
 */
export class DockerEngine {
    private constructor(
        private readonly docker: Docker,
        /** Whether its containers run on this very host, so that paths and ports here are its own. */
        readonly local: boolean,
    ) {}

    /**
     * Connects to an engine.
     *
     * @param host `unix://`, `tcp://` or `ssh://`; by default DOCKER_HOST, else the default socket.
     * @throws {Error} where no engine answers there.
     */
    static async connect(host?: string): Promise<DockerEngine> {
        const url = host ?? process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock";
        // Loaded here, since it takes longer than everything else in the package together.
        const { default: Dockerode } = await import("dockerode");
        const docker = new Dockerode(connectionOptions(url));
        try {
            await docker.ping();
        } catch (error) {
            throw new Error(`Docker doesn't answer at ${url} (${String(error)})`, { cause: error });
        }
        return new DockerEngine(docker, url.startsWith("unix://"));
    }

    /** Health of a container, by id or name. */
    async health(container: string): Promise<ContainerHealth> {
        const state = await this.stateOf(container);
        if (state === undefined) {
            return { health: "none", state: "gone", lastCheck: "" };
        }
        return {
            health: state.Health?.Status ?? "none",
            state: state.Status,
            lastCheck: (state.Health?.Log.at(-1)?.Output ?? "").trim(),
        };
    }

    /** The last lines of a container's log, standard output and error. */
    async logTail(container: string, lines: number): Promise<string> {
        const frames = await this.docker.getContainer(container).logs({ stdout: true, stderr: true, tail: lines });
        return textOfFrames(Buffer.from(frames as unknown as Uint8Array)).trimEnd();
    }

    /**
     * Waits until a container that does one thing has ended. One that failed before is started once more; one that is
     * gone has ended: `docker container prune` takes those away.
     */
    async completion(container: string, deadline: number): Promise<ContainerExit> {
        const before = await this.stateOf(container);
        if (before?.Status === "exited" && before.ExitCode !== 0) {
            await this.docker.getContainer(container).start();
        }
        for (;;) {
            const state = await this.stateOf(container);
            if (state === undefined) {
                return { code: 0, log: "" };
            }
            if (state.Status === "exited") {
                return { code: state.ExitCode, log: await this.logTail(container, 20) };
            }
            if (Date.now() >= deadline) {
                return { code: -1, log: `still ${state.Status}\n${await this.logTail(container, 20)}` };
            }
            await sleep(100);
        }
    }

    private async stateOf(container: string): Promise<Docker.ContainerInspectInfo["State"] | undefined> {
        try {
            return (await this.docker.getContainer(container).inspect()).State;
        } catch (error) {
            if ((error as { statusCode?: number }).statusCode === 404) {
                return undefined;
            }
            throw error;
        }
    }

    /** IPv4 networks of the engine, by name. */
    async subnets(): Promise<{ network: string; subnet: string }[]> {
        const networks = await this.docker.listNetworks();
        return networks.flatMap(({ Name: network, IPAM: ipam }) =>
            (ipam?.Config ?? []).flatMap(({ Subnet: subnet }) =>
                subnet !== undefined && !subnet.includes(":") ? [{ network, subnet }] : [],
            ),
        );
    }

    /** Whether an internal network can do without an address of the host's: Docker 28, API 1.48, and newer. */
    async isolatesGateways(): Promise<boolean> {
        const { ApiVersion: version } = await this.docker.version();
        const [major = 0, minor = 0] = version.split(".").map(Number);
        return major > 1 || (major === 1 && minor >= 48);
    }

    /** Labels of the volumes that have a label of that value, by volume name. */
    async volumeLabels(label: string, value: string): Promise<{ [volume: string]: { [label: string]: string } }> {
        const { Volumes: volumes } = await this.docker.listVolumes({ filters: { label: [`${label}=${value}`] } });
        return Object.fromEntries(volumes.map(({ Name: name, Labels: labels }) => [name, labels]));
    }

    /** TCP ports that running containers publish on the host. */
    async publishedPorts(): Promise<PublishedPort[]> {
        const containers = await this.docker.listContainers();
        return containers.flatMap(({ Names: names, Ports: ports }) =>
            ports
                .filter(({ Type: type, PublicPort: port }) => type === "tcp" && port > 0)
                .map(({ IP: address, PublicPort: port }) => ({
                    container: (names[0] ?? "").replace(/^\//, ""),
                    address,
                    port,
                })),
        );
    }
}

function connectionOptions(url: string): Docker.DockerOptions {
    if (url.startsWith("unix://")) {
        return { socketPath: url.slice("unix://".length) };
    }
    const { protocol, hostname, port, username } = new URL(url);
    if (protocol === "ssh:") {
        return {
            protocol: "ssh",
            host: hostname,
            port: port === "" ? 22 : Number(port),
            username: decodeURIComponent(username),
            sshOptions: { agent: process.env["SSH_AUTH_SOCK"] },
        };
    }
    // DOCKER_TLS_VERIFY and DOCKER_CERT_PATH are read by the client library itself.
    return { host: hostname, port: port === "" ? 2375 : Number(port) };
}

/** The text of a log stream without a terminal: each frame has 8 bytes of header, the last four its length. */
function textOfFrames(stream: Buffer): string {
    const parts: string[] = [];
    for (let at = 0; at + 8 <= stream.length;) {
        const length = stream.readUInt32BE(at + 4);
        parts.push(stream.toString("utf8", at + 8, at + 8 + length));
        at += 8 + length;
    }
    return parts.join("");
}
