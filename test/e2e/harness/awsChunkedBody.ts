import { crc32 } from "node:zlib";
import { sha256, type RequestSigner, type UnsignedRequest, type WireRequest } from "./signedRequest";

/** How a body in chunks is protected: by chunk signatures, by a checksum in a trailer, or by both. */
export const STREAMING_PAYLOADS = [
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
    "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
] as const;

export type StreamingPayload = (typeof STREAMING_PAYLOADS)[number];

const TRAILER = "x-amz-checksum-crc32";

/** Signs a request whose body is sent in chunks (`Content-Encoding: aws-chunked`). */
export async function signStreaming(
    signer: RequestSigner,
    request: UnsignedRequest,
    payload: StreamingPayload,
    chunks: Buffer[],
): Promise<WireRequest> {
    const content = Buffer.concat(chunks);
    const signed = await signer.sign({
        ...request,
        headers: {
            ...request.headers,
            "content-encoding": "aws-chunked",
            "x-amz-content-sha256": payload,
            "x-amz-decoded-content-length": String(content.length),
            ...(payload.endsWith("-TRAILER") ? { "x-amz-trailer": TRAILER } : {}),
        },
    });
    const body = await frame(signer, signed, payload, chunks);
    return { ...signed, body, headers: { ...signed.headers, "content-length": String(body.length) } };
}

async function frame(
    signer: RequestSigner,
    { headers }: WireRequest,
    payload: StreamingPayload,
    chunks: Buffer[],
): Promise<Buffer> {
    const [, scope = "", seed = ""] =
        /Credential=[^/]+\/(\S+), .*Signature=(\S+)$/.exec(headers["authorization"] ?? "") ?? [];
    const longDate = headers["x-amz-date"] ?? "";
    const date = longDate.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z");
    const isSigned = payload !== "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
    let previous = seed;
    const sign = async (kind: string, ...hashes: string[]): Promise<string> => {
        previous = await signer.signText([kind, longDate, scope, previous, ...hashes].join("\n"), date);
        return previous;
    };

    const parts: (string | Buffer)[] = [];
    for (const chunk of [...chunks, Buffer.alloc(0)]) {
        const signature = isSigned
            ? `;chunk-signature=${await sign("AWS4-HMAC-SHA256-PAYLOAD", sha256(""), sha256(chunk))}`
            : "";
        parts.push(`${chunk.length.toString(16)}${signature}\r\n`, chunk, chunk.length > 0 ? "\r\n" : "");
    }
    if (payload.endsWith("-TRAILER")) {
        const checksum = checksumOf(Buffer.concat(chunks));
        parts.push(`${TRAILER}:${checksum}\r\n`);
        if (isSigned) {
            const signature = await sign("AWS4-HMAC-SHA256-TRAILER", sha256(`${TRAILER}:${checksum}\n`));
            parts.push(`x-amz-trailer-signature:${signature}\r\n`);
        }
    }
    return Buffer.concat([...parts, "\r\n"].map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

function checksumOf(content: Buffer): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(content));
    return bytes.toString("base64");
}
