import { request } from "node:https";
import { connect } from "node:http2";
import type { ConnectionOptions } from "node:tls";
import { makeCertificate, ownCertificate, type TestCertificate } from "../certificates";
import { agentFor } from "./harness/clients";
import { CONSOLE_HOST, PublicSide, S3_HOST, valuesOf, type Echo } from "./harness/publicSide";
import { openTlsSocket, type RawAnswer } from "./harness/rawConnection";
import { exchangeHttp2 } from "./harness/rawHttp2";

const HANDSHAKE_FAILURE = "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE";

/** Makes Node.js offer TLS features that it disables by default. */
const EVERYTHING = "@SECLEVEL=0";

describe("the public side's TLS, redirect and routing", () => {
    let side: PublicSide;

    beforeAll(async () => {
        // Without a CA that Pulumi keeps, a test below can configure another certificate.
        side = await PublicSide.start({ retainData: "false" });
    }, 240_000);

    afterAll(() => side.remove(), 120_000);

    /** The negotiated parameters of a handshake, or the alert that ended it. */
    const handshake = async (options: ConnectionOptions) => {
        try {
            const socket = await openTlsSocket(side.deployment.httpsPort, options);
            const agreed = {
                protocol: socket.getProtocol(),
                cipher: socket.getCipher().name,
                alpn: socket.alpnProtocol,
            };
            socket.destroy();
            return agreed;
        } catch (error) {
            return { alert: (error as NodeJS.ErrnoException).code };
        }
    };

    describe("TLS", () => {
        test.each([[["h2", "http/1.1"]], [["http/1.1", "h2"]], [["h2"]]])(
            "chooses h2 for a client that offers %j",
            async (ALPNProtocols) => {
                expect(await handshake({ ALPNProtocols })).toMatchObject({ alpn: "h2" });
            },
        );

        test("chooses http/1.1 for a client that offers nothing else", async () => {
            expect(await handshake({ ALPNProtocols: ["http/1.1"] })).toMatchObject({ alpn: "http/1.1" });
        });

        test("serves HTTP/2", async () => {
            const ca = side.outputs.caCertificate;
            const session = connect(`https://127.0.0.1:${side.deployment.httpsPort}`, { ca, servername: S3_HOST });
            try {
                const stream = session.request({ ":authority": S3_HOST, ":path": "/service/echo" });
                const status = await new Promise((resolve, reject) => {
                    session.on("error", reject);
                    stream.on("error", reject).on("response", ({ ":status": code }) => resolve(code));
                });
                expect(status).toBe(200);
                expect(session.alpnProtocol).toBe("h2");
            } finally {
                session.destroy();
            }
        });

        test("serves HTTP/1.1", async () => {
            const response = await new Promise<{ status?: number; httpVersion: string }>((resolve, reject) => {
                request(`${side.outputs.s3Endpoint}/service/echo`, { agent: agentFor(side.outputs) }, (answer) => {
                    answer.resume();
                    resolve({ status: answer.statusCode, httpVersion: answer.httpVersion });
                })
                    .on("error", reject)
                    .end();
            });
            expect(response).toEqual({ status: 200, httpVersion: "1.1" });
        });

        test.each(["TLSv1", "TLSv1.1"] as const)("refuses %s", async (version) => {
            const options = { minVersion: version, maxVersion: version, ciphers: `ALL:${EVERYTHING}` };
            expect(await handshake(options)).toEqual({ alert: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
        });

        test.each(["TLSv1.2", "TLSv1.3"] as const)("accepts %s", async (version) => {
            expect(await handshake({ minVersion: version, maxVersion: version })).toMatchObject({ protocol: version });
        });

        test.each(["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])(
            "accepts the cipher suite %s",
            async (cipher) => {
                expect(await handshake({ minVersion: "TLSv1.3", ciphers: cipher })).toMatchObject({ cipher });
            },
        );

        test.each(["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"])(
            "accepts the cipher suite %s of TLS 1.2",
            async (cipher) => {
                expect(await handshake({ maxVersion: "TLSv1.2", ciphers: cipher })).toMatchObject({ cipher });
            },
        );

        test("refuses every other cipher suite of TLS 1.3", async () => {
            const ciphers = "TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256";
            expect(await handshake({ minVersion: "TLSv1.3", ciphers })).toEqual({ alert: HANDSHAKE_FAILURE });
        });

        test("refuses every other cipher suite of TLS 1.2", async () => {
            const listed = "ECDHE+AESGCM:ECDHE+CHACHA20";
            const ciphers = `ALL:!${listed.replace(":", ":!")}:${EVERYTHING}`;
            expect(await handshake({ maxVersion: "TLSv1.2", ciphers })).toEqual({ alert: HANDSHAKE_FAILURE });
        });

        test("uses the cipher suite that the client prefers", async () => {
            const [one, other] = ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"];
            for (const ciphers of [`${one}:${other}`, `${other}:${one}`]) {
                const cipher = ciphers.split(":")[0];
                expect(await handshake({ maxVersion: "TLSv1.2", ciphers })).toMatchObject({ cipher });
            }
        });

        test.each(["X25519", "prime256v1", "secp384r1"])("agrees on a key over the curve %s", async (ecdhCurve) => {
            expect(await handshake({ minVersion: "TLSv1.3", ecdhCurve })).toMatchObject({ protocol: "TLSv1.3" });
        });

        test("refuses every other curve", async () => {
            const ecdhCurve = "secp521r1:X448:brainpoolP256r1";
            expect(await handshake({ minVersion: "TLSv1.3", ecdhCurve })).toEqual({ alert: HANDSHAKE_FAILURE });
        });

        test("issues no session tickets", async () => {
            const socket = await openTlsSocket(side.deployment.httpsPort, { maxVersion: "TLSv1.2" });
            expect(socket.getTLSTicket()).toBeUndefined();
            socket.destroy();
        });

        test.each([
            ["another server", "other.example"],
            ["no server", ""],
        ])("serves its certificate to a client that names %s, and routes by Host", async (_, servername) => {
            const { httpsPort } = side.deployment;
            const certificateFor = async (name: string) => {
                const socket = await openTlsSocket(httpsPort, { servername: name });
                const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
                socket.destroy();
                return fingerprint;
            };
            const fingerprint = await certificateFor(S3_HOST);
            expect(fingerprint).toEqual(expect.any(String));
            expect(await certificateFor(servername)).toBe(fingerprint);
            for (const [host, listener] of [
                [S3_HOST, "s3"],
                [CONSOLE_HOST, "console"],
            ] as const) {
                expect(await reached(host, { servername })).toEqual({ status: 200, listener, host });
            }
        });
    });

    /** The listener that a request with this Host reaches, and the Host that arrives there. */
    const reached = async (host: string, options: ConnectionOptions = {}) => {
        const connection = await openTlsSocket(side.deployment.httpsPort, options);
        const target = targetOfItsOwn();
        connection.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        let answer = "";
        for await (const part of connection.setEncoding("latin1") as AsyncIterable<string>) {
            answer += part;
        }
        const [head = "", body = ""] = answer.split("\r\n\r\n");
        return { status: Number(head.split(" ")[1]), ...(await arrival(target, body)) };
    };

    let requests = 0;
    const targetOfItsOwn = () => `/service/echo?request=${++requests}`;

    /** Which listener the request for a target reached, and with which Host. */
    const arrival = async (target: string, body: string) => {
        const found = (await side.node.requests()).find(({ url }) => url.endsWith(target));
        return found === undefined
            ? { listener: undefined }
            : { listener: found.listener, host: valuesOf(JSON.parse(body) as Echo, "host").join(" and ") };
    };

    describe("port 80", () => {
        const location = (path: string, host = S3_HOST) => `https://${host}:${side.deployment.httpsPort}${path}`;

        const expectRedirect = ({ status, headers }: RawAnswer, path: string, host?: string) =>
            expect({ status, location: headers["location"] }).toEqual({ status: 301, location: location(path, host) });

        test.each(["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "TRACE", "ANYTHING"])(
            "redirects %s to the same host, path and query of HTTPS",
            async (method) => {
                const target = "/a%2Fb//c?d=e%20f&g";
                expectRedirect(await side.askPlain(`${method} ${target} HTTP/1.1`, `Host: ${S3_HOST}`), target);
            },
        );

        test("redirects CONNECT, which has no path", async () => {
            expectRedirect(await side.askPlain(`CONNECT ${S3_HOST}:80 HTTP/1.1`, `Host: ${S3_HOST}:80`), "");
        });

        test.each([CONSOLE_HOST, "other.example", "s3.localhost.", "192.0.2.1", "[2001:db8::1]"])(
            "redirects to the host %s that the request names",
            async (host) => expectRedirect(await side.askPlain("GET /a HTTP/1.1", `Host: ${host}`), "/a", host),
        );

        test.each([
            [`${S3_HOST}:80`, S3_HOST],
            ["S3.LocalHost:8080", S3_HOST],
            ["[2001:db8::1]:8080", "[2001:db8::1]"],
        ])("redirects %s to the published port, whatever port it names", async (host, name) => {
            expectRedirect(await side.askPlain("GET /a HTTP/1.1", `Host: ${host}`), "/a", name);
        });

        test.each([
            "/",
            "//other.example/a",
            "/%0d%0aX:%20y",
            "/a/../b/./c/",
            "/%e4%00",
            "/?",
            "/?a?b=/../#".slice(0, -1),
        ])("redirects %s byte for byte", async (target) =>
            expectRedirect(await side.askPlain(`GET ${target} HTTP/1.1`, `Host: ${S3_HOST}`), target),
        );

        test("redirects a target in absolute form to its path and query", async () => {
            const target = `http://${S3_HOST}/a%2Fb?c=d`;
            expectRedirect(await side.askPlain(`GET ${target} HTTP/1.1`, `Host: ${S3_HOST}`), "/a%2Fb?c=d");
        });

        test("redirects a client of HTTP/1.0 that names no host to the S3 hostname", async () => {
            expectRedirect(await side.askPlain("GET /a?b HTTP/1.0"), "/a?b");
        });

        test("redirects OPTIONS * to the host", async () => {
            expectRedirect(await side.askPlain("OPTIONS * HTTP/1.1", `Host: ${S3_HOST}`), "");
        });

        test("redirects an upload at once, without its body", async () => {
            const expectation = ["Content-Length: 1000000", "Expect: 100-continue"];
            expectRedirect(await side.askPlain("PUT /a HTTP/1.1", `Host: ${S3_HOST}`, ...expectation), "/a");
        });
    });

    describe("hostnames", () => {
        const variants = (host: string) => [
            ...[host, host.toUpperCase(), host.replace("l", "L"), `${host}.`],
            ...[`${host}:1`, `${host}:8443`, `${host}.:65535`],
        ];

        test.each([
            ...[...variants(S3_HOST), `${S3_HOST}:443`].map((host) => ({ host, listener: "s3" })),
            ...[...variants(CONSOLE_HOST), `${CONSOLE_HOST}:443`].map((host) => ({ host, listener: "console" })),
        ])("Host $host reaches the listener $listener unchanged", async ({ host, listener }) => {
            expect(await reached(host)).toEqual({ status: 200, listener, host });
        });

        test.each([
            ...variants(S3_HOST).map((host) => ({ host, listener: "s3" })),
            ...variants(CONSOLE_HOST).map((host) => ({ host, listener: "console" })),
        ])("over HTTP/2, :authority $host reaches the listener $listener", async ({ host, listener }) => {
            const target = targetOfItsOwn();
            const { status, body } = await side.getHttp2(target, host);
            expect({ status, ...(await arrival(target, body)) }).toEqual({ status: 200, listener, host });
        });

        const expectNotFound = async ({ status, body }: { status?: number; body: string }, target: string) => {
            expect(status).toBe(404);
            expect(body.length).toBeLessThan(200);
            expect(await arrival(target, body)).toEqual({ listener: undefined });
        };

        const others = [
            ...["other.example", "localhost", `x${S3_HOST}`, `${S3_HOST}.example`, `${S3_HOST}..`, `.${S3_HOST}`],
            ...["127.0.0.1", "127.0.0.1:443", "[::1]", "[::1]:443"],
        ];

        /** HAProxy 3.2.26 itself refuses these before any rule: with 400, and over HTTP/2 by a reset of the stream. */
        const several = [`evil,${S3_HOST}`, `${S3_HOST},evil`, `evil:1,${S3_HOST}:443`, `${S3_HOST},${CONSOLE_HOST}`];

        const expectRefused = async (
            { status, body }: { status?: number; body: string },
            target: string,
            expected: (number | string)[],
        ) => {
            expect(expected).toContain(status ?? "reset");
            expect(await arrival(target, body)).toEqual({ listener: undefined });
        };

        test.each(several)("a Host of several names is refused: '%s'", async (host) => {
            const target = targetOfItsOwn();
            await expectRefused(await side.get(target, host), target, [400, 404]);
        });

        test.each(several)("an :authority of several names is refused: '%s'", async (host) => {
            const target = targetOfItsOwn();
            await expectRefused(await side.getHttp2(target, host), target, [400, 404, "reset"]);
        });

        test.each(["", ...others])("any other Host is answered with 404: '%s'", async (host) => {
            const target = targetOfItsOwn();
            await expectNotFound(await side.get(target, host), target);
        });

        test.each(others)("any other :authority of HTTP/2 is answered with 404: '%s'", async (host) => {
            const target = targetOfItsOwn();
            await expectNotFound(await side.getHttp2(target, host), target);
        });

        test.each(["1.0", "1.1"])("a request of HTTP/%s without Host is answered with 404", async (version) => {
            const target = targetOfItsOwn();
            await expectNotFound(await side.ask(`GET ${target} HTTP/${version}`), target);
        });

        test("a request of HTTP/1.0 with Host is served", async () => {
            const target = targetOfItsOwn();
            const { status, body } = await side.ask(`GET ${target} HTTP/1.0`, `Host: ${S3_HOST}`);
            expect({ status, ...(await arrival(target, body)) }).toEqual({
                status: 200,
                listener: "s3",
                host: S3_HOST,
            });
        });

        test("two Hosts that differ are refused", async () => {
            const target = targetOfItsOwn();
            const { status, body } = await side.get(target, S3_HOST, `Host: ${CONSOLE_HOST}`);
            expect({ status, ...(await arrival(target, body)) }).toEqual({ status: 400 });
        });

        test("several names in a target of absolute form are refused", async () => {
            const target = targetOfItsOwn();
            const answer = await side.get(`https://evil,${S3_HOST}${target}`, `evil,${S3_HOST}`);
            await expectRefused(answer, target, [400, 404]);
        });

        test("a target in absolute form is served, and reaches the store unchanged", async () => {
            const target = `https://${S3_HOST}${targetOfItsOwn()}`;
            const { status, body } = await side.get(target);
            expect({ status, ...(await arrival(target, body)) }).toEqual({
                status: 200,
                listener: "s3",
                host: S3_HOST,
            });
        });

        test.each([
            [CONSOLE_HOST, S3_HOST],
            [S3_HOST, CONSOLE_HOST],
            [S3_HOST, "other.example"],
            ["other.example", S3_HOST],
        ])("a target in absolute form at %s is refused with Host %s", async (name, host) => {
            const target = `https://${name}${targetOfItsOwn()}`;
            const { status, body } = await side.get(target, host);
            expect({ status, ...(await arrival(target, body)) }).toEqual({ status: 400 });
        });

        test.each([
            [CONSOLE_HOST, S3_HOST, "console"],
            [S3_HOST, CONSOLE_HOST, "s3"],
            [S3_HOST, "other.example", "s3"],
        ])(
            "over HTTP/2, :authority %s decides, and a Host %s is not seen by the store",
            async (name, host, listener) => {
                const target = targetOfItsOwn();
                const { status, body } = await side.getHttp2(target, name, ["host", host]);
                expect({ status, ...(await arrival(target, body)) }).toEqual({
                    status: 200,
                    listener,
                    host: name,
                });
            },
        );

        test("over HTTP/2, any other :authority is answered with 404, whatever the Host", async () => {
            const target = targetOfItsOwn();
            await expectNotFound(await side.getHttp2(target, "other.example", ["host", S3_HOST]), target);
        });

        test("over HTTP/2, Host is used if there is no :authority", async () => {
            const target = targetOfItsOwn();
            const { status, body } = await exchangeHttp2(side.deployment.httpsPort, [
                [":method", "GET"],
                [":scheme", "https"],
                [":path", target],
                ["host", CONSOLE_HOST],
            ]);
            const expected = { status: 200, listener: "console", host: CONSOLE_HOST };
            expect({ status, ...(await arrival(target, body)) }).toEqual(expected);
        });

        test("CONNECT is refused with 405", async () => {
            const { status } = await side.ask(`CONNECT ${S3_HOST}:443 HTTP/1.1`, `Host: ${S3_HOST}:443`);
            expect(status).toBe(405);
        });

        test("TRACE is refused with 405, and not answered by the store", async () => {
            const target = targetOfItsOwn();
            const { status, body } = await side.ask(`TRACE ${target} HTTP/1.1`, `Host: ${S3_HOST}`);
            expect({ status, ...(await arrival(target, body)) }).toEqual({ status: 405 });
        });

        test("over HTTP/2, CONNECT is refused with 405", async () => {
            const { status } = await exchangeHttp2(side.deployment.httpsPort, [
                [":method", "CONNECT"],
                [":authority", `${S3_HOST}:443`],
            ]);
            expect(status).toBe(405);
        });

        test("OPTIONS * is refused", async () => {
            expect((await side.ask("OPTIONS * HTTP/1.1", `Host: ${S3_HOST}`)).status).toBe(400);
        });
    });

    describe("path and query reach the store byte for byte", () => {
        const targets = [
            ...["/bucket/a%2Fb", "/bucket/a%2fb", "/bucket/a//b", "//bucket/key", "/bucket/key/", "/bucket//"],
            ...["/bucket/%41", "/bucket/a+b", "/bucket/a%20b", "/bucket/a%2Bb", "/bucket/%e4%b8%ad", "/bucket/%FF"],
            ...["/bucket/./a", "/bucket/a/../b", "/bucket/%2e%2E/b", "/bucket/..", "/bucket/...", "/bucket/a%5Cb"],
            ...["/bucket/~!$&'()*,;=:@-._", "/bucket/a;b=c", "/bucket/a%25b", "/bucket/a%253Fb", "/BUCKET/Key"],
            ...["/bucket?", "/bucket?a=%2f&b=+&&c", "/bucket?a=b?c=d/../e", "/bucket?list-type=2&prefix=%2e%2e/"],
        ];

        const targetsSeen = async () => (await side.node.requests()).map(({ url }) => url);

        test.each(targets)("%s", async (target) => {
            await side.node.clearRequests();
            await side.get(target);
            expect(await targetsSeen()).toContain(target);
        });

        test.each(targets)("over HTTP/2: %s", async (target) => {
            await side.node.clearRequests();
            await side.getHttp2(target);
            expect(await targetsSeen()).toContain(target);
        });
    });

    describe("with a given certificate that has an RSA key", () => {
        let given: TestCertificate;

        beforeAll(async () => {
            given = await makeCertificate([S3_HOST, CONSOLE_HOST], -1, 90, "rsa");
            await side.deployment.configure({ certificate: ownCertificate(given) });
            await side.deployment.up();
        }, 120_000);

        test("serves the chain in order", async () => {
            const client = await side.clientAt("public", 100);
            const command = `openssl s_client -connect ${client.proxyAddress}:8443 -showcerts </dev/null 2>&1`;
            const shown = await client.run("/bin/sh", "-c", command);
            const chain = shown.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
            expect(chain).toEqual([given.certificate.trim(), given.issuer.trim()]);
        });

        test.each(["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305"])(
            "accepts the cipher suite %s of TLS 1.2",
            async (cipher) => {
                expect(await handshake({ maxVersion: "TLSv1.2", ciphers: cipher })).toMatchObject({ cipher });
            },
        );

        test.each(["AES128-SHA", "AES128-GCM-SHA256", "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES128-GCM-SHA256"])(
            "refuses the cipher suite %s",
            async (cipher) => {
                const ciphers = `${cipher}:${EVERYTHING}`;
                expect(await handshake({ maxVersion: "TLSv1.2", ciphers })).toEqual({ alert: HANDSHAKE_FAILURE });
            },
        );
    });
});
