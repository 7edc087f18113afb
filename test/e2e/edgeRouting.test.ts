import { request } from "node:https";
import { connect } from "node:http2";
import type { ConnectionOptions } from "node:tls";
import { makeCertificate, ownCertificate, type TestCertificate } from "../certificates";
import { agentFor } from "./harness/clients";
import { CONSOLE_HOST, PublicSide, S3_HOST } from "./harness/publicSide";
import { openTlsSocket } from "./harness/rawConnection";
import { arrivalsAt } from "./harness/arrivals";
import { hostnamesSuite } from "./suites/hostnames";
import { redirectSuite } from "./suites/redirect";

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

    const arrivals = arrivalsAt(() => side);

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
                expect(await arrivals.reached(host, { servername })).toEqual({ status: 200, listener, host });
            }
        });
    });

    redirectSuite(() => side);

    hostnamesSuite(() => side, arrivals);

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
