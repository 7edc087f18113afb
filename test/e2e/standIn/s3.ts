import { answer, type Exchange, type Route } from "./exchange";
import type { ObjectDescription, ObjectFiles } from "./objectFiles";
import { readPayload } from "./payload";
import { applyChange, type Change, type Replicate } from "./replication";
import { S3Error } from "./s3Error";
import { verifySignature, type Credentials, type VerifiedSignature } from "./signature";
import { xml } from "./xml";

/** One operation on a bucket or an object. */
interface Operation {
    exchange: Exchange;
    files: ObjectFiles;
    bucket: string;
    rawKey: string;
    query: URLSearchParams;
    signature: VerifiedSignature;
    /** Applies a change of the bucket or the object, here and on every other node. */
    change: (change: Omit<Change, "bucket" | "rawKey">) => Promise<void>;
}

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** S3 in path style: the operations that clients need to write, read, list and delete. Every request has to be signed. */
export function s3Routes(files: ObjectFiles, credentials: Credentials, replicate: Replicate): Route {
    return async (exchange) => {
        try {
            await operate(exchange, files, credentials, replicate);
        } catch (error) {
            if (!(error instanceof S3Error)) {
                throw error;
            }
            const body = xml("Error", {
                Code: error.code,
                Message: error.message,
                Resource: exchange.target.path,
                HostId: exchange.node,
            });
            send(exchange, error.status, exchange.request.method === "HEAD" ? undefined : body);
        }
        return true;
    };
}

async function operate(
    exchange: Exchange,
    files: ObjectFiles,
    credentials: Credentials,
    replicate: Replicate,
): Promise<void> {
    const { request, target } = exchange;
    const signature = await verifySignature(request, target, credentials);
    const [, bucket = "", rawKey = ""] = /^\/([^/]*)\/?(.*)$/s.exec(target.path) ?? [];
    const kind = bucket === "" ? "service" : rawKey === "" ? "bucket" : "object";
    const operation = OPERATIONS[`${request.method} ${kind}`];
    if (operation === undefined) {
        throw new S3Error("NotImplemented", 501, `There is no ${request.method} on a ${kind}.`);
    }
    if (kind !== "service") {
        checkBucket(files, bucket, request.method === "PUT" && kind === "bucket");
    }
    const query = new URLSearchParams(target.query);
    const change: Operation["change"] = async (part) => {
        applyChange(files, { ...part, bucket, rawKey });
        await replicate({ ...part, bucket, rawKey });
    };
    await operation({ exchange, files, bucket, rawKey, query, signature, change });
}

function checkBucket(files: ObjectFiles, bucket: string, isMade: boolean): void {
    if (!BUCKET_NAME.test(bucket)) {
        throw new S3Error("InvalidBucketName", 400, "The bucket's name is not allowed.");
    }
    if (!isMade && !files.hasBucket(bucket)) {
        throw new S3Error("NoSuchBucket", 404, "There is no such bucket.");
    }
}

const OPERATIONS: { [methodAndKind: string]: (operation: Operation) => void | Promise<void> } = {
    "GET service": ({ exchange, files }) => {
        const buckets = files.buckets().map((name) => ({ Name: name }));
        send(exchange, 200, xml("ListAllMyBucketsResult", { Buckets: { Bucket: buckets } }));
    },
    "PUT bucket": async ({ exchange, bucket, signature, change }) => {
        await readPayload(exchange.request, signature);
        await change({ method: "PUT" });
        send(exchange, 200, undefined, { location: `/${bucket}` });
    },
    "HEAD bucket": ({ exchange }) => send(exchange, 200),
    "GET bucket": listObjects,
    "DELETE bucket": async ({ exchange, files, bucket, change }) => {
        if (files.list(bucket).length > 0) {
            throw new S3Error("BucketNotEmpty", 409, "The bucket is not empty.");
        }
        await change({ method: "DELETE" });
        send(exchange, 204);
    },
    "PUT object": async ({ exchange, files, bucket, rawKey, signature, change }) => {
        const content = await readPayload(exchange.request, signature);
        await change({ method: "PUT", content, headers: keptHeaders(exchange) });
        send(exchange, 200, undefined, { etag: `"${find(files, bucket, rawKey).etag}"` });
    },
    "GET object": ({ exchange, files, bucket, rawKey }) => {
        const description = find(files, bucket, rawKey);
        const content = files.content(bucket, rawKey);
        const range = /^bytes=(\d+)-(\d*)$/.exec(exchange.request.headers.range ?? "");
        if (range === null) {
            answer(exchange, "s3", { status: 200, headers: headersOf(description), body: content });
            return;
        }
        const first = Number(range[1]);
        const part = content.subarray(first, range[2] === "" ? undefined : Number(range[2]) + 1);
        if (part.length === 0) {
            throw new S3Error("InvalidRange", 416, "The object has no such bytes.");
        }
        const contentRange = `bytes ${first}-${first + part.length - 1}/${content.length}`;
        const headers = { ...headersOf(description), "content-range": contentRange };
        answer(exchange, "s3", { status: 206, headers, body: part });
    },
    "HEAD object": ({ exchange, files, bucket, rawKey }) => {
        const description = find(files, bucket, rawKey);
        const headers = { ...headersOf(description), "content-length": String(description.size) };
        answer(exchange, "s3", { status: 200, headers });
    },
    "DELETE object": async ({ exchange, change }) => {
        await change({ method: "DELETE" });
        send(exchange, 204);
    },
};

function listObjects({ exchange, files, bucket, query }: Operation): void {
    const prefix = query.get("prefix") ?? "";
    const encoded = query.get("encoding-type") === "url";
    const objects = files
        .list(bucket)
        .map((description) => ({ ...description, key: decodeKey(description.rawKey) }))
        .filter(({ key }) => key.startsWith(prefix))
        .sort((one, other) => (one.key < other.key ? -1 : 1));
    const contents = objects.map(({ key, size, etag, lastModified }) => ({
        Key: encoded ? encodeURIComponent(key) : key,
        LastModified: new Date(lastModified).toISOString(),
        ETag: `"${etag}"`,
        Size: String(size),
        StorageClass: "STANDARD",
    }));
    const body = xml("ListBucketResult", {
        Name: bucket,
        Prefix: encoded ? encodeURIComponent(prefix) : prefix,
        ...(encoded ? { EncodingType: "url" } : {}),
        KeyCount: String(contents.length),
        MaxKeys: String(Math.max(1000, contents.length)),
        IsTruncated: "false",
        Contents: contents,
    });
    send(exchange, 200, body);
}

function find(files: ObjectFiles, bucket: string, rawKey: string): ObjectDescription {
    const description = files.describe(bucket, rawKey);
    if (description === undefined) {
        throw new S3Error("NoSuchKey", 404, "There is no such object.");
    }
    return description;
}

/** Headers of a PUT that are returned with the object. */
function keptHeaders({ request }: Exchange): { [name: string]: string } {
    const kept = Object.entries(request.headers).filter(
        ([name]) => name === "content-type" || name.startsWith("x-amz-meta-"),
    );
    return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function headersOf({ headers, etag, lastModified }: ObjectDescription): { [name: string]: string } {
    return {
        "content-type": "application/octet-stream",
        ...headers,
        "accept-ranges": "bytes",
        etag: `"${etag}"`,
        "last-modified": new Date(lastModified).toUTCString(),
    };
}

/** A key as clients use it. */
function decodeKey(rawKey: string): string {
    try {
        return decodeURIComponent(rawKey);
    } catch {
        return rawKey;
    }
}

function send(exchange: Exchange, status: number, body?: string, headers: { [name: string]: string } = {}): void {
    answer(exchange, "s3", {
        status,
        headers: body === undefined ? headers : { "content-type": "application/xml", ...headers },
        body,
    });
}
