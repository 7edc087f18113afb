import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An engine at the socket `docker.sock` in a folder of its own. While it is open, the environment names no other one. */
export class EngineSocket {
    /** The paths of its requests. */
    readonly asked: string[] = [];

    private constructor(
        readonly folder: string,
        readonly server: Server,
        private readonly environment: NodeJS.ProcessEnv,
    ) {}

    /** Its response to a request: at first, the networks that every engine has. */
    answer: (path: string) => { status: number; body: unknown } = () => ({
        status: 200,
        body: [
            { Name: "none", Id: "id of none" },
            { Name: "bridge", Id: "id of bridge" },
        ],
    });

    static async open(): Promise<EngineSocket> {
        const socket = new EngineSocket(mkdtempSync(join(tmpdir(), "engine-socket-")), createServer(), process.env);
        socket.server.on("request", ({ url = "" }, response) => {
            socket.asked.push(url);
            const { status, body } = socket.answer(url);
            response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
        });
        await new Promise<void>((resolve) => socket.server.listen(join(socket.folder, "docker.sock"), resolve));
        process.env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("DOCKER_")));
        return socket;
    }

    host(): string {
        return `unix://${this.folder}/docker.sock`;
    }

    async remove(): Promise<void> {
        process.env = this.environment;
        this.server.closeAllConnections();
        await new Promise((resolve) => this.server.close(resolve));
        rmSync(this.folder, { recursive: true });
    }
}
