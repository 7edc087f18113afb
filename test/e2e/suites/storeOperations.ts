import { outcomesOf, sameOutcomesOf } from "../harness/outcome";
import type { UnsignedRequest } from "../harness/signedRequest";
import { BUCKET, PROTOCOLS, type SignedTraffic } from "../harness/signedTraffic";
import type { Route } from "../harness/wire";

const MIB = 1024 * 1024;
const CONTENT = Buffer.from("0123456789".repeat(10));

/** S3 operations that only real stores support, not the stand-in. */
export function storeOperationsSuite(traffic: () => SignedTraffic): void {
    const key = (name: string) => `/${BUCKET}/${name}`;
    const put = (name: string) => traffic().sign("PUT", key(name), { body: CONTENT });
    const etagOf = async (name: string) => {
        const [answer] = await outcomesOf(traffic().direct, [await put(name)]);
        return answer?.headers["etag"] ?? "";
    };

    test("a range of the last bytes returns these bytes", async () => {
        const get = await traffic().sign("GET", key("suffix"), { headers: { Range: "bytes=-4" } });
        const [, answer] = await sameOutcomesOf(traffic(), await put("suffix"), get);
        expect(answer).toMatchObject({ status: 206, body: "6789", headers: { "content-range": "bytes 96-99/100" } });
    });

    test("If-None-Match with the object's ETag gets a 304 without a body", async () => {
        const headers = { "If-None-Match": await etagOf("unchanged") };
        const [answer] = await sameOutcomesOf(traffic(), await traffic().sign("GET", key("unchanged"), { headers }));
        expect(answer).toMatchObject({ status: 304, body: "" });
    });

    test("If-Match with another ETag gets a 412", async () => {
        const headers = { "If-Match": `"${"0".repeat(32)}"` };
        const get = await traffic().sign("GET", key("changed"), { headers });
        const [, answer] = await sameOutcomesOf(traffic(), await put("changed"), get);
        expect(answer).toMatchObject({ status: 412, code: "PreconditionFailed" });
    });

    test("If-None-Match: * for an existing object gets a 412", async () => {
        const again = await traffic().sign("PUT", key("once"), { headers: { "If-None-Match": "*" }, body: CONTENT });
        const [, answer] = await sameOutcomesOf(traffic(), await put("once"), again);
        expect(answer).toMatchObject({ status: 412, code: "PreconditionFailed" });
    });

    test("a presigned GET is answered with the headers in its query", async () => {
        const { signer, host } = traffic();
        const asked = {
            "content-type": 'text/plain; name="a/b+c&d"',
            "content-disposition": 'attachment; filename="100% sure.txt"',
        };
        const query = Object.fromEntries(Object.entries(asked).map(([name, value]) => [`response-${name}`, value]));
        const get = await signer.presign({ method: "GET", host, path: key("response%20headers"), query });
        const [, answer] = await sameOutcomesOf(traffic(), await put("response%20headers"), get);
        expect(answer).toMatchObject({ status: 200, body: CONTENT.toString(), headers: asked });
    });

    // S3 limits the size of metadata to 2 KiB, names included, and not their number.
    describe.each(PROTOCOLS)("metadata of many small pairs, over %s", (protocol) => {
        test.each([85, 90, 140, 300, 600, 800])(
            "%i pairs: what is stored can be read, or the error is S3's",
            async (number) => {
                const path = key(`pairs-${number}-${protocol === "HTTP/2" ? "h2" : "h1"}`);
                const pairs = Object.fromEntries(
                    Array.from({ length: number }, (_, index) => [`x-amz-meta-${index.toString(36)}`, "v"]),
                );
                const way = traffic().proxied[protocol];
                const stored = await way(await traffic().sign("PUT", path, { headers: pairs, body: CONTENT }));
                if (number >= 300) {
                    expect(stored.status).toBe(400);
                }
                if (stored.status !== 200) {
                    expect(stored.body.toString()).toMatch(/<Code>(MetadataTooLarge|RequestHeaderSectionTooLarge)</);
                    return;
                }
                for (const method of ["GET", "HEAD"]) {
                    const read = await way(await traffic().sign(method, path));
                    expect(read).toMatchObject({ status: 200, headers: pairs });
                }
            },
        );
    });

    test.each(PROTOCOLS)(
        "%s: an upload in three parts is one object",
        async (protocol) => {
            const parts = ["a", "b", "c"].map((letter, index) => Buffer.alloc(index < 2 ? 5 * MIB : 1000, letter));
            const way = traffic().proxied[protocol];
            await uploadInParts(traffic(), way, key("parts%20of%20one"), parts);
            const answer = await way(await traffic().sign("GET", key("parts%20of%20one")));
            expect(answer.status).toBe(200);
            expect(answer.headers["etag"]).toMatch(/^"[0-9a-f]{32}-3"$/);
            expect(answer.body.equals(Buffer.concat(parts))).toBe(true);
        },
        60_000,
    );

    test("Expect: 100-continue: a store that refuses does so before the body is sent", async () => {
        const { stranger, host } = traffic();
        const headers = { expect: "100-continue" };
        const request = await stranger.sign({ method: "PUT", path: key("refused"), host, headers, body: CONTENT });
        const [answer] = await sameOutcomesOf(traffic(), request);
        expect(answer).toMatchObject({ status: 403, code: "SignatureDoesNotMatch", continued: false });
    }, 30_000);
}

async function uploadInParts(traffic: SignedTraffic, way: Route, path: string, parts: Buffer[]): Promise<void> {
    const send = async (method: string, rest: Partial<UnsignedRequest>) => {
        const { status, headers, body } = await way(await traffic.sign(method, path, rest));
        expect({ method, ...rest.query, status }).toEqual({ method, ...rest.query, status: 200 });
        return { etag: headers["etag"] ?? "", text: body.toString("utf8") };
    };
    const { text } = await send("POST", { query: { uploads: "" } });
    const [, uploadId = ""] = /<UploadId>(.*)<\/UploadId>/.exec(text) ?? [];
    const etags: string[] = [];
    for (const [index, body] of parts.entries()) {
        const { etag } = await send("PUT", { query: { partNumber: String(index + 1), uploadId }, body });
        etags.push(etag);
    }
    const list = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`);
    await send("POST", { query: { uploadId }, body });
}
