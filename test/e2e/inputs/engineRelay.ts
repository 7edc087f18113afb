import {
    createServer,
    request,
    type IncomingMessage,
    type RequestOptions,
    type Server,
    type ServerResponse,
} from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Daemon settings (daemon.json) that the relay adds to containers that don't have them. */
export interface DaemonDefaults {
    /** `log-opts` */
    logOptions?: { [name: string]: string };
    /** `default-ulimits` */
    limits?: { Name: string; Soft: number; Hard: number }[];
    /** `default-shm-size`, in bytes. */
    sharedMemory?: number;
}

/** A container as the engine shows it, with the fields that such settings affect. */
interface InspectedContainer {
    HostConfig: {
        LogConfig: { Config: { [name: string]: string } };
        Ulimits: { Name: string; Soft: number; Hard: number }[] | null;
        ShmSize: number;
    };
}

const INSPECTION = /\/containers\/[^/]+\/json(\?|$)/;

/**
 * A relay between Pulumi's provider and the engine. It can show containers as an engine does whose daemon has its own
 * settings. With Docker 20.10, `docker inspect` shows these next to the configured ones.
 */
export class EngineRelay {
    defaults: DaemonDefaults = {};

    private constructor(
        private readonly server: Server,
        private readonly folder: string,
    ) {}

    /** For DOCKER_HOST. */
    get dockerHost(): string {
        return `unix://${this.folder}/docker.sock`;
    }

    static async start(engine: string): Promise<EngineRelay> {
        const server = createServer((incoming, answer) => relay.pass(engine, incoming, answer));
        // Like an engine, it doesn't close idle connections: the provider would use them for its next request.
        server.keepAliveTimeout = 0;
        const relay = new EngineRelay(server, mkdtempSync(join(tmpdir(), "engine-relay-")));
        await new Promise<void>((resolve) => server.listen(join(relay.folder, "docker.sock"), resolve));
        return relay;
    }

    async stop(): Promise<void> {
        this.server.closeAllConnections();
        await new Promise((resolve) => this.server.close(resolve));
        rmSync(this.folder, { recursive: true });
    }

    private pass(engine: string, incoming: IncomingMessage, answer: ServerResponse): void {
        const { method, url: path = "", headers } = incoming;
        const asked = request({ ...addressOf(engine), method, path, headers }, (response) => {
            const { statusCode: status = 0, headers: answered } = response;
            if (status !== 200 || !INSPECTION.test(path)) {
                answer.writeHead(status, answered);
                response.pipe(answer);
                return;
            }
            const parts: Buffer[] = [];
            response.on("data", (part: Buffer) => parts.push(part));
            response.on("end", () => {
                const container = JSON.parse(Buffer.concat(parts).toString()) as InspectedContainer;
                this.addDefaults(container);
                answer.writeHead(status, { "content-type": "application/json" });
                answer.end(JSON.stringify(container));
            });
        });
        asked.on("error", () => answer.destroy());
        incoming.pipe(asked);
    }

    private addDefaults({ HostConfig: config }: InspectedContainer): void {
        const { logOptions, limits = [], sharedMemory = config.ShmSize } = this.defaults;
        config.LogConfig.Config = { ...logOptions, ...config.LogConfig.Config };
        config.Ulimits = [...(config.Ulimits ?? []), ...limits];
        config.ShmSize = sharedMemory;
    }
}

function addressOf(engine: string): RequestOptions {
    const { protocol, hostname: host, port, pathname: socketPath } = new URL(engine);
    if (protocol !== "unix:" && protocol !== "tcp:") {
        throw new Error(`${engine}: the relay speaks to unix:// and tcp:// alone`);
    }
    return protocol === "unix:" ? { socketPath } : { host, port };
}
