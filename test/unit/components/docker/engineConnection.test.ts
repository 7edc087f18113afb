import { writeFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, Socket, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { connectEngine, connectEngines } from "../../../../components/docker/connectEngine";
import { DockerEngine } from "../../../../components/docker/engine";
import { clientOptions, engineClient, limitAnswers } from "../../../../components/docker/engineConnection";
import { engineEndpoint, type EngineSettings } from "../../../../components/docker/engineEndpoint";
import { makeCertificate, type TestCertificate } from "../../../certificates";
import { EngineSocket } from "../../fakes/engineSocket";

let socket: EngineSocket;

beforeEach(async () => (socket = await EngineSocket.open()));
afterEach(() => socket.remove());

test.each<[string, () => Promise<unknown>]>([
    ["a request that fails", async () => (await connectEngine({ host: socket.host() })).networks()],
    ["a request without an answer", async () => (await connectEngine({ host: socket.host() })).containers("label")],
    ["a Docker daemon that isn't there", () => connectEngine({ host: `unix://${socket.folder}/none.sock` })],
    ["settings that can't be used", () => connectEngine({ host: "nothing://" })],
    [
        "Docker daemons of hosts that aren't there",
        () => connectEngines([{ name: "a", dockerHost: { host: "nothing://" } }]),
    ],
])("%s: Pulumi prints the message alone, without a stack trace and the SDK's prefix", async (_, fails) => {
    socket.server.removeAllListeners("request").on("request", (request: IncomingMessage, response: ServerResponse) => {
        if (request.url?.includes("containers") === true) {
            response.destroy();
            return;
        }
        response.writeHead(request.url === "/_ping" ? 200 : 500).end("no disk");
    });
    const failure = await fails().catch((error: unknown) => error as Error);
    expect(pulumi.RunError.isInstance(failure)).toBe(true);
    const { message, stack } = failure as Error;
    expect([message.length > 0, stack]).toEqual([true, ""]);
    (failure as Error).message = `error serializing property "outputs": ${message}`;
    expect((failure as Error).message).toBe(message);
});

test("a configured engine is used, whatever the environment says", async () => {
    process.env["DOCKER_HOST"] = "tcp://192.0.2.1:2376";
    process.env["DOCKER_TLS_VERIFY"] = "1";
    await DockerEngine.connect({ host: socket.host() });
    expect(socket.asked).toEqual(["/_ping"]);
    expect(process.env["DOCKER_HOST"]).toBe("tcp://192.0.2.1:2376");
});

test.each<[string, EngineSettings]>([
    ["a socket", { host: "unix:///var/run/docker.sock" }],
    ["TCP", { host: "tcp://192.0.2.1:2375" }],
    ["ssh", { host: "ssh://docker@192.0.2.1" }],
])("the debug message of a request through %s doesn't show the agent's connections", (_name, settings) => {
    const options = clientOptions(engineEndpoint(settings)) as { agent: object };
    Object.assign(options.agent, { sockets: { "192.0.2.1": [{ store: "everything that Pulumi knows" }] } });
    expect(inspect(options, { showHidden: true, depth: null })).not.toContain("everything that Pulumi knows");
});

test("no connection is used twice, because a proxy of the socket may close idle connections", async () => {
    let connections = 0;
    socket.server.on("connection", () => connections++);
    const engine = await DockerEngine.connect({ host: socket.host() });
    await engine.networks();
    expect(socket.asked).toHaveLength(2);
    expect(connections).toBe(2);
});

test("each connection has TCP keepalive, so that a dead host of the engine doesn't block forever", async () => {
    const keepAlive = jest.spyOn(Socket.prototype, "setKeepAlive");
    const engine = await DockerEngine.connect({ host: socket.host() });
    await engine.networks();
    expect(keepAlive.mock.calls).toEqual([
        [true, 30_000],
        [true, 30_000],
    ]);
    keepAlive.mockRestore();
});

test("a missing engine is refused with the reason and its remedy", async () => {
    await expect(DockerEngine.connect({ host: `unix://${socket.folder}/none.sock` })).rejects.toThrow(
        /^Docker doesn't answer at unix:.*none.sock \(connect ENOENT .*\): there is no such socket: start Docker/,
    );
});

test("an engine that accepts connections and answers nothing is given up after a time limit", async () => {
    const accepted: Socket[] = [];
    const hanging = createTcpServer((socket) => accepted.push(socket));
    await new Promise<void>((resolve) => hanging.listen(join(socket.folder, "hanging.sock"), resolve));
    try {
        await expect(DockerEngine.connect({ host: `unix://${socket.folder}/hanging.sock` }, 0.1)).rejects.toThrow(
            /hanging\.sock \(nothing within 0\.1 s\): it accepts connections and answers nothing/,
        );
    } finally {
        accepted.forEach((socket) => socket.destroy());
        await new Promise((resolve) => hanging.close(resolve));
    }
});

describe("an engine that hangs", () => {
    /** Answers the beginning of a command in a container; neither the command nor other requests end. */
    const hangs = () => {
        socket.server
            .removeAllListeners("request")
            .on("request", ({ url = "" }: IncomingMessage, response: ServerResponse) => {
                if (url === "/_ping" || url.endsWith("/exec")) {
                    response
                        .writeHead(url === "/_ping" ? 200 : 201, { "content-type": "application/json" })
                        .end(JSON.stringify({ Id: "1" }));
                } else if (url.startsWith("/exec/")) {
                    response.writeHead(200).flushHeaders();
                }
            });
    };

    test("is given up after a time limit, with the request and what to do", async () => {
        hangs();
        const client = await engineClient(engineEndpoint({ host: socket.host() }));
        limitAnswers(client.modem, socket.host(), 0.2);
        await expect(client.listNetworks({ filters: { label: ["a"] } })).rejects.toThrow(
            /^Docker at unix:.*docker.sock has not answered within 0.2 s: GET \/networks. The Docker daemon or the container hangs: see its log/,
        );
    });

    test("that breaks off half-way is given up too", async () => {
        socket.server.removeAllListeners("request");
        socket.server.on("request", (_, response: ServerResponse) => {
            response.writeHead(200, { "content-type": "application/json", "content-length": "1000" }).write("[");
            setTimeout(() => response.destroy(), 20);
        });
        const client = await engineClient(engineEndpoint({ host: socket.host() }));
        limitAnswers(client.modem, socket.host(), 0.2);
        await expect(client.listNetworks()).rejects.toThrow("has not answered within 0.2 s: GET /networks");
    });

    test("is waited for as long as a container runs", async () => {
        hangs();
        const client = await engineClient(engineEndpoint({ host: socket.host() }));
        limitAnswers(client.modem, socket.host(), 0.1);
        const ended = client.getContainer("1").wait();
        expect(await Promise.race([ended, sleep(500, "still waiting")])).toBe("still waiting");
        socket.server.closeAllConnections();
        await expect(ended).rejects.toThrow("socket hang up");
    });

    test("doesn't keep a command in a container waiting: its name is in the message, its arguments aren't", async () => {
        hangs();
        const engine = await DockerEngine.connect({ host: socket.host() });
        const failure = await engine
            .run("node1", ["curl", "secret"], [], 0.2)
            .catch((error: unknown) => error as Error);
        expect((failure as Error).message).toMatch(
            /^curl has not ended within 0.2 s in node1. The container or the Docker daemon hangs/,
        );
        expect((failure as Error).message).not.toContain("secret");
    });
});

describe("by TLS", () => {
    let engine: Server;
    let client: TestCertificate;
    let own: TestCertificate;

    beforeEach(async () => {
        [own, client] = [await makeCertificate(["127.0.0.1"]), await makeCertificate(["client"])];
        const options = { ...pem(own), ca: client.issuer, requestCert: true, rejectUnauthorized: true };
        engine = createTlsServer(options, (_, response) => response.end("OK"));
        await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
    });

    afterEach(async () => {
        engine.closeAllConnections();
        await new Promise((resolve) => engine.close(resolve));
    });

    const pem = ({ certificate: cert, key }: TestCertificate) => ({ cert, key });
    const address = (name = "127.0.0.1") => `tcp://${name}:${(engine.address() as AddressInfo).port}`;

    test("an engine is reached with a client certificate, from a folder or from the config", async () => {
        const files = { "ca.pem": own.issuer, "cert.pem": client.certificate, "key.pem": client.key };
        Object.entries(files).forEach(([name, content]) => writeFileSync(join(socket.folder, name), content));
        await DockerEngine.connect({ host: address(), certPath: socket.folder });
        process.env["DOCKER_HOST"] = address();
        process.env["DOCKER_CERT_PATH"] = socket.folder;
        await DockerEngine.connect();
        delete process.env["DOCKER_CERT_PATH"];
        const material = { caMaterial: own.issuer, certMaterial: client.certificate, keyMaterial: client.key };
        await DockerEngine.connect({ host: address(), ...material });
    });

    test("each failure names the problem with the certificates", async () => {
        const failure = (host: string, ca: string, { certificate, key }: TestCertificate) =>
            DockerEngine.connect({ host, caMaterial: ca, certMaterial: certificate, keyMaterial: key });
        await expect(failure(address(), client.issuer, client)).rejects.toThrow(/isn't signed by the ca.pem/);
        await expect(failure(address("localhost"), own.issuer, client)).rejects.toThrow(/is for other names/);
        await expect(failure(address(), own.issuer, own)).rejects.toThrow(/rejects the client certificate/);
    });
});

describe("program and provider", () => {
    const difference = async (networkIdOfProvider: EngineSettings["networkIdOfProvider"]) =>
        (await DockerEngine.connect({ host: socket.host(), networkIdOfProvider })).differsFromProvider();

    test("see the same default network on one engine", async () => {
        expect(await difference((name) => Promise.resolve(`id of ${name}`))).toBeUndefined();
    });

    test("are refused on two engines, and if the provider doesn't see the network at all", async () => {
        expect(await difference(() => Promise.resolve("another id"))).toMatch(/talks to another Docker daemon/);
        expect(await difference(() => Promise.reject(new Error("no such network")))).toMatch(
            /doesn't see the Docker daemon .* \(no such network\)/,
        );
    });

    test.each([1, 14])(
        "aren't compared once the update has ended: gRPC status %s doesn't count as a difference",
        async (code) => {
            const ended = Object.assign(new Error("Resource monitor is terminating"), { code });
            await expect(difference(() => Promise.reject(ended))).rejects.toBe(ended);
        },
    );
});
