import { CONSOLE_HOST, PublicSide, S3_HOST } from "../harness/publicSide";
import { exchangeHttp2 } from "../harness/rawHttp2";
import type { Arrivals } from "../harness/arrivals";

/** Which hostnames lead to which listener, and which to none. */
export function hostnamesSuite(side: () => PublicSide, { reached, targetOfItsOwn, arrival }: Arrivals): void {
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
            const { status, body } = await side().getHttp2(target, host);
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
            await expectRefused(await side().get(target, host), target, [400, 404]);
        });

        test.each(several)("an :authority of several names is refused: '%s'", async (host) => {
            const target = targetOfItsOwn();
            await expectRefused(await side().getHttp2(target, host), target, [400, 404, "reset"]);
        });

        test.each(["", ...others])("any other Host is answered with 404: '%s'", async (host) => {
            const target = targetOfItsOwn();
            await expectNotFound(await side().get(target, host), target);
        });

        test.each(others)("any other :authority of HTTP/2 is answered with 404: '%s'", async (host) => {
            const target = targetOfItsOwn();
            await expectNotFound(await side().getHttp2(target, host), target);
        });

        test.each(["1.0", "1.1"])("a request of HTTP/%s without Host is answered with 404", async (version) => {
            const target = targetOfItsOwn();
            await expectNotFound(await side().ask(`GET ${target} HTTP/${version}`), target);
        });

        test("a request of HTTP/1.0 with Host is served", async () => {
            const target = targetOfItsOwn();
            const { status, body } = await side().ask(`GET ${target} HTTP/1.0`, `Host: ${S3_HOST}`);
            expect({ status, ...(await arrival(target, body)) }).toEqual({
                status: 200,
                listener: "s3",
                host: S3_HOST,
            });
        });

        test("two Hosts that differ are refused", async () => {
            const target = targetOfItsOwn();
            const { status, body } = await side().get(target, S3_HOST, `Host: ${CONSOLE_HOST}`);
            expect({ status, ...(await arrival(target, body)) }).toEqual({ status: 400 });
        });

        test("several names in a target of absolute form are refused", async () => {
            const target = targetOfItsOwn();
            const answer = await side().get(`https://evil,${S3_HOST}${target}`, `evil,${S3_HOST}`);
            await expectRefused(answer, target, [400, 404]);
        });

        test("a target in absolute form is served, and reaches the store unchanged", async () => {
            const target = `https://${S3_HOST}${targetOfItsOwn()}`;
            const { status, body } = await side().get(target);
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
            const { status, body } = await side().get(target, host);
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
                const { status, body } = await side().getHttp2(target, name, ["host", host]);
                expect({ status, ...(await arrival(target, body)) }).toEqual({
                    status: 200,
                    listener,
                    host: name,
                });
            },
        );

        test("over HTTP/2, any other :authority is answered with 404, whatever the Host", async () => {
            const target = targetOfItsOwn();
            await expectNotFound(await side().getHttp2(target, "other.example", ["host", S3_HOST]), target);
        });

        test("over HTTP/2, Host is used if there is no :authority", async () => {
            const target = targetOfItsOwn();
            const { status, body } = await exchangeHttp2(side().deployment.httpsPort, [
                [":method", "GET"],
                [":scheme", "https"],
                [":path", target],
                ["host", CONSOLE_HOST],
            ]);
            const expected = { status: 200, listener: "console", host: CONSOLE_HOST };
            expect({ status, ...(await arrival(target, body)) }).toEqual(expected);
        });

        test("CONNECT is refused with 405", async () => {
            const { status } = await side().ask(`CONNECT ${S3_HOST}:443 HTTP/1.1`, `Host: ${S3_HOST}:443`);
            expect(status).toBe(405);
        });

        test("TRACE is refused with 405, and not answered by the store", async () => {
            const target = targetOfItsOwn();
            const { status, body } = await side().ask(`TRACE ${target} HTTP/1.1`, `Host: ${S3_HOST}`);
            expect({ status, ...(await arrival(target, body)) }).toEqual({ status: 405 });
        });

        test("over HTTP/2, CONNECT is refused with 405", async () => {
            const { status } = await exchangeHttp2(side().deployment.httpsPort, [
                [":method", "CONNECT"],
                [":authority", `${S3_HOST}:443`],
            ]);
            expect(status).toBe(405);
        });

        test("OPTIONS * is refused", async () => {
            expect((await side().ask("OPTIONS * HTTP/1.1", `Host: ${S3_HOST}`)).status).toBe(400);
        });
    });
}
