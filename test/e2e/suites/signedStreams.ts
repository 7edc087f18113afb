import { signStreaming, STREAMING_PAYLOADS, type StreamingPayload } from "../harness/awsChunkedBody";
import { sameOutcomesOf } from "../harness/outcome";
import { inHttpChunks, type WireRequest } from "../harness/signedRequest";
import { BUCKET, type SignedTraffic } from "../harness/signedTraffic";

const KIB = 1024;

/** Bodies in chunks (`aws-chunked`), and bodies that wait for `100 Continue`. */
export function signedStreamsSuite(traffic: () => SignedTraffic): void {
    const stream = (key: string, payload: StreamingPayload, chunks: Buffer[]): Promise<WireRequest> => {
        const { signer, host } = traffic();
        return signStreaming(signer, { method: "PUT", path: `/${BUCKET}/${key}`, host }, payload, chunks);
    };
    const chunks = ["a", "b", "c"].map((letter, index) => Buffer.alloc(8 * KIB + index, letter));
    const content = Buffer.concat(chunks).toString("latin1");

    describe.each(STREAMING_PAYLOADS)("%s", (payload) => {
        test.each([
            { framing: "Content-Length", framed: (request: WireRequest) => request },
            { framing: "Transfer-Encoding: chunked", framed: inHttpChunks },
        ])("with $framing is stored", async ({ framed }) => {
            const put = framed(await stream("stream", payload, chunks));
            const get = await traffic().sign("GET", `/${BUCKET}/stream`);
            const [written, answer] = await sameOutcomesOf(traffic(), put, get);
            expect(written?.status).toBe(200);
            expect(answer?.body).toBe(content);
        });

        test.each(DAMAGES.filter(({ payloads }) => payloads.test(payload)))(
            "with $damage is refused, and nothing is stored",
            async ({ change }) => {
                const put = await stream("damaged", payload, chunks);
                const body = Buffer.from(change(put.body.toString("latin1")), "latin1");
                expect(body.equals(put.body)).toBe(false);
                const get = await traffic().sign("GET", `/${BUCKET}/damaged`);
                const [refused, answer] = await sameOutcomesOf(traffic(), { ...put, body }, get);
                expect(refused?.status).toBeGreaterThanOrEqual(400);
                expect(answer).toMatchObject({ status: 404, code: "NoSuchKey" });
            },
        );
    });

    test("Expect: 100-continue: the body is sent once the store asks for it", async () => {
        const body = Buffer.from("a body that waits");
        const put = await traffic().sign("PUT", `/${BUCKET}/expected`, { headers: { expect: "100-continue" }, body });
        const get = await traffic().sign("GET", `/${BUCKET}/expected`);
        const [written, answer] = await sameOutcomesOf(traffic(), put, get);
        expect(written).toMatchObject({ status: 200, continued: true });
        expect(answer?.body).toBe(body.toString("latin1"));
    }, 30_000);
}

/** A way to falsify a body. */
interface Damage {
    damage: string;
    change: (body: string) => string;
    /** Payloads for which it is possible. */
    payloads: RegExp;
}

/**
 * Each error is found at the end of the body. A store that refuses earlier may close the connection before its response
 * is read.
 */
const DAMAGES: Damage[] = [
    {
        damage: "other content",
        change: (body) => body.replace(/(?<=c{9})c(?=\r)/, "x"),
        payloads: /./,
    },
    {
        damage: "a wrong chunk signature",
        change: (body) => body.replace(/(?<=\r\n0;chunk-signature=).{8}/, "00000000"),
        payloads: /^STREAMING-AWS4-HMAC-SHA256/,
    },
    {
        damage: "a wrong checksum in the trailer",
        change: (body) => body.replace(/(?<=crc32:).{4}/, "AAAA"),
        payloads: /-TRAILER$/,
    },
    {
        damage: "a wrong trailer signature",
        change: (body) => body.replace(/(?<=trailer-signature:).{8}/, "00000000"),
        payloads: /^STREAMING-AWS4-HMAC-SHA256.*-TRAILER$/,
    },
];
