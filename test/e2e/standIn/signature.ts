import { Sha256 } from "@aws-crypto/sha256-js";
import { getCanonicalHeaders, getSigningKey, SignatureV4, UNSIGNED_PAYLOAD } from "@smithy/signature-v4";
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestTarget } from "./requestTarget";
import { S3Error } from "./s3Error";

/** The root credentials. */
export interface Credentials {
    accessKey: string;
    secretKey: string;
}

/** A verified signature, with what later signatures in the same request are based on. */
export interface VerifiedSignature {
    /** The payload as the request declares it: a SHA-256 in hexadecimal digits, or one of the constants of S3. */
    payload: string;
    signature: string;
    longDate: string;
    scope: string;
    signingKey: Uint8Array;
}

/** A client's signature, from a header or the query. */
interface Claim {
    credential: string;
    longDate: string;
    signedHeaders: string[];
    signature: string;
    payload: string;
    /** Seconds for which it is valid. */
    lifetime: number;
}

type Headers = { [name: string]: string };
type SignedRequest = Parameters<typeof getCanonicalHeaders>[0];

const ALGORITHM = "AWS4-HMAC-SHA256";
const ALLOWED_SKEW_SECONDS = 15 * 60;

/** Signature Version 4 for S3. Only its canonical forms are used. */
class Verifier extends SignatureV4 {
    /** The string to sign. */
    async stringToSign(
        request: SignedRequest,
        { signedHeaders, payload, longDate }: Claim,
        scope: string,
    ): Promise<string> {
        const headers = Object.fromEntries(signedHeaders.map((name) => [name, request.headers[name] ?? ""]));
        const canonicalHeaders = getCanonicalHeaders({ ...request, headers }, undefined, new Set(signedHeaders));
        const canonicalRequest = this.createCanonicalRequest(request, canonicalHeaders, payload);
        return this.createStringToSign(longDate, scope, canonicalRequest, ALGORITHM);
    }
}

/**
 * Verifies the Signature Version 4 of a request over its method, path, query and headers exactly as received.
 *
 * @throws {S3Error} if there is none, or if it is wrong.
 */
export async function verifySignature(
    request: IncomingMessage,
    target: RequestTarget,
    { accessKey, secretKey }: Credentials,
): Promise<VerifiedSignature> {
    const headers = joinHeaders(request.rawHeaders);
    const query = new URLSearchParams(target.query);
    const claim = claimInQuery(query, headers) ?? claimInHeader(headers);
    const [, claimedKey, shortDate = "", region = "", service] =
        /^(.+)\/(\d{8})\/([^/]*)\/([^/]+)\/aws4_request$/.exec(claim.credential) ?? [];
    if (service !== "s3" || !claim.longDate.startsWith(shortDate)) {
        throw new S3Error("AuthorizationHeaderMalformed", 400, "The credential scope is wrong.");
    }
    if (claimedKey !== accessKey) {
        throw new S3Error("InvalidAccessKeyId", 403, "There is no such access key.");
    }
    checkTime(claim);
    checkSignedHeaders(claim, headers);
    const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
    const verifier = new Verifier({ credentials, region, service, sha256: Sha256, uriEscapePath: false });
    const scope = `${shortDate}/${region}/${service}/aws4_request`;
    const signedRequest = {
        method: request.method ?? "",
        protocol: "http:",
        hostname: "",
        path: target.path,
        query: Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)])),
        headers,
    };
    const stringToSign = await verifier.stringToSign(signedRequest, claim, scope);
    const signingKey = await getSigningKey(Sha256, credentials, shortDate, region, service);
    if (createHmac("sha256", signingKey).update(stringToSign).digest("hex") !== claim.signature) {
        throw new S3Error("SignatureDoesNotMatch", 403, "The signature is not the one that was computed here.");
    }
    const { payload, signature, longDate } = claim;
    return { payload, signature, longDate, scope, signingKey };
}

function claimInQuery(query: URLSearchParams, headers: Headers): Claim | undefined {
    if (query.get("X-Amz-Algorithm") !== ALGORITHM) {
        return undefined;
    }
    const value = (name: string) => query.get(`X-Amz-${name}`) ?? "";
    return {
        credential: value("Credential"),
        longDate: value("Date"),
        signedHeaders: value("SignedHeaders").split(";"),
        signature: value("Signature"),
        payload: headers["x-amz-content-sha256"] ?? query.get("X-Amz-Content-Sha256") ?? UNSIGNED_PAYLOAD,
        lifetime: Number(value("Expires")),
    };
}

function claimInHeader(headers: Headers): Claim {
    const { authorization } = headers;
    if (authorization === undefined) {
        throw new S3Error("AccessDenied", 403, "The request is not signed.");
    }
    const field = (name: string) => new RegExp(`[ ,]${name}=([^, ]+)`).exec(authorization)?.[1] ?? "";
    const payload = headers["x-amz-content-sha256"];
    if (!authorization.startsWith(`${ALGORITHM} `)) {
        throw new S3Error("InvalidRequest", 400, `The signature is not ${ALGORITHM}.`);
    }
    if (payload === undefined) {
        throw new S3Error("InvalidRequest", 400, "The header x-amz-content-sha256 is missing.");
    }
    return {
        credential: field("Credential"),
        longDate: headers["x-amz-date"] ?? "",
        signedHeaders: field("SignedHeaders").split(";"),
        signature: field("Signature"),
        payload,
        lifetime: ALLOWED_SKEW_SECONDS,
    };
}

function checkTime({ longDate, lifetime }: Claim): void {
    const signed = Date.parse(longDate.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    const age = (Date.now() - signed) / 1000;
    if (!(age >= -ALLOWED_SKEW_SECONDS)) {
        throw new S3Error("RequestTimeTooSkewed", 403, "The request was signed too far in the future.");
    }
    if (age > lifetime) {
        throw new S3Error("AccessDenied", 403, "Request has expired");
    }
}

/** The host and all S3 headers have to be signed, so that no proxy or attacker can add or change one. */
function checkSignedHeaders({ signedHeaders }: Claim, headers: Headers): void {
    const needed = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
    const unsigned = needed.filter((name) => !signedHeaders.includes(name));
    if (unsigned.length > 0) {
        const message = `There were headers present in the request which were not signed: ${unsigned.join(", ")}`;
        throw new S3Error("AccessDenied", 403, message);
    }
}

/** Headers by lower-case name. Headers of the same name are joined, and their bytes are read as UTF-8. */
function joinHeaders(rawHeaders: string[]): Headers {
    const headers: Headers = {};
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
        const name = (rawHeaders[index] ?? "").toLowerCase();
        const value = Buffer.from(rawHeaders[index + 1] ?? "", "latin1").toString("utf8");
        headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
    }
    return headers;
}
