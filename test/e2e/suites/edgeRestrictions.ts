import { DockerHost } from "../harness/dockerHost";
import { BUCKET, PROTOCOLS, type SignedTraffic } from "../harness/signedTraffic";
import { waitUntil } from "../harness/wait";

const [SIZE, IV] = ["X-Minio-Replication-Actual-Object-Size", "X-Minio-Replication-Server-Side-Encryption-Iv"];
const REPLICA = { "X-Amz-Bucket-Replication-Status": "REPLICA" };
const CONSOLE_HOST = "console.localhost";
const NODE = "127.0.0.1:9000";
const LINK = "/api/v1/download-shared-object/";
const CONTENT = Buffer.from("shared");

/** What MinIO accepts although it should not, and the proxy refuses: CVE-2026-34204, links of the console to its own paths. */
export function edgeRestrictionsSuite(traffic: () => SignedTraffic): void {
    const path = (name: string) => `/${BUCKET}/${name}`;
    const http1 = () => traffic().proxied["HTTP/1.1"];

    describe.each(PROTOCOLS)("metadata that only replication may set, over %s", (protocol) => {
        const way = () => traffic().proxied[protocol];
        const key = (name: string) => path(`replicated-${protocol === "HTTP/2" ? "h2" : "h1"}-${name}`);

        test.each<[string, { headers?: { [name: string]: string }; query?: { [name: string]: string } }]>([
            ["in a header", { headers: { [IV]: "bm9uZQ==" } }],
            [
                "in a header, with another replication status",
                { headers: { [IV]: "bm9uZQ==", "X-Amz-Bucket-Replication-Status": "replica" } },
            ],
            ["in the query", { query: { [SIZE]: "1" } }],
            ["in the query, with the status of replication", { query: { [SIZE]: "1" }, headers: REPLICA }],
        ])("%s is refused, and nothing is stored", async (name, given) => {
            const target = key(name.replace(/\W/g, "-"));
            const request = await traffic().sign("PUT", target, { ...given, body: CONTENT });
            const { status, body } = await way()(request);
            expect([status, /<Code>(.*)<\/Code>/.exec(body.toString())?.[1]]).toEqual([403, "AccessDenied"]);
            expect((await way()(await traffic().sign("GET", target))).status).toBe(404);
        });

        test("is refused in a copy, and where an upload in parts begins", async () => {
            await traffic().direct(await traffic().sign("PUT", key("source"), { body: CONTENT }));
            const copy = { [IV]: "bm9uZQ==", ...REPLICA, "x-amz-copy-source": key("source") };
            expect((await way()(await traffic().sign("PUT", key("copy"), { headers: copy }))).status).toBe(403);
            const parts = { query: { uploads: "" }, headers: { [IV]: "bm9uZQ==" } };
            expect((await way()(await traffic().sign("POST", key("parts"), parts))).status).toBe(403);
        });

        test("reaches the store in the form of replication", async () => {
            const headers = { [SIZE]: String(CONTENT.length), ...REPLICA };
            const stored = await way()(await traffic().sign("PUT", key("replica"), { headers, body: CONTENT }));
            expect(stored.status).toBe(200);
            const read = await way()(await traffic().sign("GET", key("replica")));
            expect([read.status, read.body.toString()]).toEqual([200, CONTENT.toString()]);
        });
    });

    describe("a share link of the console", () => {
        const follow = (url: string) =>
            http1()({
                ...{
                    method: "GET",
                    target: `${LINK}${Buffer.from(url).toString("base64url")}${"=".repeat(padding(url))}`,
                },
                ...{ headers: { Host: CONSOLE_HOST }, body: Buffer.alloc(0) },
            });
        /** Characters that fill the last group of four in base64. */
        const padding = (url: string) => (3 - (Buffer.byteLength(url) % 3)) % 3;

        test("leads to an object, and isn't in the access log", async () => {
            const key = path("shared%20object");
            await traffic().direct(await traffic().sign("PUT", key, { body: CONTENT }));
            const { target } = await traffic().signer.presign({ method: "GET", host: NODE, path: key });
            const { status, body } = await follow(`http://${NODE}${target}`);
            expect([status, body.toString()]).toEqual([200, CONTENT.toString()]);
            const log = () => new DockerHost().logs(`${traffic().deployment.clusterName}-proxy`);
            await waitUntil("the request is logged", async () => (await log()).includes(`GET ${LINK}- HTTP`));
            expect(await log()).not.toContain(`${LINK}aHR0c`);
        });

        test.each([
            "/minio/health/live",
            "/minio/health/live?X-Amz-Signature=1",
            `/${BUCKET}/../minio/health/live?X-Amz-Signature=1`,
        ])("doesn't lead to a path of the node itself: %s", async (own) => {
            expect((await follow(`http://${NODE}${own}`)).status).toBe(403);
        });
    });

    test("whether browsers use nothing but HTTPS is not the store's to decide", async () => {
        const { headers } = await http1()(await traffic().sign("GET", `/${BUCKET}`));
        expect(headers["strict-transport-security"]).toBeUndefined();
        const direct = await traffic().direct(await traffic().sign("GET", `/${BUCKET}`));
        expect(direct.headers["strict-transport-security"]).toBeDefined();
    });
}
