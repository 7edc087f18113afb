import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { setTimeout as sleep } from "node:timers/promises";
import { agentFor, s3ClientFor } from "./harness/clients";
import { DockerHost } from "./harness/dockerHost";
import { HaproxyRuntime } from "./harness/haproxyRuntime";
import { PublicSide, S3_HOST } from "./harness/publicSide";
import { RawConnection } from "./harness/rawConnection";
import { RawHttp2Connection } from "./harness/rawHttp2";
import { RequestSigner } from "./harness/signedRequest";
import { http2Get, sizeLimitsSuite } from "./suites/sizeLimits";

const SECOND = 1000;
const BUCKET = "bucket";
const CONNECTIONS_PER_ADDRESS = 200;
const TRICKLE = { bytes: 14, intervalSeconds: 5 };
const FLOOD = { connections: 2000, connectionsPerSecond: 500, seconds: 40 };

/** How the server ended a connection. */
interface Ending {
    /** Statuses of its responses. */
    statuses: number[];
    /** Seconds since the last event that the limit counts from. */
    seconds: number;
}

describe("the public side's limits", () => {
    const opened: { destroy(): void }[] = [];
    let side: PublicSide;
    let waits: ReturnType<typeof startWaits>;

    beforeAll(async () => {
        side = await PublicSide.start({ maxConnectionsPerAddress: String(CONNECTIONS_PER_ADDRESS) });
        const client = s3ClientFor(side.outputs);
        await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
        client.destroy();
        waits = startWaits();
    }, 240 * SECOND);

    afterAll(async () => {
        opened.forEach((connection) => connection.destroy());
        await side.remove();
    }, 120 * SECOND);

    /** Runs all of them at once, so that the file takes no longer than the longest one. */
    const startWaits = () => ({
        slowHeader: endingOf(side.connect(), sendSlowHeader),
        slowPlainHeader: endingOf(openPlain(side.deployment.httpPort), sendSlowHeader),
        slowHttp2Header: endingOfHttp2(sendSlowHttp2Header),
        silence: endingOf(side.connect()),
        silenceAfterAnswer: endingOf(side.connect(), async (connection) => {
            connection.write(`GET /service/echo HTTP/1.1\r\nHost: ${S3_HOST}\r\n\r\n`);
            await connection.answer();
        }),
        silenceAfterHttp2Answer: endingOfHttp2(async (connection) => {
            await connection.answer(connection.request(http2Get("/service/echo")));
        }),
        noHandshake: endingOf(openPlain(side.deployment.httpsPort)),
        halfHandshake: endingOf(openPlain(side.deployment.httpsPort), (connection) => {
            connection.write(Buffer.from("1603010200010001fc0303", "hex"));
        }),
        trickle: upload("trickle", trickleBody),
    });

    const openPlain = (port: number) => RawConnection.open(port);

    const endingOf = async (
        opening: Promise<RawConnection>,
        begin: (connection: RawConnection) => void | Promise<void> = () => undefined,
    ): Promise<Ending> => {
        const connection = await opening;
        opened.push(connection);
        await begin(connection);
        const start = Date.now();
        const seconds = ((await connection.closed) - start) / SECOND;
        return { seconds, statuses: (await connection.settle(0)).statuses };
    };

    const endingOfHttp2 = async (begin: (connection: RawHttp2Connection) => void | Promise<void>): Promise<number> => {
        const connection = await RawHttp2Connection.open(side.deployment.httpsPort);
        opened.push(connection);
        await begin(connection);
        const start = Date.now();
        return ((await connection.closed) - start) / SECOND;
    };

    /** Sends something every two seconds, until the connection is closed. */
    const eachTwoSeconds = (closed: Promise<unknown>, act: () => void) => {
        const timer = setInterval(act, 2 * SECOND);
        void closed.then(() => clearInterval(timer));
    };

    const sendSlowHeader = (connection: RawConnection) => {
        connection.write(`GET /service/echo HTTP/1.1\r\nHost: ${S3_HOST}\r\nX-Slow: `);
        eachTwoSeconds(connection.closed, () => connection.write("a"));
    };

    const sendSlowHttp2Header = (connection: RawHttp2Connection) => {
        const stream = connection.beginHeaders(http2Get("/service/echo"));
        eachTwoSeconds(connection.closed, () => connection.continueHeaders(stream, [["x-slow", "a"]]));
    };

    /** The response to a signed PUT, whose headers are sent at once. */
    const upload = async (
        key: string,
        sendBody: (connection: RawConnection, body: string) => Promise<void>,
        ...headerLines: string[]
    ) => {
        const { accessKey, secretKey } = side.outputs;
        const body = key.padEnd(TRICKLE.bytes, ".");
        const signer = new RequestSigner({ accessKeyId: accessKey, secretAccessKey: secretKey });
        const { target, headers } = await signer.sign({
            method: "PUT",
            host: S3_HOST,
            path: `/${BUCKET}/${key}`,
            body: Buffer.from(body),
        });
        const lines = [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ...headerLines];
        const connection = await side.connect();
        opened.push(connection);
        connection.write(`${[`PUT ${target} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
        await sendBody(connection, body);
        const { statuses } = await connection.settle(2 * SECOND);
        return { statuses, body };
    };

    const trickleBody = async (connection: RawConnection, body: string) => {
        for (const byte of body) {
            await sleep(TRICKLE.intervalSeconds * SECOND);
            connection.write(byte);
        }
    };

    const contentOf = async (key: string) => {
        const client = s3ClientFor(side.outputs);
        const { Body: body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
        const content = await body?.transformToString();
        client.destroy();
        return content;
    };

    const expectSeconds = (seconds: number, expected: number) => {
        expect(seconds).toBeGreaterThan(expected - 3);
        expect(seconds).toBeLessThan(expected + 5);
    };

    describe("a flood of slow headers from one address", () => {
        let peak = 0;
        let succeeded = 0;
        const failures: string[] = [];

        beforeAll(async () => {
            const proxy = new HaproxyRuntime(new DockerHost(), `${side.deployment.clusterName}-proxy`);
            const attacker = await side.clientAt("public", 150);
            const flood = attacker.run(
                ...["slowhttptest", "-H", "-c", String(FLOOD.connections), "-r", String(FLOOD.connectionsPerSecond)],
                ...["-l", String(FLOOD.seconds), "-i", "5", "-u", `https://${attacker.proxyAddress}:8443/`],
            );
            let isOver = false;
            void flood.then(
                () => (isOver = true),
                () => (isOver = true),
            );
            const watch = async () => {
                while (!isOver) {
                    const table = await proxy.ask("show table addresses");
                    const [, count] = new RegExp(`key=::ffff:${attacker.address} .*conn_cur=(\\d+)`).exec(table) ?? [];
                    peak = Math.max(peak, Number(count ?? 0));
                    await sleep(SECOND / 2);
                }
            };
            await Promise.all([flood, watch(), useStore(() => isOver)]);
        }, 90 * SECOND);

        /** Sends a request every 50 ms, without retries. */
        const useStore = async (isOver: () => boolean) => {
            const { s3Endpoint, accessKey, secretKey } = side.outputs;
            const client = new S3Client({
                endpoint: s3Endpoint,
                region: "us-east-1",
                forcePathStyle: true,
                credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
                requestHandler: new NodeHttpHandler({ httpsAgent: agentFor(side.outputs) }),
                maxAttempts: 1,
            });
            const object = { Bucket: BUCKET, Key: "used" };
            await client.send(new PutObjectCommand({ ...object, Body: "content" }));
            const use = async (isWrite: boolean) => {
                try {
                    if (isWrite) {
                        await client.send(new PutObjectCommand({ ...object, Body: "content" }));
                    } else {
                        const { Body: body } = await client.send(new GetObjectCommand(object));
                        await body?.transformToString();
                    }
                    succeeded++;
                } catch (error) {
                    failures.push(String(error));
                }
            };
            const running: Promise<void>[] = [];
            for (let count = 0; !isOver(); count++) {
                running.push(use(count % 2 === 0));
                await sleep(50);
            }
            await Promise.all(running);
            client.destroy();
        };

        test("fails no request of an S3 client at another address", () => {
            expect(failures).toEqual([]);
            expect(succeeded).toBeGreaterThan(FLOOD.seconds * 5);
        });

        test("holds no more connections than one address may have", () => {
            expect(peak).toBeGreaterThan(CONNECTIONS_PER_ADDRESS / 2);
            expect(peak).toBeLessThanOrEqual(CONNECTIONS_PER_ADDRESS);
        });
    });

    describe("time", () => {
        test("a slow header gets 408 after 30 s", async () => {
            const { statuses, seconds } = await waits.slowHeader;
            expect(statuses).toEqual([408]);
            expectSeconds(seconds, 30);
        }, 60_000);

        test("a slow header gets 408 after 30 s on port 80", async () => {
            const { statuses, seconds } = await waits.slowPlainHeader;
            expect(statuses).toEqual([408]);
            expectSeconds(seconds, 30);
        }, 60_000);

        test("a slow header of HTTP/2 ends the connection after 30 s", async () => {
            expectSeconds(await waits.slowHttp2Header, 30);
        }, 60_000);

        test("a connection without a request is ended after 30 s", async () => {
            const { statuses, seconds } = await waits.silence;
            expect(statuses).toEqual([408]);
            expectSeconds(seconds, 30);
        }, 60_000);

        test("a connection is closed 10 s after its last answer", async () => {
            expectSeconds((await waits.silenceAfterAnswer).seconds, 10);
        }, 60_000);

        test("a connection of HTTP/2 is closed within 45 s after its last answer", async () => {
            const inVain = sleep(50 * SECOND, Infinity, { ref: false });
            expect(await Promise.race([waits.silenceAfterHttp2Answer, inVain])).toBeLessThan(45);
        }, 60_000);

        test.each(["noHandshake", "halfHandshake"] as const)(
            "a TLS handshake is ended after 10 s: %s",
            async (name) => {
                expectSeconds((await waits[name]).seconds, 10);
            },
            60_000,
        );

        test("an upload may take longer than headers may: one byte every 5 s, 70 s in total", async () => {
            const { statuses, body } = await waits.trickle;
            expect(statuses).toEqual([200]);
            expect(await contentOf("trickle")).toBe(body);
        }, 120_000);
    });

    sizeLimitsSuite(() => side);

    test("a client that expects 100 Continue gets it before it sends its body", async () => {
        const sendWhenAsked = async (connection: RawConnection, body: string) => {
            await connection.until(() => connection.text().includes("HTTP/1.1 100 "));
            connection.write(body);
        };
        const { statuses, body } = await upload("expected", sendWhenAsked, "Expect: 100-continue");
        expect(statuses).toEqual([100, 200]);
        expect(await contentOf("expected")).toBe(body);
    });
});
