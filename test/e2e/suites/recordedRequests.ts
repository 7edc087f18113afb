import { ODD_KEYS } from "../harness/oddKeys";
import { BUCKET, PROTOCOLS, type SignedTraffic } from "../harness/signedTraffic";

/** What arrives at the store, looked at byte by byte, on the stand-in. */
export function recordedRequestsSuite(traffic: () => SignedTraffic): void {
    test.each(PROTOCOLS)(
        "%s: the path of a key in any spelling reaches the store byte for byte, and is accepted",
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

    test.each(PROTOCOLS)("%s: the query reaches the store byte for byte", async (protocol) => {
        const { standIn, proxied } = traffic();
        await standIn.clearRequests();
        const request = await traffic().sign("GET", `/${BUCKET}`, { query: { prefix: "a/b c+d%", marker: "" } });
        // The signature covers what is meant; this is another way to write it.
        const target = request.target.replace("%2F", "%2f").replace("%20", "+").replace("marker=", "marker");
        const { status } = await proxied[protocol]({ ...request, target });
        const seen = (await standIn.requests()).filter(({ route }) => route === "s3");
        expect({ status, seen: seen.map(({ url }) => url) }).toEqual({ status: 200, seen: [target] });
    });

    test.each(PROTOCOLS)("%s: Host reaches the store byte for byte", async (protocol) => {
        const { signer, standIn, proxied } = traffic();
        const path = `/${BUCKET}/seen-host`;
        const hosts = [traffic().host, "S3.LocalHost:1234", "s3.localhost."];
        await standIn.clearRecord();
        for (const host of hosts) {
            await proxied[protocol](await signer.sign({ method: "GET", path, host }));
        }
        expect(await headerLines(traffic(), path, "host")).toEqual(hosts);
    });

    test.each(PROTOCOLS)("%s: values of metadata reach the store byte for byte", async (protocol) => {
        const { standIn, proxied } = traffic();
        const path = `/${BUCKET}/seen-metadata`;
        const value = "Grüße,  日本, Under_Score";
        await standIn.clearRecord();
        await proxied[protocol](
            await traffic().sign("PUT", path, { headers: { "X-Amz-Meta-With_Underscore": value } }),
        );
        expect(await headerLines(traffic(), path, "x-amz-meta-with_underscore")).toEqual([value]);
    });
}

/** Values of a header in the requests for a path, in the order in which they came. */
async function headerLines({ standIn }: SignedTraffic, path: string, header: string): Promise<string[]> {
    const received = (await standIn.record()).map(({ bytes }) => bytes.toString("utf8")).join("");
    const requests = received.split(/(?<=\r\n\r\n)/).filter((head) => head.includes(` ${path} HTTP/1.1\r\n`));
    return requests.flatMap((head) => new RegExp(`^${header}: (.*)\r$`, "im").exec(head)?.[1] ?? []);
}
