import Docker from "dockerode";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../../../tools/machine/run";
import { startRelay } from "../harness/relay";
import { runPrefix } from "../harness/testRun";

/** Forwards connections from a Unix socket to a port in its network namespace. */
const RELAY = `
const [path, port] = process.argv.slice(1);
const { connect, createServer } = require("node:net");
createServer((socket) => {
    const target = connect(Number(port), "127.0.0.1");
    socket.pipe(target).pipe(socket);
    socket.on("error", () => target.destroy());
    target.on("error", () => socket.destroy());
}).listen(path);
`;

/**
 * A separate Docker engine with its own data and network, which tests may restart. While it runs, this process's
 * `DOCKER_HOST` points to it. Needs root on Linux, `dockerd`, `ip` and `nsenter`.
 */
export class OwnEngine {
    private daemon: ChildProcess | undefined;
    private inside: ChildProcess | undefined;
    private outside: Server | undefined;

    private constructor(
        private readonly folder: string,
        readonly network: string,
        private readonly formerHost: string | undefined,
        private readonly options: string[],
    ) {}

    /**
     * Starts an engine that has these images of the host's engine.
     *
     * @param options More options of `dockerd`.
     */
    static async start(images: string[], options: string[] = []): Promise<OwnEngine> {
        if (process.getuid?.() !== 0) {
            throw new Error("a Docker daemon for this suite alone needs root on Linux");
        }
        const network = `${runPrefix()}-engine`;
        await run("ip", ["netns", "add", network]);
        const folder = mkdtempSync(join(tmpdir(), "engine-"));
        const engine = new OwnEngine(folder, network, process.env["DOCKER_HOST"], options);
        try {
            await engine.inNetwork("ip", ["link", "set", "lo", "up"]);
            const former = new Docker();
            await engine.launch();
            process.env["DOCKER_HOST"] = `unix://${engine.socket}`;
            for (const image of images) {
                const loading = await new Docker().loadImage(await former.getImage(image).get());
                await once(loading.resume(), "end");
            }
            return engine;
        } catch (error) {
            await engine.remove();
            throw error;
        }
    }

    /** Makes a port that the engine publishes on its loopback address reachable on this host's. */
    async open(port: number): Promise<void> {
        const path = join(this.folder, "port.sock");
        this.inside = spawn("nsenter", [...this.enter(), "node", "-e", RELAY, path, String(port)], {
            stdio: "inherit",
        });
        while (!existsSync(path)) {
            await sleep(100);
        }
        this.outside = await startRelay({ host: "127.0.0.1", port }, { path });
    }

    /** Removes what {@link open} created. */
    close(): Promise<void> {
        this.outside?.close();
        this.inside?.kill();
        return Promise.resolve();
    }

    /** Stops the daemon, as an upgrade of Docker does, and starts it again. */
    async restart(): Promise<void> {
        await this.end();
        await this.launch();
    }

    async remove(): Promise<void> {
        await this.close();
        await this.end();
        if (this.formerHost === undefined) {
            delete process.env["DOCKER_HOST"];
        } else {
            process.env["DOCKER_HOST"] = this.formerHost;
        }
        await run("ip", ["netns", "delete", this.network]);
        rmSync(this.folder, { recursive: true, force: true });
    }

    private get socket(): string {
        return join(this.folder, "docker.sock");
    }

    private async launch(): Promise<void> {
        const log = openSync(join(this.folder, "dockerd.log"), "a");
        const options = [
            ["--data-root", join(this.folder, "data")],
            ["--exec-root", join(this.folder, "run")],
            ["--pidfile", join(this.folder, "docker.pid")],
            ["--host", `unix://${this.socket}`],
            this.options,
        ].flat();
        const daemon = spawn("nsenter", [...this.enter(), "dockerd", ...options], { stdio: ["ignore", log, log] });
        this.daemon = daemon;
        const docker = new Docker({ socketPath: this.socket });
        while (!(await docker.ping().then(Boolean, () => false))) {
            if (daemon.exitCode !== null) {
                const lines = readFileSync(join(this.folder, "dockerd.log"), "utf8").split("\n").slice(-15);
                throw new Error(`dockerd ended with ${daemon.exitCode}: ${lines.join("\n")}`);
            }
            await sleep(200);
        }
    }

    private async end(): Promise<void> {
        const { daemon } = this;
        this.daemon = undefined;
        if (daemon !== undefined && daemon.exitCode === null) {
            const ended = once(daemon, "exit");
            daemon.kill("SIGTERM");
            await ended;
        }
    }

    private inNetwork(program: string, args: string[]): Promise<string> {
        return run("nsenter", [...this.enter(), program, ...args]);
    }

    private enter(): string[] {
        return [`--net=/run/netns/${this.network}`, "--"];
    }
}
