import type { Difference } from "./comparison";

/** A difference between edge and node that is meant, or that can't be otherwise. */
interface Accepted {
    reason: string;
    /** The operation; of a request that is none, its method and target. */
    operation: RegExp;
    /** What differs. */
    what: RegExp;
    edge?: RegExp;
    node?: RegExp;
    /** The part that may differ, if the rest is equal. */
    part?: RegExp;
    /** Status, code and message of the edge's response. */
    answer?: RegExp;
}

/** All of them. Every other difference is a defect. */
export const ACCEPTED: Accepted[] = [
    {
        reason: "the store's own APIs are closed at the edge",
        operation: /^[A-Z]+ \/(minio|rustfs|profile)\//,
        what: /./,
        answer: /^403 AccessDenied: This path is closed here$/,
    },
    {
        reason: "the edge refuses an anonymous upload whose payload type MinIO doesn't always verify, before MinIO sees it",
        operation: /^(PutObject|UploadPart)$/,
        what: /./,
        answer: /^403 AccessDenied: The signature of this upload is not verified$/,
    },
    {
        reason: "MinIO has browsers use HTTPS alone, for all subdomains; the edge does so if the config says it",
        operation: /./,
        what: /^header strict-transport-security$/,
        edge: /^missing$/,
    },
    {
        reason: "the edge refuses metadata that only replication between stores may set: MinIO would store what it can't read",
        operation: /^(PutObject|CreateMultipartUpload|CopyObject)$/,
        what: /^status$/,
        answer: /^403 AccessDenied: Only replication may set this metadata$/,
    },
    {
        reason: "the store names the scheme that the client uses, which it knows only from the edge",
        operation: /^(CompleteMultipartUpload|PostForm)$/,
        what: /^(body|header location)$/,
        part: /(?<=<Location>|^)https?:/,
    },
    {
        reason:
            "over HTTP/2 the AWS SDK for JavaScript doesn't say that a body is empty, so it arrives in chunks; MinIO then looks for " +
            "XML in it, and RustFS asks for its length",
        operation: /^CreateBucket$/,
        what: /^status$/,
        edge: /^(400 MalformedXML|411 MissingContentLength)/,
    },
    {
        reason: "RustFS takes 100 headers, and gets some of them from the edge; without it, RustFS says so with an empty answer",
        operation: /^(PutObject|CreateMultipartUpload|CopyObject)$/,
        what: /^(status|code)$/,
        answer: /^400 RequestHeaderSectionTooLarge/,
    },
    {
        reason: "RustFS's answer to the health check has the time",
        operation: /^[A-Z]+ (\/minio)?\/health/,
        what: /^(body|header content-length)$/,
    },
    {
        reason: "a client that ends its upload half-way sees an early refusal before, or doesn't",
        operation: /^(PutObject|UploadPart)$/,
        what: /^status$/,
        edge: /^4\d\d/,
        node: /aborted/,
    },
    {
        reason: "the same, the other way round",
        operation: /^(PutObject|UploadPart)$/,
        what: /^status$/,
        edge: /aborted/,
        node: /^4\d\d/,
    },
    {
        reason: "a node that refuses a large body early closes the connection, and the client may lose the response; the edge reads on",
        operation: /^(PutObject|UploadPart|PostForm|(PUT|POST|PATCH) .*)$/,
        what: /^status$/,
        edge: /^[45]\d\d/,
        node: /^no response: connection/,
    },
];

export function isAccepted({ operation, what, edge, node, answer }: Difference): boolean {
    return ACCEPTED.some(
        (accepted) =>
            accepted.operation.test(operation) &&
            accepted.what.test(what) &&
            (accepted.edge?.test(edge) ?? true) &&
            (accepted.node?.test(node) ?? true) &&
            (accepted.part === undefined || edge.replace(accepted.part, "") === node.replace(accepted.part, "")) &&
            (accepted.answer?.test(answer) ?? true),
    );
}
