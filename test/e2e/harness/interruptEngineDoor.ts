import Docker from "dockerode";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { testedSocket } from "./testRun";

/**
 * Decides whether a request stops at the door. It is called with a description, before the engine executes the request
 * and afterwards.
 */
export type Gate = (moment: string) => boolean | Promise<boolean>;

/**
 * A proxy of the engine for an update: it sees each request that changes something, and can stop the update there
 * forever, either before the engine gets the request or after the engine has executed it.
 */
export class InterruptEngineDoor {
    /** Decides at each moment, such as `before create container NAME`. */
    gate: Gate = () => false;
    /** Volumes of each container that was created through the door, by the container's name. */
    readonly volumes = new Map<string, string[]>();
    private readonly docker = new Docker();
    private readonly names = new Map<string, string>();

    private constructor(
        private readonly server: Server,
        /** Its address for clients, for DOCKER_HOST. */
        readonly host: string,
    ) {}

    /** Opens a door: a socket in a folder. */
    static async open(folder: string): Promise<InterruptEngineDoor> {
        const socket = join(folder, "engine.sock");
        const server = createServer();
        // Like an engine, it doesn't close idle connections: the provider would use them for its next request.
        server.keepAliveTimeout = 0;
        const door = new InterruptEngineDoor(server, `unix://${socket}`);
        server.on("request", (message, answer) => {
            door.pass(message, answer).catch(() => answer.destroy());
        });
        await new Promise<void>((resolve) => server.listen(socket, resolve));
        return door;
    }

    close(): void {
        this.server.close();
        this.server.closeAllConnections();
    }

    private async pass(message: IncomingMessage, answer: ServerResponse): Promise<void> {
        const body = await bytesOf(message);
        const change = await this.changeOf(message, body);
        if (change !== undefined && (await this.gate(`before ${change}`))) {
            return;
        }
        const { method, url: path, headers } = message;
        delete headers["transfer-encoding"];
        headers["content-length"] = String(body.length);
        const forwarded = request({ socketPath: testedSocket(), method, path, headers }, (engineAnswer) => {
            this.answer(change, engineAnswer, answer).catch(() => answer.destroy());
        });
        forwarded.on("error", () => answer.destroy());
        forwarded.end(body);
    }

    private async answer(change: string | undefined, from: IncomingMessage, to: ServerResponse): Promise<void> {
        if (change === undefined) {
            to.writeHead(from.statusCode ?? 0, from.headers).flushHeaders();
            from.pipe(to);
            return;
        }
        const body = await bytesOf(from);
        const name = /^create container (.*)$/.exec(change)?.[1];
        if (name !== undefined && from.statusCode === 201) {
            this.names.set((JSON.parse(body.toString("utf8")) as { Id: string }).Id, name);
        }
        if (!(await this.gate(`after ${change}`))) {
            to.writeHead(from.statusCode ?? 0, from.headers).end(body);
        }
    }

    /** The change that a request makes on the engine: verb, kind and name; undefined if it only reads. */
    private async changeOf({ method = "", url = "" }: IncomingMessage, body: Buffer): Promise<string | undefined> {
        const { pathname, searchParams } = new URL(url.replace(/^\/v[0-9.]+/, ""), "http://engine");
        const [, kinds = "", subject = "", verb = ""] = pathname.split("/");
        const kind = kinds.replace(/s$/, "");
        if (method === "GET" || method === "HEAD" || !["container", "network", "volume"].includes(kind)) {
            return undefined;
        }
        if (subject === "create") {
            const desired = JSON.parse(body.toString("utf8")) as ContainerConfig;
            const name = searchParams.get("name") ?? desired.Name ?? "";
            if (kind === "container") {
                this.volumes.set(name, volumesOf(desired));
            }
            return `create ${kind} ${name}`;
        }
        if (method !== "DELETE" && !["start", "stop", "rename", "archive", "connect", "disconnect"].includes(verb)) {
            return undefined;
        }
        return `${method === "DELETE" ? "remove" : verb} ${kind} ${await this.nameOf(kind, subject)}`;
    }

    private async nameOf(kind: string, id: string): Promise<string> {
        if (kind === "volume") {
            return id;
        }
        const known = this.names.get(id);
        if (known !== undefined) {
            return known;
        }
        const found: { Name?: string } | undefined = await (
            kind === "container" ? this.docker.getContainer(id).inspect() : this.docker.getNetwork(id).inspect()
        ).catch(() => undefined);
        const name = (found?.Name ?? id).replace(/^\//, "");
        this.names.set(id, name);
        return name;
    }
}

/** The body of a create request. */
interface ContainerConfig {
    Name?: string;
    HostConfig?: { Binds?: string[] | null; Mounts?: { Source?: string }[] | null };
}

function volumesOf({ HostConfig: config }: ContainerConfig): string[] {
    const binds = (config?.Binds ?? []).map((bind) => bind.split(":")[0] ?? "");
    return [...binds, ...(config?.Mounts ?? []).map(({ Source: source = "" }) => source)];
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of message) {
        parts.push(part as Buffer);
    }
    return Buffer.concat(parts);
}
