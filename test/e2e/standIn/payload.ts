import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { crc32 } from "node:zlib";
import { decodeAwsChunked } from "./awsChunked";
import { S3Error } from "./s3Error";
import type { VerifiedSignature } from "./signature";

const MAXIMUM_BYTES = 64 * 1024 * 1024;

/** Checksums that a client may send, as a header or a trailer, and how each is computed. */
const CHECKSUMS: { [header: string]: (content: Buffer) => Buffer } = {
    "content-md5": (content) => createHash("md5").update(content).digest(),
    "x-amz-checksum-sha1": (content) => createHash("sha1").update(content).digest(),
    "x-amz-checksum-sha256": (content) => createHash("sha256").update(content).digest(),
    "x-amz-checksum-crc32": (content) => {
        const bytes = Buffer.alloc(4);
        bytes.writeUInt32BE(crc32(content));
        return bytes;
    },
};

/**
 * Reads the payload of a signed request, decodes its framing, and verifies every hash in it.
 *
 * @throws {S3Error} if it is too large, incomplete, or not what was signed.
 */
export async function readPayload(request: IncomingMessage, signature: VerifiedSignature): Promise<Buffer> {
    const body = await readBody(request);
    const { content, trailers } = signature.payload.startsWith("STREAMING-")
        ? decodeAwsChunked(body, signature)
        : { content: body, trailers: {} };
    if (/^[0-9a-f]{64}$/.test(signature.payload)) {
        if (createHash("sha256").update(content).digest("hex") !== signature.payload) {
            throw new S3Error("XAmzContentSHA256Mismatch", 400, "The body is not the one that was signed.");
        }
    }
    const decodedLength = request.headers["x-amz-decoded-content-length"];
    if (decodedLength !== undefined && Number(decodedLength) !== content.length) {
        throw new S3Error("IncompleteBody", 400, "The body is not as long as x-amz-decoded-content-length says.");
    }
    const claims: { [name: string]: string | string[] | undefined } = { ...request.headers, ...trailers };
    for (const [name, compute] of Object.entries(CHECKSUMS)) {
        if (claims[name] !== undefined && claims[name] !== compute(content).toString("base64")) {
            throw new S3Error("BadDigest", 400, `The body doesn't have the checksum in ${name}.`);
        }
    }
    return content;
}

/**
 * Reads a body without decoding it.
 *
 * @throws {S3Error} if it is too large.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of request as AsyncIterable<Buffer>) {
        length += part.length;
        if (length > MAXIMUM_BYTES) {
            throw new S3Error("EntityTooLarge", 400, `The body is larger than ${MAXIMUM_BYTES} bytes.`);
        }
        parts.push(part);
    }
    return Buffer.concat(parts);
}
