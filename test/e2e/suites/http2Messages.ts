import { setTimeout as sleep } from "node:timers/promises";
import { receivedWith } from "../harness/messageTrials";
import { HIDDEN } from "../harness/oddMessages";
import { CONSOLE_HOST, PublicSide, S3_HOST } from "../harness/publicSide";
import { exchangeHttp2, RawHttp2Connection, type Http2Headers } from "../harness/rawHttp2";

/** Messages over HTTP/2 that could be read in two ways, or that end too soon. */
export function http2MessagesSuite(side: () => PublicSide): void {
    describe("over HTTP/2", () => {
        let marks = 0;

        /** The response to a request, and what the store has received of the request. */
        const tryHttp2 = async (change: (target: string) => { headers: Http2Headers; body?: string[] }) => {
            const mark = `stream-${++marks}-`;
            const { headers, body } = change(`/service/echo?${mark}`);
            const { status, error } = await exchangeHttp2(side().deployment.httpsPort, headers, body);
            return { status, error, received: await receivedWith(side(), mark) };
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
            const connection = await RawHttp2Connection.open(side().deployment.httpsPort);
            const { headers } = post(`/service/echo?${mark}`, [["content-length", "10"]]);
            const stream = connection.begin(headers);
            connection.data(stream, "hello", false);
            await sleep(300);
            connection.data(stream, HIDDEN, true);
            await sleep(300);
            connection.destroy();
            const [message, ...more] = await receivedWith(side(), mark);
            expect(message).toMatchObject({ complete: false });
            expect(more).toEqual([]);
        });

        test("a refused stream doesn't affect the other streams of its connection", async () => {
            const connection = await RawHttp2Connection.open(side().deployment.httpsPort);
            const refused = connection.request(get("/service/echo", [["X-A", "one"]]).headers);
            const served = connection.request(get("/service/echo").headers);
            expect((await connection.answer(refused)).error).toBeDefined();
            expect((await connection.answer(served)).status).toBe(200);
            connection.destroy();
        });

        test("a connection with more than a thousand refused streams is ended", async () => {
            const connection = await RawHttp2Connection.open(side().deployment.httpsPort);
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
}
