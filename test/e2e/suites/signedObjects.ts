import { createHash } from "node:crypto";
import { sameOutcomesOf } from "../harness/outcome";
import { BUCKET, type SignedTraffic } from "../harness/signedTraffic";

const CONTENT = "0123456789".repeat(10);

/** Requests for one object, whose responses have the same headers and bodies with and without the proxy. */
export function signedObjectsSuite(traffic: () => SignedTraffic): void {
    const put = (key: string, headers: { [name: string]: string } = {}, content = CONTENT) =>
        traffic().sign("PUT", `/${BUCKET}/${key}`, { headers, body: Buffer.from(content) });
    const read = (method: string, key: string, headers: { [name: string]: string } = {}) =>
        traffic().sign(method, `/${BUCKET}/${key}`, { headers });

    test("a wrong secret key is refused by the store", async () => {
        const { stranger, host } = traffic();
        const request = await stranger.sign({ method: "GET", path: `/${BUCKET}`, host });
        const [answer] = await sameOutcomesOf(traffic(), request);
        expect(answer).toMatchObject({ status: 403, code: "SignatureDoesNotMatch" });
    });

    test("a range request returns these bytes", async () => {
        const [, answer] = await sameOutcomesOf(
            traffic(),
            await put("range"),
            await read("GET", "range", { Range: "bytes=12-15" }),
        );
        expect(answer).toMatchObject({ status: 206, body: "2345", headers: { "content-range": "bytes 12-15/100" } });
    });

    test("a range beyond the end gets a 416", async () => {
        const [, answer] = await sameOutcomesOf(
            traffic(),
            await put("range"),
            await read("GET", "range", { Range: "bytes=100-199" }),
        );
        expect(answer).toMatchObject({ status: 416, code: "InvalidRange" });
    });

    test("HEAD returns the length without a body", async () => {
        const [, answer] = await sameOutcomesOf(traffic(), await put("head"), await read("HEAD", "head"));
        expect(answer).toMatchObject({ status: 200, body: "", headers: { "content-length": "100" } });
    });

    test("DELETE is a 204 without a body, and the object is gone", async () => {
        const [, removed, answer] = await sameOutcomesOf(
            traffic(),
            await put("delete"),
            await read("DELETE", "delete"),
            await read("GET", "delete"),
        );
        expect(removed).toMatchObject({ status: 204, body: "" });
        expect(answer).toMatchObject({ status: 404, code: "NoSuchKey" });
    });

    test("an empty body is an object of no bytes", async () => {
        const [, answer] = await sameOutcomesOf(traffic(), await put("empty", {}, ""), await read("GET", "empty"));
        expect(answer).toMatchObject({ status: 200, body: "", headers: { "content-length": "0" } });
    });

    test("an ETag has its quotes", async () => {
        const etag = `"${createHash("md5").update(CONTENT).digest("hex")}"`;
        const [written, answer] = await sameOutcomesOf(traffic(), await put("etag"), await read("GET", "etag"));
        expect([written?.headers["etag"], answer?.headers["etag"]]).toEqual([etag, etag]);
    });

    test("metadata is returned: mixed case, underscores, UTF-8, several spaces", async () => {
        const metadata = {
            "x-amz-meta-mixed-case": "Mixed Case",
            "x-amz-meta-with_underscore": "with_underscore",
            "x-amz-meta-spaces": "two  spaces",
        };
        const [, answer] = await sameOutcomesOf(
            traffic(),
            await put("metadata", {
                "X-Amz-Meta-Mixed-Case": metadata["x-amz-meta-mixed-case"],
                "x-amz-meta-with_underscore": metadata["x-amz-meta-with_underscore"],
                "x-amz-meta-spaces": metadata["x-amz-meta-spaces"],
                // How it is returned depends on the store.
                "x-amz-meta-utf8": "Grüße, 日本",
            }),
            await read("GET", "metadata"),
        );
        expect(answer).toMatchObject({ status: 200, headers: metadata });
    });
}
