import { PublicSide, S3_HOST } from "../harness/publicSide";
import { exchangeHttp2, type Http2Headers } from "../harness/rawHttp2";

/** The headers of a GET over HTTP/2. */
export const http2Get = (path: string, ...more: Http2Headers): Http2Headers => [
    [":method", "GET"],
    [":scheme", "https"],
    [":path", path],
    [":authority", S3_HOST],
    ...more,
];

/** How large a request may be. */
export function sizeLimitsSuite(side: () => PublicSide): void {
    describe("size", () => {
        const large = (length: number) => "a".repeat(length);
        const many = Array.from({ length: 200 }, (_, index) => `X-${index}`);

        test("a header of 64 KiB is refused, and doesn't reach the store", async () => {
            const target = "/service/echo?large-header";
            expect((await side().get(target, S3_HOST, `X-Large: ${large(64 * 1024)}`)).status).toBe(431);
            expect((await side().node.record()).filter(({ bytes }) => bytes.includes(target))).toEqual([]);
        });

        test("a target of 64 KiB is refused", async () => {
            expect((await side().get(`/${large(64 * 1024)}`)).status).toBe(414);
        });

        test("200 headers are refused", async () => {
            expect((await side().get("/service/echo", S3_HOST, ...many.map((name) => `${name}: a`))).status).toBe(400);
        });

        test("over HTTP/2, headers beyond 32 KiB are refused", async () => {
            const headers = http2Get(
                "/service/echo",
                ["x-large", large(16 * 1024)],
                ["x-larger", large(16 * 1024 - 256)],
            );
            const { status = 431, error } = await exchangeHttp2(side().deployment.httpsPort, headers);
            expect(status >= 400 || error !== undefined).toBe(true);
        });

        test("over HTTP/2, 200 headers are refused", async () => {
            const headers = http2Get(
                "/service/echo",
                ...many.map((name): [string, string] => [name.toLowerCase(), "a"]),
            );
            const { status = 400, error } = await exchangeHttp2(side().deployment.httpsPort, headers);
            expect(status >= 400 || error !== undefined).toBe(true);
        });
    });
}
