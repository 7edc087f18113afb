import { signStreaming } from "../harness/awsChunkedBody";
import type { WireRequest } from "../harness/signedRequest";
import { BUCKET, PROTOCOLS, type SignedTraffic } from "../harness/signedTraffic";

const PAYLOAD = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
const CREDENTIAL = "X-Amz-Credential";
const SNOWBALL = "X-Amz-Meta-Snowball-Auto-Extract";

/**
 * Uploads of an attacker who only knows an access key: they are not signed with its secret key (CVE-2026-40344,
 * CVE-2026-41145).
 */
export function unverifiedUploadsSuite(traffic: () => SignedTraffic): void {
    /** A well-formed signature, made with a wrong secret key. */
    const forged = async (path: string) => {
        const { stranger, host } = traffic();
        return signStreaming(stranger, { method: "PUT", path, host }, PAYLOAD, [Buffer.from("by nobody")]);
    };
    const scopeOf = ({ headers }: WireRequest) =>
        encodeURIComponent(/Credential=([^,]+),/.exec(headers["authorization"] ?? "")?.[1] ?? "");
    const withoutAuthorization = ({ headers, ...request }: WireRequest): WireRequest => {
        const others = { ...headers };
        delete others["authorization"];
        return { ...request, headers: others };
    };

    const withHeader = (request: WireRequest, name: string, value: string): WireRequest => ({
        ...request,
        headers: { ...request.headers, [name]: value },
    });
    const withQuery = (request: WireRequest, query: string): WireRequest => ({
        ...request,
        target: `${request.target}${request.target.includes("?") ? "&" : "?"}${query}`,
    });
    const byQuery = (request: WireRequest, name = CREDENTIAL) =>
        withQuery(withoutAuthorization(request), `${name}=${scopeOf(request)}`);

    /** Ways to send it. Each one contains the right access key. */
    const attacks: { [name: string]: (request: WireRequest) => WireRequest } = {
        "with the access key in the query": (request) => byQuery(request),
        "with the access key in the query, presigned in form": (request) =>
            withQuery(
                byQuery(request),
                `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=0&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Date=${request.headers["x-amz-date"]}`,
            ),
        "with the parameter's name encoded": (request) => byQuery(request, "X%2DAmz%2dCredenti%61l"),
        "with the access key in the query twice": (request) =>
            withQuery(byQuery(request), `${CREDENTIAL}=${scopeOf(request)}`),
        "with a query that can't be decoded": (request) => withQuery(byQuery(request), "x=%zz"),
        "with an empty Authorization": (request) => withHeader(byQuery(request), "authorization", ""),
        "with another kind of Authorization": (request) => withHeader(byQuery(request), "authorization", "Bearer x"),
        "with the header's name in other case": (request) => {
            const { "x-amz-content-sha256": payload = "", ...headers } = byQuery(request).headers;
            return { ...byQuery(request), headers: { ...headers, "X-AMZ-Content-SHA256": payload } };
        },
        "with the payload type in the query as well": (request) =>
            withQuery(byQuery(request), `X-Amz-Content-Sha256=${PAYLOAD}`),
        "with a forged Authorization and the access key in the query": (request) =>
            withQuery(request, `${CREDENTIAL}=${scopeOf(request)}`),
        "with a forged Authorization": (request) => request,
        "with a forged Authorization, as an archive to unpack": (request) => withHeader(request, SNOWBALL, "true"),
        "without any, as an archive to unpack": (request) => withHeader(byQuery(request), SNOWBALL, "true"),
    };

    describe.each(PROTOCOLS)("an upload without a valid signature, over %s", (protocol) => {
        test.each(Object.entries(attacks))("%s is refused, and nothing is stored", async (name, attack) => {
            const path = `/${BUCKET}/unsigned-${protocol === "HTTP/2" ? "h2" : "h1"}-${name.replace(/\W/g, "-")}`;
            const way = traffic().proxied[protocol];
            const { status } = await way(attack(await forged(path)));
            expect([400, 403]).toContain(status);
            const read = await way(await traffic().sign("GET", path));
            expect(read.status).toBe(404);
        });

        test("is refused as a part of a multipart upload", async () => {
            const way = traffic().proxied[protocol];
            const path = `/${BUCKET}/unsigned-part`;
            const begun = await way(await traffic().sign("POST", path, { query: { uploads: "" } }));
            const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(begun.body.toString())?.[1] ?? "";
            expect(uploadId).not.toBe("");
            const part = withQuery(await forged(path), `partNumber=1&uploadId=${encodeURIComponent(uploadId)}`);
            expect((await way(byQuery(part))).status).toBe(403);
            const query = { uploadId };
            const listed = await way(await traffic().sign("GET", path, { query }));
            expect([listed.status, /<Part>/.test(listed.body.toString())]).toEqual([200, false]);
            expect((await way(await traffic().sign("DELETE", path, { query }))).status).toBe(204);
        });
    });
}
