import { gatewayOf } from "../../components/naming/ipv4Network";
import { DockerHost } from "./harness/dockerHost";
import { tryMessages, type Trial } from "./harness/messageTrials";
import { subnetOf } from "./harness/networkClient";
import { AMBIGUOUS, CHUNKED, ODD, POST, REFUSED, WRONG_LATE } from "./harness/oddMessages";
import { CONSOLE_HOST, PublicSide, S3_HOST, valuesOf, type Echo } from "./harness/publicSide";
import { http2MessagesSuite } from "./suites/http2Messages";

describe("the public side's messages", () => {
    const host = new DockerHost();
    let side: PublicSide;
    let gateway: string;

    beforeAll(async () => {
        side = await PublicSide.start();
        gateway = gatewayOf(await subnetOf(host, `${side.deployment.clusterName}-public`));
    }, 240_000);

    afterAll(() => side.remove(), 120_000);

    describe("headers", () => {
        test.each([
            ["X-Forwarded-Host", "other.example"],
            ["X-Forwarded-Port", "1"],
            ["X-Forwarded-Server", "other.example"],
            ["X-Forwarded-Prefix", "/a"],
            ["X-Forwarded-Anything", "1"],
            ["Forwarded", "for=192.0.2.1;host=other.example;proto=http"],
            ["Keep-Alive", "timeout=1"],
            ["Proxy-Connection", "keep-alive"],
            ["Proxy-Authorization", "Basic YTpi"],
            ["Proxy-Authenticate", "Basic"],
            ["TE", "trailers"],
            ["Connection", "te"],
        ])("%s of a client doesn't reach the store", async (name, value) => {
            expect(valuesOf(await side.echo(`${name}: ${value}`), name)).toEqual([]);
        });

        test("Keep-Alive of a response is the proxy's own, not the store's", async () => {
            const answers = [await side.get("/service/echo"), await side.get("/service/admin/v3/info")];
            expect(answers.map(({ status, headers }) => [status, headers["keep-alive"]])).toEqual([
                [200, "timeout=9"],
                [403, "timeout=9"],
            ]);
            const own = ["curl", "--silent", "--include", "http://127.0.0.1:9000/service/echo"];
            expect(await host.exec(side.node.nodeName, own)).toMatch(/^keep-alive: timeout=120/im);
        });

        test.each(["X-Forwarded-For", "X-Real-IP"])("%s is the client's address, once", async (name) => {
            expect(valuesOf(await side.echo(), name)).toEqual([gateway]);
        });

        test.each(["X-Forwarded-For", "X-Real-IP"])("%s is the client's address, whatever it says", async (name) => {
            const claims = [`${name}: 192.0.2.1`, `${name.toLowerCase()}: 192.0.2.2, 192.0.2.3`];
            expect(valuesOf(await side.echo(...claims), name)).toEqual([gateway]);
        });

        test.each(["X-Forwarded-For", "X-Real-IP"])("over HTTP/2, %s is the client's address too", async (name) => {
            const { body } = await side.getHttp2("/service/echo", S3_HOST, [name.toLowerCase(), "192.0.2.1"]);
            expect(valuesOf(JSON.parse(body) as Echo, name)).toEqual([gateway]);
        });

        test.each(["X-Forwarded-For", "X-Real-IP"])("%s is the address of a client of another host", async (name) => {
            const client = await side.clientAt("public", name === "X-Real-IP" ? 101 : 102);
            const body = await client.curl(`https://${S3_HOST}/service/echo`, "--header", `${name}: 192.0.2.1`);
            expect(valuesOf(JSON.parse(body) as Echo, name)).toEqual([client.address]);
        });

        test("X-Forwarded-Proto is https, whatever the client says", async () => {
            expect(valuesOf(await side.echo("X-Forwarded-Proto: http"), "X-Forwarded-Proto")).toEqual(["https"]);
        });

        test.each([
            ["h2c", ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"]],
            ["websocket", ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="]],
            ["TLS/1.0", ["Connection: Upgrade", "Upgrade: TLS/1.0"]],
        ])("an upgrade to %s doesn't reach the S3 listener", async (_, lines) => {
            const echo = await side.echo(...lines);
            const seen = ["Connection", "Upgrade", "HTTP2-Settings"].flatMap((name) => valuesOf(echo, name));
            expect(seen).toEqual([]);
        });

        test("an upgrade to anything but a WebSocket doesn't reach the console", async () => {
            const { body } = await side.get("/service/echo", CONSOLE_HOST, "Connection: Upgrade", "Upgrade: TLS/1.0");
            expect(valuesOf(JSON.parse(body) as Echo, "Upgrade")).toEqual([]);
        });

        test("trailers don't reach the store", async () => {
            await tryMessages(side, { trailer: `${POST}${CHUNKED}\r\n5\r\nhello\r\n0\r\nX-Trailer: one\r\n\r\n` });
            const received = (await side.node.record()).filter(({ bytes }) => bytes.includes("hello"));
            expect(received).toHaveLength(1);
            expect(received[0]?.bytes.toString("latin1")).not.toMatch(/X-Trailer/i);
        });

        test("a header that Connection names doesn't reach the store", async () => {
            const { status, body } = await side.get("/service/echo", S3_HOST, "Connection: x-foo", "X-Foo: 1");
            const seen = status === 200 ? valuesOf(JSON.parse(body) as Echo, "X-Foo") : [];
            expect({ seen, refused: status !== 200 }).toEqual({ seen: [], refused: status === 400 });
        });

        test("Connection can't remove X-Forwarded-For", async () => {
            const { status, body } = await side.get("/service/echo", S3_HOST, "Connection: close, x-forwarded-for");
            const seen = status === 200 ? valuesOf(JSON.parse(body) as Echo, "X-Forwarded-For") : [gateway];
            expect({ seen, refused: status !== 200 }).toEqual({ seen: [gateway], refused: status === 400 });
        });
    });

    test("a refused ambiguous request gets an error of S3", async () => {
        const { status, headers, body } = await side.get("/service/echo", S3_HOST, "Connection: x-foo", "X-Foo: 1");
        expect({ status, type: headers["content-type"] }).toEqual({ status: 400, type: "application/xml" });
        expect(body).toContain("<Code>InvalidRequest</Code>");
    });

    test("a 503 of the only node reaches the client without being asked for again", async () => {
        const path = "/service/slow?seconds=0&status=503&asked-once";
        expect((await side.get(path)).status).toBe(503);
        const received = (await side.node.record()).map(({ bytes }) => bytes.toString("latin1").split(path).length - 1);
        expect(received.reduce((sum, count) => sum + count, 0)).toBe(1);
    });

    describe("over HTTP/1.1", () => {
        let trials: { [name: string]: Trial };

        beforeAll(async () => {
            trials = await tryMessages(
                side,
                Object.fromEntries(
                    Object.entries({ REFUSED, AMBIGUOUS, ODD, WRONG_LATE }).flatMap(([kind, texts]) =>
                        Object.entries(texts).map(([name, text]) => [`${kind} ${name}`, text]),
                    ),
                ),
            );
        }, 60_000);

        const trialOf = (name: string) => trials[name] as Trial;

        /** Expects exactly one message, complete, and one response. */
        const expectOneMessage = ({ statuses, received }: Trial) => {
            expect(received).toEqual([expect.objectContaining({ complete: true })]);
            expect(statuses).toHaveLength(1);
        };

        /**
         * Expects no response except an error. HAProxy may send none at all if it has read a Content-Length before the
         * error.
         */
        const isRefused = ({ statuses, received }: Trial) =>
            received.length === 0 && statuses.length <= 1 && statuses.every((status) => status >= 400 && status < 500);

        test.each(Object.keys(REFUSED))("is refused, and nothing of it reaches the store: %s", (name) => {
            const trial = trialOf(`REFUSED ${name}`);
            expect({ ...trial, refused: isRefused(trial) }).toMatchObject({
                refused: true,
                closed: true,
                received: [],
            });
        });

        test.each(Object.keys(AMBIGUOUS))(
            "is refused, or reaches the store as one message on a connection that is then closed: %s",
            (name) => {
                const trial = trialOf(`AMBIGUOUS ${name}`);
                expect(trial.closed).toBe(true);
                if (!isRefused(trial)) {
                    expectOneMessage(trial);
                }
            },
        );

        test.each(Object.keys(ODD))("is refused, or reaches the store as one message: %s", (name) => {
            const trial = trialOf(`ODD ${name}`);
            if (!isRefused(trial)) {
                expectOneMessage(trial);
            }
        });

        test.each(Object.keys(WRONG_LATE))("never ends for the store where it goes wrong late: %s", (name) => {
            const { closed, received } = trialOf(`WRONG_LATE ${name}`);
            expect(closed).toBe(true);
            expect(received).toEqual([expect.objectContaining({ body: "hello", complete: false })]);
        });
    });

    http2MessagesSuite(() => side);

    test("the log has the path of a request, but not its query, which may be a credential", async () => {
        await side.get("/service/echo/logged?X-Amz-Signature=0123456789abcdef");
        const log = await host.logs(`${side.deployment.clusterName}-proxy`);
        expect(log).toContain("GET /service/echo/logged ");
        expect(log).not.toContain("0123456789abcdef");
    });
});
