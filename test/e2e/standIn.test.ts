import {
    CreateBucketCommand,
    GetObjectCommand,
    HeadObjectCommand,
    ListBucketsCommand,
    PutObjectCommand,
} from "@aws-sdk/client-s3";
import { once } from "node:events";
import { Readable } from "node:stream";
import { WebSocket } from "ws";
import { agentFor, get, s3ClientFor } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { StandIn } from "./harness/standIn";
import { standInStore } from "./harness/stores";

describe("the contract stand-in, which other tests look through", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let node: StandIn;

    beforeAll(async () => {
        deployment = await Deployment.create(standInStore().config);
        await deployment.up();
        outputs = await deployment.outputs();
        node = new StandIn(host, outputs.nodeNames[0] ?? "");
    }, 240_000);

    afterAll(() => deployment.remove(), 120_000);

    test("keeps what the AWS SDK writes, and refuses a wrong secret key", async () => {
        const client = s3ClientFor(outputs);
        const object = { Bucket: "bucket", Key: "a folder/ü+%41//key" };
        await client.send(new CreateBucketCommand({ Bucket: "bucket" }));
        await client.send(new PutObjectCommand({ ...object, Body: "content" }));
        const { Body: body } = await client.send(new GetObjectCommand(object));
        expect(await body?.transformToString()).toBe("content");

        // A stream is sent in chunks, with its checksum in a trailer.
        const streamed = { Bucket: "bucket", Key: "streamed" };
        const stream = Readable.from([Buffer.alloc(100_000, "a"), Buffer.alloc(50_000, "b")]);
        await client.send(new PutObjectCommand({ ...streamed, Body: stream, ContentLength: 150_000 }));
        const { ContentLength: length } = await client.send(new HeadObjectCommand(streamed));
        expect(length).toBe(150_000);
        const connections = await node.record();
        expect(connections.some(({ bytes }) => bytes.includes("STREAMING-UNSIGNED-PAYLOAD-TRAILER"))).toBe(true);

        const stranger = s3ClientFor(outputs, { accessKeyId: outputs.accessKey, secretAccessKey: "another-secret" });
        await expect(stranger.send(new ListBucketsCommand({}))).rejects.toMatchObject({
            name: "SignatureDoesNotMatch",
        });
        expect((await get(outputs, `${outputs.s3Endpoint}/bucket/key`)).body.toString()).toContain("AccessDenied");
    }, 60_000);

    test("sends its node's name on a WebSocket, and echoes what it receives", async () => {
        const socket = new WebSocket(`${outputs.consoleUrl.replace("https", "wss")}/service/console/live`, {
            agent: agentFor(outputs),
        });
        const messages: string[] = [];
        socket.on("message", (data: Buffer) => messages.push(data.toString("utf8")));
        await once(socket, "open");
        socket.send("hello");
        while (messages.length < 2) {
            await once(socket, "message");
        }
        expect(messages).toEqual([node.nodeName, "hello"]);
        socket.close();
        await once(socket, "close");
    });

    test("records every connection byte by byte, and which requests were answered", async () => {
        await node.clearRecord();
        await node.clearRequests();
        const path = "/service/echo?a=%2f&b=+";
        const { body, headers } = await get(outputs, outputs.s3Endpoint + path, { "x-test": "one" });
        expect(headers["x-node"]).toBe(node.nodeName);
        expect(JSON.parse(body.toString())).toMatchObject({ node: node.nodeName, method: "GET", rawUrl: path });

        const found = (await node.record()).find(({ bytes }) => bytes.includes("/service/echo"));
        expect(found).toMatchObject({ listener: "s3", healthCheck: false });
        expect(found?.bytes.toString("latin1")).toMatch(
            /^GET \/service\/echo\?a=%2f&b=\+ HTTP\/1\.1\r\n[^]*x-test: one\r\n/,
        );
        const requests = await node.requests();
        expect(requests.find(({ url }) => url === path)).toMatchObject({
            connection: found?.number,
            route: "echo",
            status: 200,
        });
    });

    test("resolves internal paths in any spelling", async () => {
        for (const path of [
            "/service/rpc/x",
            "/a/..%2f/service//rpc/x",
            "/node_service.NodeService/Ping",
            "/profile/cpu",
        ]) {
            const answer = await host.exec(node.nodeName, [
                "curl",
                "--silent",
                "--path-as-is",
                "--include",
                `http://127.0.0.1:9000${path}`,
            ]);
            expect(answer).toContain("x-internal: 1");
        }
    });

    test("answers health checks as configured, and records their times", async () => {
        const status = (url: string) =>
            host.exec(node.nodeName, ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", url]);
        const [s3, console] = ["http://127.0.0.1:9000/health/ready", "http://127.0.0.1:9001/service/console/health"];
        await node.setS3Health(503);
        await node.setConsoleHealth(204, 1);
        const start = Date.now();
        expect(await status(s3)).toBe("503");
        expect(await status(console)).toBe("204");
        expect(Date.now() - start).toBeGreaterThanOrEqual(1000);
        await node.setS3Health(200);
        await node.setConsoleHealth(200);
        expect(await status(s3)).toBe("200");

        const checks = await node.checks();
        for (const times of [checks.s3, checks.console].map((list) => list.map(({ time }) => time))) {
            expect(times.length).toBeGreaterThan(1);
            expect(times).toEqual([...times].sort((one, other) => one - other));
        }
    });

    test("exits with 0 when it is stopped, once running requests are answered", async () => {
        const slow = get(outputs, `${outputs.s3Endpoint}/service/slow?seconds=3`);
        while (!(await node.requests()).some(({ url }) => url.startsWith("/service/slow"))) {
            // Repeats until the request has arrived.
        }
        const container = host.docker.getContainer(node.nodeName);
        await container.stop();
        expect((await slow).status).toBe(200);
        expect((await container.inspect()).State.ExitCode).toBe(0);
    }, 60_000);
});
