import { accessLogOf, type AccessLogLine } from "./harness/accessLogLines";
import { DockerHost } from "./harness/dockerHost";
import { PublicSide, S3_HOST } from "./harness/publicSide";
import { openTlsSocket, RawConnection, type RawAnswer } from "./harness/rawConnection";
import { exchangeHttp2 } from "./harness/rawHttp2";
import { RequestSigner } from "./harness/signedRequest";
import { minioStore } from "./harness/stores";
import { waitUntil } from "./harness/wait";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Every byte value, and every character that JSON escapes. */
const EVERY_BYTE = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
const ODD_TEXTS = {
    quotes: '"quoted\\" and \\u0022"',
    "a line break": "one\r\ntwo\n{}",
    controls: "\x00\x01\x08\x0b\x1b[31m\x7f",
    "bytes that are not UTF-8": "\xff\xfe\xc3\x28\xed\xa0\x80\xf5",
    "UTF-8": "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
    "a format's own signs": "%{+json}o %[src] %%",
    "every byte": EVERY_BYTE,
    "four thousand bytes": "\xe9".repeat(4000),
    "four thousand quotes": '"'.repeat(4000),
};

describe("the access log in JSON", () => {
    const host = new DockerHost();
    let side: PublicSide;
    let signer: RequestSigner;

    beforeAll(async () => {
        side = await PublicSide.start({ ...minioStore().config, accessLog: "json" });
        const { accessKey: accessKeyId, secretKey: secretAccessKey } = side.outputs;
        signer = new RequestSigner({ accessKeyId, secretAccessKey });
    }, 240_000);

    afterAll(() => side.remove(), 120_000);

    const log = (isThere: (line: AccessLogLine) => boolean) =>
        accessLogOf(host, `${side.deployment.clusterName}-proxy`, isThere);

    /** The log line of the request whose path contains a mark. */
    const lineOf = async (mark: string): Promise<AccessLogLine> => {
        const hasMark = ({ path }: AccessLogLine) => typeof path === "string" && path.includes(mark);
        return (await log(hasMark)).find(hasMark) as AccessLogLine;
    };

    /** Sends bytes over TLS, and waits until the proxy has answered or closed the connection. */
    const send = async (bytes: string, port: "tls" | "plain" = "tls"): Promise<number[]> => {
        const connection = await (port === "tls" ? side.connect() : RawConnection.open(side.deployment.httpPort));
        connection.write(bytes);
        const { statuses } = await connection.settle(300);
        connection.destroy();
        return statuses;
    };

    const sendSigned = async (path: string, headers: { [name: string]: string }): Promise<RawAnswer> => {
        const request = await signer.sign({ method: "GET", host: S3_HOST, path, headers });
        const others = Object.entries(request.headers).filter(([name]) => name !== "host");
        return side.get(request.target, S3_HOST, ...others.map(([name, text]) => `${name}: ${text}`));
    };

    test("contains the request, the server that answered it, and how long it took", async () => {
        const { status } = await side.get("/bucket/fields?a=1", S3_HOST, "User-Agent: a client/1.0");
        expect(await lineOf("/fields")).toEqual({
            time: expect.stringMatching(TIME) as string,
            request_id: expect.stringMatching(UUID_7) as string,
            client_address: expect.stringMatching(/^[0-9.]+$/) as string,
            client_port: expect.any(Number) as number,
            frontend: "https",
            backend: "s3",
            server: "node1",
            tls_version: "TLSv1.3",
            http_version: "HTTP/1.1",
            method: "GET",
            host: S3_HOST,
            path: "/bucket/fields",
            user_agent: "a client/1.0",
            status,
            bytes_received: expect.any(Number) as number,
            bytes_sent: expect.any(Number) as number,
            request_ms: expect.any(Number) as number,
            queue_ms: expect.any(Number) as number,
            connect_ms: expect.any(Number) as number,
            response_ms: expect.any(Number) as number,
            total_ms: expect.any(Number) as number,
            retries: 0,
            termination_state: "----",
            store_request_id: expect.stringMatching(/^[0-9A-F]{16}$/) as string,
        });
    });

    test.each(Object.entries(ODD_TEXTS))(
        "every line is a JSON object after requests with %s",
        async (name, text) => {
            const fields = { ":method": "GET", ":scheme": "https", ":path": "/b/k", ":authority": S3_HOST };
            const mark = `odd-${name.replaceAll(/[^a-z]/g, "")}`;
            const messages = [
                `GET /b/${text} HTTP/1.1\r\nHost: ${S3_HOST}`,
                `GET /b/k?${text} HTTP/1.1\r\nHost: ${S3_HOST}`,
                `GET /b/k HTTP/1.1\r\nHost: ${S3_HOST}\r\nUser-Agent: ${text}`,
                `GET /b/k HTTP/1.1\r\nHost: ${text}`,
                `${text} /b/k HTTP/1.1\r\nHost: ${S3_HOST}`,
                text,
            ];
            await Promise.all(
                (["tls", "plain"] as const).flatMap((port) =>
                    messages.map((message) => send(`${message}\r\n\r\n`, port)),
                ),
            );
            for (const field of [
                [":path", `/b/${text}`],
                [":path", `/b/k?${text}`],
                [":authority", text],
                [":method", text],
                ["user-agent", text],
            ] as [string, string][]) {
                await exchangeHttp2(side.deployment.httpsPort, [
                    ...Object.entries({ ...fields, ...Object.fromEntries([field]) }),
                ]);
            }
            await side.get(`/bucket/${mark}`);
            const lines = await log(({ path }) => path === `/bucket/${mark}`);
            expect(lines.length).toBeGreaterThan(Object.keys(fields).length);
            expect(lines.filter(({ time }) => !TIME.test(String(time)))).toEqual([]);
        },
        60_000,
    );

    test("a value is logged byte by byte, so that it can be read back", async () => {
        const userAgent = '"\\ \xc3\xa9 \xff {}';
        await side.get('/bucket/"\\read-back', S3_HOST, `User-Agent: ${userAgent}`);
        expect(await lineOf("read-back")).toMatchObject({ path: '/bucket/"\\read-back', user_agent: userAgent });
    });

    test("contains a key of 1024 percent-encoded bytes in full", async () => {
        const path = `/bucket/${"%e2%82%ac".repeat(340)}%e2%82%acx`;
        await side.get(path);
        expect((await lineOf(path.slice(0, 300))).path).toBe(path);
    });

    test("a request over HTTP/2 is logged as one", async () => {
        await side.getHttp2("/bucket/second-version");
        expect(await lineOf("second-version")).toMatchObject({
            http_version: "HTTP/2.0",
            path: "/bucket/second-version",
        });
    });

    test("contains no query string, which may hold credentials", async () => {
        const { target } = await signer.presign({ method: "GET", host: S3_HOST, path: "/bucket/presigned" });
        await side.get(target);
        await side.getHttp2(target);
        await send(`GET https://${S3_HOST}${target} HTTP/1.1\r\nHost: ${S3_HOST}\r\n\r\n`);
        await send(`GET ${target} HTTP/1.1\r\nHost: ${S3_HOST}\r\n\r\n`, "plain");
        const { path } = await lineOf("presigned");
        expect(path).toBe("/bucket/presigned");
        const text = JSON.stringify(await log(({ path: logged }) => logged === "/bucket/presigned"));
        expect(text.match(/\/bucket\/presigned/g)).toHaveLength(4);
        expect(text).not.toContain("X-Amz-");
    });

    test("the response has the request's id, next to the store's own", async () => {
        const { headers } = await side.get("/bucket/own-id");
        expect(await lineOf("own-id")).toMatchObject({
            request_id: headers["x-request-id"],
            store_request_id: headers["x-amz-request-id"],
        });
    });

    test.each([
        ["that the proxy refuses", "/minio/admin/v3/info", S3_HOST, 403],
        ["for another hostname", "/elsewhere", "other.example", 404],
    ])("a response %s has the id too", async (_, path, hostname, status) => {
        const { headers, status: seen } = await side.get(path, hostname);
        expect(seen).toBe(status);
        expect(await lineOf(path)).toMatchObject({ request_id: headers["x-request-id"], status, store_request_id: "" });
    });

    test("a redirect to HTTPS has the id too", async () => {
        const { headers } = await side.askPlain("GET /redirected HTTP/1.1", `Host: ${S3_HOST}`);
        expect(await lineOf("/redirected")).toMatchObject({ request_id: headers["x-request-id"], status: 301 });
    });

    test("an id that the client sends is neither logged nor returned", async () => {
        const { headers } = await side.get("/bucket/claimed", S3_HOST, "X-Request-Id: claimed-by-a-client");
        const line = await lineOf("/bucket/claimed");
        expect(line.request_id).toMatch(UUID_7);
        expect(headers["x-request-id"]).toBe(line.request_id);
        expect(JSON.stringify(line)).not.toContain("claimed-by-a-client");
    });

    test("a signature that covers a client's X-Request-Id stays valid", async () => {
        const { status } = await sendSigned("/", { "X-Request-Id": "signed-by-a-client" });
        expect(status).toBe(200);
        const { status: refused } = await sendSigned("/bucket/none", { "X-Request-Id": "signed-by-a-client" });
        expect(refused).toBe(404);
    });

    test("ids are unique, also for requests on one connection", async () => {
        const connection = await side.connect();
        for (let count = 1; count <= 20; count++) {
            connection.write(`GET /bucket/kept-${count} HTTP/1.1\r\nHost: ${S3_HOST}\r\n\r\n`);
            await connection.until(() => connection.text().split("HTTP/1.1 ").length > count);
        }
        connection.destroy();
        const lines = await log(({ path }) => path === "/bucket/kept-20");
        const ids = lines.map(({ request_id: id }) => id).filter((id) => id !== undefined && id !== "");
        expect(ids.length).toBeGreaterThanOrEqual(20);
        expect(new Set(ids).size).toBe(ids.length);
    });

    test("the health check of the proxy's own container is not logged", async () => {
        const start = Date.now();
        const lastCheck = async () => {
            const { State: state } = await host.inspect(`${side.deployment.clusterName}-proxy`);
            return Date.parse(state.Health?.Log.at(-1)?.Start ?? "");
        };
        await waitUntil("another check is over", async () => (await lastCheck()) > start);
        await side.get("/bucket/after-the-check");
        const lines = await log(({ path }) => path === "/bucket/after-the-check");
        expect(lines.filter(({ client_address: address }) => address === "127.0.0.1")).toEqual([]);
    });

    test("a failed TLS handshake is logged with its reason", async () => {
        await expect(openTlsSocket(side.deployment.httpsPort, { maxVersion: "TLSv1.1" })).rejects.toThrow();
        await send("GET / HTTP/1.1\r\n\r\n", "plain");
        const plain = await RawConnection.open(side.deployment.httpsPort);
        plain.write("GET / HTTP/1.1\r\n\r\n");
        await plain.closed;
        const isFailure = ({ tls_error: error }: AccessLogLine) => String(error).includes("http request");
        expect((await log(isFailure)).find(isFailure)).toMatchObject({
            frontend: "https",
            error: "SSL handshake failure",
            client_address: expect.stringMatching(/^[0-9.]+$/) as string,
        });
    });

    test("a request that can't be parsed is logged with the status of the response", async () => {
        const begun = Date.now();
        expect(await send("no request\r\n\r\n")).toEqual([400]);
        const isRefused = ({ status, path, time }: AccessLogLine) =>
            status === 400 && !path && Date.parse(String(time)) >= begun;
        expect((await log(isRefused)).find(isRefused)).toMatchObject({ frontend: "https", termination_state: "PR--" });
    });

    // This test is the last one: it switches the log to the text format.
    test("`errors` leaves out successful requests and requests for closed paths", async () => {
        const proxy = `${side.deployment.clusterName}-proxy`;
        await side.deployment.configure({ accessLog: "errors" });
        await side.deployment.up();
        for (const mark of ["well-1", "well-2"]) {
            expect((await side.get(`/bucket/${mark}`)).headers).not.toHaveProperty("x-request-id");
        }
        expect((await side.get("/minio/admin/v3/closed")).status).toBe(403);
        expect(await send("no request, in text\r\n\r\n")).toEqual([400]);
        await waitUntil("the refused request is logged", async () =>
            (await host.logs(proxy)).includes(" https/<NOSRV> "),
        );
        expect(await host.logs(proxy)).not.toContain("/bucket/well-");
        expect(await host.logs(proxy)).not.toContain("/minio/admin/v3/closed");
    }, 60_000);
});
