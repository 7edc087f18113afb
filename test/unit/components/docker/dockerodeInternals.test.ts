import Docker from "dockerode";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { inspect } from "node:util";
import {
    connectedBy,
    dialThrough,
    eachSocket,
    pingWithin,
    shownBriefly,
    withoutDockerHost,
    type Request,
} from "../../../../components/docker/dockerodeInternals";

const folder = mkdtempSync(join(tmpdir(), "dockerode-"));
const socketPath = join(folder, "docker.sock");

/** An engine that has networks alone, and answers nothing to a ping. */
const server = createServer(({ url = "" }, response) => {
    if (url.startsWith("/networks")) {
        response.setHeader("content-type", "application/json").end("[]");
    } else if (!url.startsWith("/_ping")) {
        response.writeHead(404).end();
    }
});

beforeAll(() => new Promise<void>((resolve) => server.listen(socketPath, resolve)));
afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
});

/** A client that connects by this agent. */
const client = (agent: Agent = new Agent()) => new Docker({ socketPath, agent } as Docker.DockerOptions);

describe("requests", () => {
    test("all pass through a function, with their methods, paths and answers", async () => {
        const docker = client();
        const seen: unknown[] = [];
        dialThrough(docker.modem, (request, answered, dial) =>
            dial(request, (error, answer) => {
                seen.push([
                    request.method,
                    request.path,
                    (error as { statusCode?: number } | null)?.statusCode,
                    answer,
                ]);
                answered(error, answer);
            }),
        );
        expect(await docker.listNetworks()).toEqual([]);
        await expect(docker.getContainer("1").inspect()).rejects.toMatchObject({ statusCode: 404 });
        expect(seen).toEqual([
            ["GET", "/networks?", undefined, []],
            ["GET", "/containers/1/json?", 404, null],
        ]);
    });

    test("get another answer by that function", async () => {
        const docker = client();
        dialThrough(docker.modem, (_, answered) => answered(new Error("another")));
        await expect(docker.listNetworks()).rejects.toThrow("another");
    });

    test("are ended by a signal", async () => {
        const docker = client();
        const unanswered = (request: Request) => ({ ...request, abortSignal: AbortSignal.timeout(50) });
        await expect(pingWithin(docker, AbortSignal.timeout(50))).rejects.toThrow();
        dialThrough(docker.modem, (request, answered, dial) => dial(unanswered(request), answered));
        await expect(docker.ping()).rejects.toThrow();
    });
});

describe("connections", () => {
    test("of the client are those of its agent", async () => {
        const sockets: Socket[] = [];
        const docker = client(eachSocket(new Agent(), (socket) => (sockets.push(socket), socket)));
        await docker.listNetworks();
        await docker.listNetworks();
        expect(sockets).toHaveLength(2);
    });

    test("by TLS are sockets that connect too", async () => {
        const accepting = createTcpServer((socket) => socket.destroy());
        await new Promise<void>((resolve) => accepting.listen(0, "127.0.0.1", resolve));
        const connected = jest.fn();
        const { port } = accepting.address() as AddressInfo;
        const agent = eachSocket(new TlsAgent(), (socket) => socket.once("connect", connected));
        const docker = new Docker({ protocol: "https", host: "127.0.0.1", port, agent } as Docker.DockerOptions);
        await expect(docker.listNetworks()).rejects.toThrow();
        expect(connected).toHaveBeenCalledTimes(1);
        await new Promise((resolve) => accepting.close(resolve));
    });

    test("needn't be sockets", async () => {
        const connection = () => {
            const made = new Duplex({
                read: () => undefined,
                write: (_part, _encoding, done) => {
                    made.push("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]");
                    done();
                },
            });
            return made;
        };
        expect(await client(connectedBy(new Agent(), connection)).listNetworks()).toEqual([]);
    });
});

test("the client formats its agent for each request, and sees one word", async () => {
    const agent = shownBriefly(new Agent());
    const shown = jest.spyOn(agent as unknown as { [inspect.custom]: () => string }, inspect.custom);
    await client(agent).listNetworks();
    expect(shown).toHaveBeenCalled();
    expect(inspect({ agent })).toBe("{ agent: Agent }");
});

test("the client reads DOCKER_HOST when it is created, unless it is hidden", () => {
    const { DOCKER_HOST: before } = process.env;
    process.env["DOCKER_HOST"] = "tcp://no host";
    try {
        expect(() => client()).toThrow();
        expect(() => withoutDockerHost(() => client())).not.toThrow();
        expect(process.env["DOCKER_HOST"]).toBe("tcp://no host");
    } finally {
        process.env["DOCKER_HOST"] = before;
    }
});
