import { createHash, createHmac } from "node:crypto";
import { S3Error } from "./s3Error";
import type { VerifiedSignature } from "./signature";

/** The content of a body with `Content-Encoding: aws-chunked`. */
export interface ChunkedContent {
    content: Buffer;
    /** Trailers by lower-case name. */
    trailers: { [name: string]: string };
}

/**
 * Decodes a body in chunks. If the chunks are signed, verifies each signature, starting from the request's own.
 *
 * @throws {S3Error} if the framing or a signature is wrong.
 */
export function decodeAwsChunked(body: Buffer, seed: VerifiedSignature): ChunkedContent {
    const signed = seed.payload.startsWith("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
    const contents: Buffer[] = [];
    let previous = seed.signature;
    let position = 0;
    for (;;) {
        const lineEnd = body.indexOf("\r\n", position);
        const line = lineEnd === -1 ? "" : body.subarray(position, lineEnd).toString("latin1");
        const [, sizeText, signature] = /^([0-9a-f]+)(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line) ?? [];
        if (sizeText === undefined) {
            throw new S3Error("IncompleteBody", 400, "The chunks of the body are malformed.");
        }
        const size = parseInt(sizeText, 16);
        const chunk = body.subarray(lineEnd + 2, lineEnd + 2 + size);
        if (signed) {
            previous = verifyChunk(seed, previous, chunk, signature);
        }
        position = lineEnd + 2 + size;
        if (size === 0) {
            break;
        }
        if (body.subarray(position, position + 2).toString("latin1") !== "\r\n") {
            throw new S3Error("IncompleteBody", 400, "A chunk of the body is incomplete.");
        }
        contents.push(chunk);
        position += 2;
    }
    const trailers = readTrailers(body.subarray(position).toString("latin1"));
    if (signed && seed.payload.endsWith("-TRAILER")) {
        verifyTrailers(seed, previous, trailers);
    }
    return { content: Buffer.concat(contents), trailers };
}

function verifyChunk(seed: VerifiedSignature, previous: string, chunk: Buffer, signature: string | undefined): string {
    return verify(seed, "AWS4-HMAC-SHA256-PAYLOAD", [previous, sha256(""), sha256(chunk)], signature);
}

function verifyTrailers(seed: VerifiedSignature, previous: string, trailers: { [name: string]: string }): void {
    const { "x-amz-trailer-signature": signature, ...rest } = trailers;
    const text = Object.keys(rest)
        .sort()
        .map((name) => `${name}:${rest[name]}\n`)
        .join("");
    verify(seed, "AWS4-HMAC-SHA256-TRAILER", [previous, sha256(text)], signature);
}

function verify(
    { longDate, scope, signingKey }: VerifiedSignature,
    kind: string,
    parts: string[],
    signature: string | undefined,
): string {
    const stringToSign = [kind, longDate, scope, ...parts].join("\n");
    const expected = createHmac("sha256", signingKey).update(stringToSign).digest("hex");
    if (signature !== expected) {
        throw new S3Error("SignatureDoesNotMatch", 403, "A signature within the body is wrong.");
    }
    return expected;
}

function readTrailers(text: string): { [name: string]: string } {
    const lines = text.split(/\r?\n/).filter((line) => line !== "");
    return Object.fromEntries(
        lines.map((line) => {
            const colon = line.indexOf(":");
            return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
    );
}

function sha256(data: string | Buffer): string {
    return createHash("sha256").update(data).digest("hex");
}
