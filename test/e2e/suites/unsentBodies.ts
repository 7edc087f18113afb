import { RawConnection } from "../harness/rawConnection";
import type { WireRequest } from "../harness/signedRequest";
import { BUCKET, type SignedTraffic } from "../harness/signedTraffic";

const EXPECT = { expect: "100-continue" };
const BODY = Buffer.from("0123456789".repeat(10));

/**
 * Requests that are answered before their body was sent, as clients that expect `100 Continue` leave it out then: the next
 * request on that connection would be read as the body. Over HTTP/2 each request ends by itself.
 */
export function unsentBodiesSuite(traffic: () => SignedTraffic): void {
    const path = (name: string) => `/${BUCKET}/${name}`;
    const put = (name: string, headers: { [name: string]: string } = {}) =>
        traffic().sign("PUT", path(name), { headers, body: BODY });
    const head = ({ method, target, headers }: WireRequest) =>
        `${[`${method} ${target} HTTP/1.1`, ...Object.entries(headers).map((field) => field.join(": "))].join("\r\n")}\r\n\r\n`;
    const withUnsentBody = (method: string, target: string, host = traffic().host) =>
        head({
            method,
            target,
            headers: { Host: host, ...EXPECT, "content-length": String(BODY.length) },
            body: BODY,
        });

    /** Requests, and what answers them. */
    const early: { [name: string]: [status: number, text: () => Promise<string>] } = {
        "an upload to a bucket that doesn't exist": [
            404,
            async () => head(await traffic().sign("PUT", "/no-such-bucket/key", { headers: EXPECT, body: BODY })),
        ],
        "an upload with a wrong signature": [
            403,
            async () => {
                const request = { method: "PUT", path: path("refused"), host: traffic().host };
                return head(await traffic().stranger.sign({ ...request, headers: EXPECT, body: BODY }));
            },
        ],
        "a download with a body, which the store doesn't read": [
            200,
            async () => {
                await traffic().direct(await put("read"));
                const get = { method: "GET", path: path("read"), host: traffic().host };
                return withUnsentBody("GET", (await traffic().signer.presign(get)).target);
            },
        ],
        "a path that the proxy closes": [403, () => Promise.resolve(withUnsentBody("PUT", "/minio/admin/v3/info"))],
        "a hostname that the proxy doesn't know": [
            404,
            () => Promise.resolve(withUnsentBody("PUT", "/", "other.example")),
        ],
    };

    describe("an answer before the body was sent ends the connection", () => {
        const answerOn = async (connection: RawConnection, request: string) => {
            connection.write(request);
            const { status, headers } = await connection.answer();
            connection.destroy();
            return { status, connection: headers["connection"] };
        };

        test.each(Object.entries(early))("%s", async (_, [status, text]) => {
            const connection = await RawConnection.openTls(traffic().deployment.httpsPort);
            expect(await answerOn(connection, await text())).toEqual({ status, connection: "close" });
        });

        // RustFS asks for the body first, so a client sends it, and the connection stays in order.
        test("an upload that the store refuses since the object exists", async () => {
            await traffic().direct(await put("there"));
            const connection = await RawConnection.openTls(traffic().deployment.httpsPort);
            connection.write(head(await put("there", { ...EXPECT, "If-None-Match": "*" })));
            const asked = (await connection.answer()).status === 100;
            if (asked) {
                connection.write(BODY);
                await connection.until(() => connection.text().includes("HTTP/1.1 412 "));
            }
            expect(connection.text()).toContain("HTTP/1.1 412 ");
            expect(/^connection: close/im.test(connection.text())).toBe(!asked);
            connection.destroy();
        });

        test("port 80", async () => {
            const connection = await RawConnection.open(traffic().deployment.httpPort);
            const request = withUnsentBody("PUT", path("redirected"));
            expect(await answerOn(connection, request)).toEqual({ status: 301, connection: "close" });
        });
    });

    test("uploads whose body the store has asked for follow each other on one connection", async () => {
        const connection = await RawConnection.openTls(traffic().deployment.httpsPort);
        const statusesIn = () => [...connection.text().matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => status);
        const expected: string[] = [];
        for (const name of ["first", "second", "third"]) {
            connection.write(head(await put(name, EXPECT)));
            expected.push("100");
            await connection.until(() => statusesIn().length === expected.length);
            connection.write(BODY);
            expected.push("200");
            await connection.until(() => statusesIn().length === expected.length);
        }
        expect(statusesIn()).toEqual(expected);
        connection.destroy();
    });
}
