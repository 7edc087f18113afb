import { CONSOLE_HOST, PublicSide, S3_HOST } from "../harness/publicSide";
import type { RawAnswer } from "../harness/rawConnection";

/** What port 80 answers. */
export function redirectSuite(side: () => PublicSide): void {
    describe("port 80", () => {
        const location = (path: string, host = S3_HOST) => `https://${host}:${side().deployment.httpsPort}${path}`;

        const expectRedirect = ({ status, headers }: RawAnswer, path: string, host?: string) =>
            expect({ status, location: headers["location"] }).toEqual({ status: 301, location: location(path, host) });

        test.each(["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "TRACE", "ANYTHING"])(
            "redirects %s to the same host, path and query of HTTPS",
            async (method) => {
                const target = "/a%2Fb//c?d=e%20f&g";
                expectRedirect(await side().askPlain(`${method} ${target} HTTP/1.1`, `Host: ${S3_HOST}`), target);
            },
        );

        test("redirects CONNECT, which has no path", async () => {
            expectRedirect(await side().askPlain(`CONNECT ${S3_HOST}:80 HTTP/1.1`, `Host: ${S3_HOST}:80`), "");
        });

        test.each([CONSOLE_HOST, "other.example", "s3.localhost.", "192.0.2.1", "[2001:db8::1]"])(
            "redirects to the host %s that the request names",
            async (host) => expectRedirect(await side().askPlain("GET /a HTTP/1.1", `Host: ${host}`), "/a", host),
        );

        test.each([
            [`${S3_HOST}:80`, S3_HOST],
            ["S3.LocalHost:8080", S3_HOST],
            ["[2001:db8::1]:8080", "[2001:db8::1]"],
        ])("redirects %s to the published port, whatever port it names", async (host, name) => {
            expectRedirect(await side().askPlain("GET /a HTTP/1.1", `Host: ${host}`), "/a", name);
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
            expectRedirect(await side().askPlain(`GET ${target} HTTP/1.1`, `Host: ${S3_HOST}`), target),
        );

        test("redirects a target in absolute form to its path and query", async () => {
            const target = `http://${S3_HOST}/a%2Fb?c=d`;
            expectRedirect(await side().askPlain(`GET ${target} HTTP/1.1`, `Host: ${S3_HOST}`), "/a%2Fb?c=d");
        });

        test("redirects a client of HTTP/1.0 that names no host to the S3 hostname", async () => {
            expectRedirect(await side().askPlain("GET /a?b HTTP/1.0"), "/a?b");
        });

        test("redirects OPTIONS * to the host", async () => {
            expectRedirect(await side().askPlain("OPTIONS * HTTP/1.1", `Host: ${S3_HOST}`), "");
        });

        test("redirects an upload at once, without its body", async () => {
            const expectation = ["Content-Length: 1000000", "Expect: 100-continue"];
            expectRedirect(await side().askPlain("PUT /a HTTP/1.1", `Host: ${S3_HOST}`, ...expectation), "/a");
        });
    });
}
