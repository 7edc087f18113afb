import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DockerHost } from "./dockerHost";
import { finishedCommand } from "./finishedCommand";
import { runPrefix, testImages } from "./testRun";

/** Seconds until sshd must answer. */
const START_SECONDS = 20;

/** sshd's count of connections since its start. */
export interface SshConnections {
    accepted: number;
    /** Sessions on all of them. */
    sessions: number;
    /** Connections that it has closed because too many were waiting for their authentication. */
    dropped: number;
}

/** A real sshd with the defaults of OpenSSH, at a port of loopback, with Docker's client for engines of this machine. */
export class SshServer {
    private readonly host = new DockerHost();

    private constructor(
        private readonly name: string,
        private readonly port: number,
        private readonly folder: string,
    ) {}

    /** @param sockets Sockets of engines, or folders with them. */
    static async start(sockets: string[]): Promise<SshServer> {
        const { docker } = new DockerHost();
        const folder = mkdtempSync(join(tmpdir(), "sshd-"));
        mkdirSync(join(folder, "keys"));
        for (const key of ["host", "client"]) {
            finishedCommand(folder, "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join("keys", key)]);
        }
        const container = await docker.createContainer({
            name: `${runPrefix()}-sshd-${randomBytes(3).toString("hex")}`,
            Image: testImages().sshHost,
            ExposedPorts: { "22/tcp": {} },
            HostConfig: {
                Binds: [`${join(folder, "keys")}:/keys:ro`, ...sockets.map((socket) => `${socket}:${socket}`)],
                PortBindings: { "22/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }] },
            },
        });
        await container.start();
        const { Name: name, NetworkSettings: settings } = await container.inspect();
        const server = new SshServer(name.slice(1), Number(settings.Ports["22/tcp"]?.[0]?.HostPort), folder);
        const hostKey = readFileSync(join(folder, "keys", "host.pub"), "utf8");
        writeFileSync(join(folder, "known_hosts"), `[127.0.0.1]:${server.port} ${hostKey}`);
        writeFileSync(
            server.configuration,
            ["Host 127.0.0.1", `IdentityFile ${join(folder, "keys", "client")}`, "IdentitiesOnly yes"].join("\n    ") +
                `\n    UserKnownHostsFile ${join(folder, "known_hosts")}\n`,
        );
        await server.untilAnswering();
        return server;
    }

    /** The user's configuration of ssh, for `ssh -F`: with it, the client reaches the server without a prompt. */
    get configuration(): string {
        return join(this.folder, "config");
    }

    /** The Docker host of an engine's socket. */
    urlOf(socket: string): string {
        return `ssh://root@127.0.0.1:${this.port}${socket === "/var/run/docker.sock" ? "" : socket}`;
    }

    /** The connections that it has had. */
    async connections(): Promise<SshConnections> {
        const log = (await this.host.docker.getContainer(this.name).logs({ stdout: true, stderr: true })).toString();
        const count = (pattern: RegExp) => log.match(pattern)?.length ?? 0;
        return {
            accepted: count(/Accepted publickey for /g),
            sessions: count(/Starting session: /g),
            dropped: count(/drop connection .* MaxStartups/g),
        };
    }

    /** Number of its clients at this moment. */
    async clients(): Promise<number> {
        const { Processes: processes } = (await this.host.docker.getContainer(this.name).top()) as {
            Processes: string[][];
        };
        return processes.filter((columns) => columns.some((column) => /^sshd(-session)?: .*@/.test(column))).length;
    }

    /** Its limits, as sshd itself reports them. */
    async limits(): Promise<string[]> {
        const report = await this.host.exec(this.name, ["/usr/sbin/sshd", "-T"]);
        return report
            .split("\n")
            .filter((line) => /^(maxstartups|maxsessions) /i.test(line))
            .map((line) => line.toLowerCase())
            .sort();
    }

    async remove(): Promise<void> {
        await this.host.docker.getContainer(this.name).remove({ force: true, v: true });
        rmSync(this.folder, { recursive: true });
    }

    private async untilAnswering(): Promise<void> {
        for (let waited = 0; waited < START_SECONDS * 10; waited++) {
            if (await this.answers()) {
                return;
            }
            await sleep(100);
        }
        throw new Error(`sshd doesn't answer after ${START_SECONDS} s`);
    }

    /** Docker's proxy of the port accepts connections before sshd does. */
    private answers(): Promise<boolean> {
        return new Promise((resolve) => {
            const socket = connect(this.port, "127.0.0.1");
            const end = (answered: boolean) => {
                socket.destroy();
                resolve(answered);
            };
            socket
                .once("data", () => end(true))
                .once("error", () => end(false))
                .once("close", () => end(false));
        });
    }
}
