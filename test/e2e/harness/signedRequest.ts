import { Sha256 } from "@aws-crypto/sha256-js";
import { getCanonicalQuery, SignatureV4, UNSIGNED_PAYLOAD } from "@smithy/signature-v4";
import { createHash } from "node:crypto";
import type { User } from "./stores";

/** A request to sign. */
export interface UnsignedRequest {
    method: string;
    /** Value of Host, exactly as sent. */
    host: string;
    /** The path exactly as in the request line. */
    path: string;
    /** Query parameters, not yet encoded. */
    query?: { [name: string]: string };
    headers?: { [name: string]: string };
    body?: Buffer;
}

/** A request as it is sent. */
export interface WireRequest {
    method: string;
    /** Path and query. */
    target: string;
    /** Includes Host; each character of a value is one byte. */
    headers: { [name: string]: string };
    body: Buffer;
}

const EXPIRES_SECONDS = 300;

/** Signature Version 4 over an unchanged path: nothing is encoded, decoded or normalised. */
export class RequestSigner {
    private readonly signer: SignatureV4;

    constructor(credentials: User) {
        const scope = { region: "us-east-1", service: "s3" };
        this.signer = new SignatureV4({ credentials, ...scope, sha256: Sha256, uriEscapePath: false });
    }

    /** A request with its signature in a header. */
    async sign(request: UnsignedRequest): Promise<WireRequest> {
        const { body = Buffer.alloc(0) } = request;
        const signed = await this.signer.sign(signable(request, { "x-amz-content-sha256": sha256(body) }));
        return onTheWire(request, signed.headers, getCanonicalQuery(signed));
    }

    /** A request with its signature in the query; the body is not signed. */
    async presign(request: UnsignedRequest): Promise<WireRequest> {
        const signed = await this.signer.presign(signable(request, { "X-Amz-Content-Sha256": UNSIGNED_PAYLOAD }), {
            expiresIn: EXPIRES_SECONDS,
        });
        const signature = String(signed.query?.["X-Amz-Signature"]);
        return onTheWire(request, signed.headers, `${getCanonicalQuery(signed)}&X-Amz-Signature=${signature}`);
    }

    /** The signature of a text, with the signing key of a day. */
    signText(text: string, signingDate: string): Promise<string> {
        return this.signer.sign(text, { signingDate });
    }
}

/** The same request without a Content-Length. In HTTP/1.1 its body is sent with `Transfer-Encoding: chunked`. */
export function inHttpChunks(request: WireRequest): WireRequest {
    const headers: WireRequest["headers"] = { ...request.headers, "transfer-encoding": "chunked" };
    delete headers["content-length"];
    return { ...request, headers };
}

export function sha256(data: string | Buffer): string {
    return createHash("sha256").update(data).digest("hex");
}

function signable({ method, host, path, query = {}, headers }: UnsignedRequest, payload: { [name: string]: string }) {
    return { method, protocol: "https:", hostname: "", path, query, headers: { Host: host, ...payload, ...headers } };
}

function onTheWire(
    { method, path, body = Buffer.alloc(0) }: UnsignedRequest,
    signedHeaders: { [name: string]: string },
    query: string,
): WireRequest {
    const headers: WireRequest["headers"] = {};
    for (const [name, value] of Object.entries(signedHeaders)) {
        headers[name] = Buffer.from(value, "utf8").toString("latin1");
    }
    if (["PUT", "POST"].includes(method)) {
        headers["content-length"] = String(body.length);
    }
    return { method, target: query === "" ? path : `${path}?${query}`, headers, body };
}
