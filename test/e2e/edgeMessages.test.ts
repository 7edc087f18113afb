import { setTimeout as sleep } from "node:timers/promises";
import { gatewayOf } from "../../components/naming/ipv4Network";
import { DockerHost } from "./harness/dockerHost";
import { receivedWith, tryMessages, type Trial } from "./harness/messageTrials";
import { subnetOf } from "./harness/networkClient";
import { AMBIGUOUS, CHUNKED, HIDDEN, ODD, POST, REFUSED, WRONG_LATE } from "./harness/oddMessages";
import { CONSOLE_HOST, PublicSide, S3_HOST, valuesOf, type Echo } from "./harness/publicSide";
import { exchangeHttp2, RawHttp2Connection, type Http2Headers } from "./harness/rawHttp2";

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

    describe("over HTTP/2", () => {
        let marks = 0;

        /** The response to a request, and what the store has received of the request. */
        const tryHttp2 = async (change: (target: string) => { headers: Http2Headers; body?: string[] }) => {
            const mark = `stream-${++marks}-`;
            const { headers, body } = change(`/service/echo?${mark}`);
            const { status, error } = await exchangeHttp2(side.deployment.httpsPort, headers, body);
            return { status, error, received: await receivedWith(side, mark) };
        };

        const pseudoHeaders = (method: string, path: string): { [name: string]: string } => ({
            ":method": method,
            ":scheme": "https",
            ":path": path,
            ":authority": S3_HOST,
        });

        const get = (path: string, more: Http2Headers = [], changed: { [name: string]: string } = {}) => ({
            headers: [...Object.entries({ ...pseudoHeaders("GET", path), ...changed }), ...more],
        });

        const post = (path: string, more: Http2Headers, body?: string[]) => ({
            headers: [...Object.entries(pseudoHeaders("POST", path)), ...more],
            body,
        });

        test.each<[string, (target: string) => { headers: Http2Headers; body?: string[] }]>([
            ["a body shorter than its content-length", (target) => post(target, [["content-length", "6"]], ["hello"])],
            ["a body longer than its content-length", (target) => post(target, [["content-length", "4"]], ["hello"])],
            ["a content-length without a body", (target) => post(target, [["content-length", "5"]])],
            [
                "two content-lengths that differ",
                (target) =>
                    post(
                        target,
                        [
                            ["content-length", "5"],
                            ["content-length", "6"],
                        ],
                        ["hello"],
                    ),
            ],
            ["transfer-encoding", (target) => post(target, [["transfer-encoding", "chunked"]], [`0\r\n\r\n${HIDDEN}`])],
            ...(
                [
                    ["connection", "close"],
                    ["keep-alive", "timeout=1"],
                    ["proxy-connection", "close"],
                    ["upgrade", "websocket"],
                    ["te", "gzip"],
                    ["x-a", "one\r\nx-b: two"],
                    ["x-a", "one\rtwo"],
                    ["x-a", "one\ntwo"],
                    ["x-a", "one\0two"],
                    ["x-a: one\r\nx-b", "two"],
                    ["x-a:", "one"],
                    ["x a", "one"],
                    ["X-A", "one"],
                    ["", "one"],
                    [":status", "200"],
                    [":path", "/"],
                    [":authority", CONSOLE_HOST],
                ] as Http2Headers
            ).map((field): [string, (target: string) => { headers: Http2Headers }] => [
                `the field ${JSON.stringify(field)}`,
                (target) => get(target, [field]),
            ]),
            ...(
                [
                    { ":path": `/service/echo HTTP/1.1\r\nx-a: one\r\n\r\n${HIDDEN}` },
                    { ":path": "/service/echo HTTP/1.1" },
                    { ":path": "service/echo" },
                    { ":path": "/service/echo#a" },
                    { ":path": `https://${CONSOLE_HOST}/service/echo` },
                    { ":path": "" },
                    { ":method": `GET / HTTP/1.1\r\nhost: ${S3_HOST}\r\n\r\nGET` },
                    { ":method": "GET /" },
                    { ":authority": `${S3_HOST}\r\nx-a: one` },
                    { ":scheme": "https\r\nx-a: one" },
                    { ":scheme": `https://${CONSOLE_HOST}/a?` },
                ] as { [name: string]: string }[]
            ).map((changed): [string, (target: string) => { headers: Http2Headers }] => [
                `the field ${JSON.stringify(Object.entries(changed)[0])}`,
                (target) => get(target, [], changed),
            ]),
        ])("is refused, and nothing of it reaches the store: %s", async (_, change) => {
            const { status = 400, error, received } = await tryHttp2(change);
            expect(status === 400 || error !== undefined).toBe(true);
            expect(received).toEqual([]);
        });

        test("a body without a length reaches the store as one message", async () => {
            const { status, received } = await tryHttp2((target) => post(target, [], ["hel", "lo"]));
            expect(status).toBe(200);
            expect(received).toEqual([expect.objectContaining({ body: "hello", complete: true })]);
        });

        test("a body that ends too soon never ends for the store", async () => {
            const mark = "stream-too-short-";
            const connection = await RawHttp2Connection.open(side.deployment.httpsPort);
            const { headers } = post(`/service/echo?${mark}`, [["content-length", "10"]]);
            const stream = connection.begin(headers);
            connection.data(stream, "hello", false);
            await sleep(300);
            connection.data(stream, HIDDEN, true);
            await sleep(300);
            connection.destroy();
            const [message, ...more] = await receivedWith(side, mark);
            expect(message).toMatchObject({ complete: false });
            expect(more).toEqual([]);
        });

        test("a refused stream doesn't affect the other streams of its connection", async () => {
            const connection = await RawHttp2Connection.open(side.deployment.httpsPort);
            const refused = connection.request(get("/service/echo", [["X-A", "one"]]).headers);
            const served = connection.request(get("/service/echo").headers);
            expect((await connection.answer(refused)).error).toBeDefined();
            expect((await connection.answer(served)).status).toBe(200);
            connection.destroy();
        });

        test("a connection with more than a thousand refused streams is ended", async () => {
            const connection = await RawHttp2Connection.open(side.deployment.httpsPort);
            const { headers } = get("/service/echo", [["X-A", "one"]]);
            for (let round = 0; round < 12; round++) {
                const streams = Array.from({ length: 100 }, () => connection.request(headers));
                await connection.answer(streams.at(-1) ?? 0);
            }
            const { status } = await connection.answer(connection.request(get("/service/echo").headers));
            connection.destroy();
            expect(status).toBeUndefined();
        });
    });

    test("the log has the path of a request, but not its query, which may be a credential", async () => {
        await side.get("/service/echo/logged?X-Amz-Signature=0123456789abcdef");
        const log = await host.logs(`${side.deployment.clusterName}-proxy`);
        expect(log).toContain("GET /service/echo/logged ");
        expect(log).not.toContain("0123456789abcdef");
    });
});
