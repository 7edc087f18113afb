import { Agent } from "node:http";
import Docker from "dockerode";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { runPrefix } from "./testRun";

/** Longest time for a container that runs one command, in milliseconds. */
const ONCE_LIMIT = 100_000;

/** How often runc is asked to freeze a container. */
const FREEZE_ATTEMPTS = 5;

/** One event of a container. */
export interface ContainerEvent {
    container: string;
    id: string;
    /** `start`, `die`, `health_status: healthy` … */
    action: string;
    /** Time of the event, in nanoseconds. */
    time: bigint;
}

/** The engine's event stream. It ends when it is destroyed. */
type EventStream = NodeJS.ReadableStream & { destroy(): void };

/** The engine that the tests deploy to. */
export class DockerHost {
    readonly docker: Docker;

    /** @param socketPath Socket of another engine. Default: the engine that this process deploys to. */
    constructor(socketPath?: string) {
        this.docker = new Docker(...(socketPath === undefined ? [] : [{ socketPath }]));
        // While a test waits for a program, this process doesn't notice connections that the engine closes.
        (this.docker.modem as { agent?: Agent }).agent = new Agent({ keepAlive: false });
    }

    /** Names of containers, volumes and networks that begin with a prefix. */
    async namesOf(prefix: string): Promise<string[]> {
        const [containers, { Volumes: volumes }, networks] = await Promise.all([
            this.docker.listContainers({ all: true }),
            this.docker.listVolumes(),
            this.docker.listNetworks(),
        ]);
        return [
            ...containers.map(({ Names: [name = ""] }) => name.slice(1)),
            ...volumes.map(({ Name: name }) => name),
            ...networks.map(({ Name: name }) => name),
        ].filter((name) => name.startsWith(prefix));
    }

    /** Removes containers, volumes and networks whose names begin with a prefix, and returns their names. */
    async removeEverythingOf(prefix: string): Promise<string[]> {
        // That of a test that hasn't come to choose one: every name begins with it.
        if (prefix === "") {
            return [];
        }
        const names = await this.namesOf(prefix);
        for (const {
            Id: id,
            Names: [name = ""],
        } of await this.docker.listContainers({ all: true })) {
            if (name.slice(1).startsWith(prefix)) {
                await this.docker.getContainer(id).remove({ force: true, v: true }).catch(unlessGone);
            }
        }
        for (const { Name: name } of (await this.docker.listVolumes()).Volumes) {
            if (name.startsWith(prefix)) {
                await this.docker.getVolume(name).remove().catch(unlessGone);
            }
        }
        for (const { Id: id, Name: name } of await this.docker.listNetworks()) {
            if (name.startsWith(prefix)) {
                await this.docker.getNetwork(id).remove().catch(unlessGone);
            }
        }
        return names;
    }

    /** The engine's description of a container. */
    inspect(container: string): Promise<Docker.ContainerInspectInfo> {
        return this.docker.getContainer(container).inspect();
    }

    /**
     * Those of some texts that a container's own files contain, whether it runs or not: the files that `docker export`
     * returns, and that `docker commit` and `docker cp` would. Volumes aren't included.
     */
    async textsInLayers(container: string, texts: string[]): Promise<string[]> {
        const overlap = Math.max(...texts.map((text) => text.length)) - 1;
        const found = new Set<string>();
        let rest = "";
        for await (const part of await this.docker.getContainer(container).export()) {
            const files = rest + (part as Buffer).toString("latin1");
            texts.filter((text) => files.includes(text)).forEach((text) => found.add(text));
            rest = files.slice(-overlap);
        }
        return [...found];
    }

    /** The whole log of a container. */
    async logs(container: string): Promise<string> {
        const frames = await this.docker.getContainer(container).logs({ stdout: true, stderr: true });
        return Buffer.from(frames as unknown as Uint8Array).toString("latin1");
    }

    /**
     * A container's log lines since a time in milliseconds. Each line begins with the time at which the engine read it.
     */
    async timedLines(container: string, since: number): Promise<string[]> {
        const frames = await this.docker
            .getContainer(container)
            .logs({ stdout: true, stderr: true, timestamps: true, since: Math.floor(since / 1000) });
        return textOf(frames)
            .split("\n")
            .filter((line) => line !== "");
    }

    /** Runs a command in a running container as its user, and returns its output. */
    async exec(container: string, command: string[]): Promise<string> {
        const exec = await this.docker
            .getContainer(container)
            .exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
        const stream = await exec.start({});
        const parts: Buffer[] = [];
        const sink = { write: (part: Buffer) => parts.push(part) } as unknown as NodeJS.WritableStream;
        this.docker.modem.demuxStream(stream, sink, sink);
        await new Promise((resolve) => stream.on("end", resolve));
        const output = Buffer.concat(parts).toString("utf8");
        const { ExitCode: code } = await exec.inspect();
        if (code !== 0) {
            throw new Error(`${command.join(" ")} in ${container} ended with ${code}: ${output}`);
        }
        return output;
    }

    /**
     * The environment of a node's store, one variable a line. The store is the process that the start script of a
     * cluster's node has recorded; otherwise it is the child of the container's init process.
     */
    environmentOf(container: string): Promise<string> {
        const script = [
            "if [ -e /tmp/store.pid ]; then exec tr '\\0' '\\n' < /proc/$(cat /tmp/store.pid)/environ; fi",
            "for status in /proc/[0-9]*/status; do",
            "while read -r key value; do",
            `if [ "$key$value" = PPid:1 ]; then tr '\\0' '\\n' < "\${status%status}environ"; fi`,
            'done < "$status"',
            "done",
        ];
        return this.exec(container, ["/bin/sh", "-c", script.join("\n")]);
    }

    /** Runs a shell script as root in a new container that mounts volumes. Returns its output. */
    runOnVolumes(image: string, volumes: { [path: string]: string }, script: string): Promise<string> {
        const binds = Object.entries(volumes).map(([path, volume]) => `${volume}:${path}`);
        return this.runOnce(image, ["/bin/sh", "-c", script], { NetworkMode: "none", Binds: binds });
    }

    /** Runs a command as root in a new container on a network. Returns its output. */
    runOnNetwork(image: string, network: string, command: string[], more: Docker.HostConfig = {}): Promise<string> {
        return this.runOnce(image, command, { NetworkMode: network, ...more });
    }

    private async runOnce(image: string, command: string[], hostConfig: Docker.HostConfig): Promise<string> {
        const container = await this.docker.createContainer({
            name: `${runPrefix()}-once-${randomBytes(4).toString("hex")}`,
            Image: image,
            Entrypoint: command.slice(0, 1),
            Cmd: command.slice(1),
            User: "0:0",
            HostConfig: hostConfig,
        });
        try {
            await container.start();
            const code = await this.exitCode(container);
            const output = await this.logs(container.id);
            if (code !== 0) {
                throw new Error(`${command.join(" ")} ended with ${code}: ${output}`);
            }
            return output;
        } finally {
            await container.remove({ force: true, v: true });
        }
    }

    /**
     * Waits until a container has ended, by polling with a time limit: the engine may never answer a request that waits
     * for it.
     */
    async exitCode(container: Docker.Container): Promise<number> {
        const limit = Date.now() + ONCE_LIMIT;
        for (;;) {
            const { State: state } = await container.inspect();
            if (state.Status === "exited") {
                return state.ExitCode;
            }
            if (Date.now() > limit) {
                const output = await this.logs(container.id);
                throw new Error(`${state.Status} after ${ONCE_LIMIT / 1000} s, ${state.Error}: ${output}`);
            }
            await sleep(100);
        }
    }

    /**
     * Pauses a container during some work. On a busy machine with version 1 of cgroups, runc may give up before all processes of the
     * container are frozen, and lets them go on; then it is asked again.
     */
    async whilePaused<T>(container: string, work: () => Promise<T>): Promise<T> {
        const paused = this.docker.getContainer(container);
        for (let attempt = 1; ; attempt++) {
            try {
                await paused.pause();
                break;
            } catch (error) {
                if (attempt === FREEZE_ATTEMPTS || !(error as Error).message.includes("unable to freeze")) {
                    throw error;
                }
            }
        }
        try {
            return await work();
        } finally {
            await paused.unpause();
        }
    }

    /** Records the events of containers whose names begin with a prefix, until it is stopped. */
    async recordEvents(prefix: string): Promise<{ stop: () => ContainerEvent[] }> {
        const events: ContainerEvent[] = [];
        const stream = (await this.docker.getEvents({ filters: { type: ["container"] } })) as EventStream;
        let rest = "";
        stream.on("data", (part: Buffer) => {
            const lines = (rest + part.toString("utf8")).split("\n");
            rest = lines.pop() ?? "";
            for (const line of lines.filter((text) => text !== "")) {
                const event = JSON.parse(line.replace(/"timeNano":(\d+)/, '"timeNano":"$1"')) as {
                    Action: string;
                    timeNano: string;
                    Actor: { ID: string; Attributes: { name: string } };
                };
                const container = event.Actor.Attributes.name;
                if (container.startsWith(prefix)) {
                    events.push({ container, id: event.Actor.ID, action: event.Action, time: BigInt(event.timeNano) });
                }
            }
        });
        return {
            stop: () => {
                stream.destroy();
                return events;
            },
        };
    }
}

/** The text in the engine's frames. A frame begins with eight bytes; the last four are the length of its content. */
function textOf(frames: Buffer): string {
    const parts: string[] = [];
    for (let index = 0; index + 8 <= frames.length;) {
        const end = index + 8 + frames.readUInt32BE(index + 4);
        parts.push(frames.toString("utf8", index + 8, end));
        index = end;
    }
    return parts.join("");
}

/** Ignores that something has been removed by something else, such as an update that was interrupted too. */
function unlessGone(error: unknown): void {
    if ((error as { statusCode?: number }).statusCode !== 404) {
        throw error;
    }
}
