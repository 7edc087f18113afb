import { ODD_KEYS } from "../harness/oddKeys";
import type { WireRequest } from "../harness/signedRequest";
import { BUCKET, PROTOCOLS, type Protocol, type SignedTraffic } from "../harness/signedTraffic";

/** Path of the stand-in that returns the request as received. */
const ECHO_PATH = "/service/echo";

/** Compares byte by byte what arrives at the store, on the stand-in. */
export function recordedRequestsSuite(traffic: () => SignedTraffic): void {
    test.each(PROTOCOLS)(
        "%s: a key's path in any spelling reaches the store unchanged, and is accepted",
        async (protocol) => {
            const { standIn, proxied } = traffic();
            await standIn.clearRequests();
            const targets = Object.values(ODD_KEYS).map((key) => `/${BUCKET}/${key}`);
            for (const target of targets) {
                await proxied[protocol](await traffic().sign("PUT", target, { body: Buffer.from("content") }));
            }
            const seen = (await standIn.requests()).filter(({ method }) => method === "PUT");
            expect(seen.map(({ url, status }) => ({ url, status }))).toEqual(
                targets.map((url) => ({ url, status: 200 })),
            );
        },
        60_000,
    );

    test.each(PROTOCOLS)("%s: the query reaches the store byte for byte, and is accepted", async (protocol) => {
        const { standIn, proxied } = traffic();
        await standIn.clearRequests();
        const request = await traffic().sign("GET", `/${BUCKET}`, { query: { marker: "", prefix: "a/b c+d%" } });
        // The signature covers the decoded value; this is another encoding of it.
        const target = request.target.replace("marker=", "marker").replace("%2F", "%2f").replace("%20", "+");
        await proxied[protocol]({ ...request, target });
        const seen = (await standIn.requests()).filter(({ route }) => route === "s3");
        expect(seen.map(({ url, status }) => ({ url, status }))).toEqual([{ url: target, status: 200 }]);
    });

    test.each(PROTOCOLS)("%s: Host reaches the store byte for byte", async (protocol) => {
        for (const host of [traffic().host, "S3.LocalHost:1234", "s3.localhost."]) {
            const request = await traffic().signer.sign({ method: "GET", path: ECHO_PATH, host });
            expect(await received(traffic(), protocol, request, "host")).toBe(host);
        }
    });

    test.each(PROTOCOLS)("%s: values of metadata reach the store byte for byte", async (protocol) => {
        const value = "Grüße,  日本, Under_Score";
        const request = await traffic().sign("GET", ECHO_PATH, { headers: { "X-Amz-Meta-With_Underscore": value } });
        const bytes = await received(traffic(), protocol, request, "x-amz-meta-with_underscore");
        expect(Buffer.from(bytes, "latin1").toString("utf8")).toBe(value);
    });
}

/** Value of a header as the stand-in received it; each character is one byte. */
async function received(
    { proxied }: SignedTraffic,
    protocol: Protocol,
    request: WireRequest,
    header: string,
): Promise<string> {
    const { body } = await proxied[protocol](request);
    const { rawHeaders } = JSON.parse(body.toString("utf8")) as { rawHeaders: string[] };
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names.filter((name) => name === header)).toHaveLength(1);
    return rawHeaders[2 * names.indexOf(header) + 1] ?? "";
}
