import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import { Agent } from "node:https";
import { Readable } from "node:stream";
import { agentFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";

/** Headers of a request, as sent. */
type Headers = { [name: string]: string };

/** The hostnames that a client sends requests to from now on. */
export function recordHosts(client: S3Client): ReadonlySet<string> {
    const hosts = new Set<string>();
    client.middlewareStack.add(
        (next) => (args) => {
            hosts.add((args.request as { hostname: string }).hostname);
            return next(args);
        },
        { step: "finalizeRequest", priority: "low", name: "recordHosts" },
    );
    return hosts;
}

/**
 * The AWS SDK with the required options, and defaults otherwise. It keeps connections open. It gets an agent, not
 * options for one: with options, the SDK ignores the CA when a request has `Expect: 100-continue`.
 *
 * @param required Options that the store needs. Default: path style.
 */
export function defaultClientFor(
    outputs: DeploymentOutputs,
    required: { forcePathStyle?: boolean } = { forcePathStyle: true },
): S3Client {
    return new S3Client({
        endpoint: outputs.s3Endpoint,
        region: "us-east-1",
        ...required,
        credentials: { accessKeyId: outputs.accessKey, secretAccessKey: outputs.secretKey },
        requestHandler: { httpsAgent: new Agent({ ...agentFor(outputs).options, keepAlive: true }) },
    });
}

/** A stream: the SDK only knows its checksum once the stream is sent, so it sends the checksum in a trailer. */
export async function putStream(client: S3Client, bucket: string): Promise<void> {
    const bytes = randomBytes(3_000_000);
    const pieces = Array.from({ length: 30 }, (_, piece) => bytes.subarray(piece * 100_000, (piece + 1) * 100_000));
    const sent: Headers[] = [];
    client.middlewareStack.add(
        (next) => (args) => {
            sent.push((args.request as { headers: Headers }).headers);
            return next(args);
        },
        { step: "finalizeRequest", priority: "low", name: "recordHeaders" },
    );
    const put = { Bucket: bucket, Key: "stream", ContentLength: bytes.length };
    await client.send(new PutObjectCommand({ ...put, Body: Readable.from(pieces) }));
    client.middlewareStack.remove("recordHeaders");

    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
        "content-encoding": "aws-chunked",
        "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        "x-amz-trailer": "x-amz-checksum-crc32",
    });
    expect(bytes.equals(await bytesOf(client, bucket, "stream"))).toBe(true);
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: "buffer", Body: bytes }));
    const [ofStream, ofBuffer] = await Promise.all(["stream", "buffer"].map((key) => headOf(client, bucket, key)));
    expect(ofStream?.ChecksumCRC32).toMatch(/^.{6}==$/);
    expect(ofStream?.ChecksumCRC32).toBe(ofBuffer?.ChecksumCRC32);
    expect(ofStream?.ContentEncoding ?? "").not.toContain("aws-chunked");
}

/** Conditional writes and reads. */
export async function useConditions(client: S3Client, bucket: string): Promise<void> {
    const target = { Bucket: bucket, Key: "conditional" };
    const { ETag: tag } = await client.send(new PutObjectCommand({ ...target, Body: "first", IfNoneMatch: "*" }));
    await expectStatus(412, client.send(new PutObjectCommand({ ...target, Body: "second", IfNoneMatch: "*" })));
    await expectStatus(412, client.send(new PutObjectCommand({ ...target, Body: "second", IfMatch: '"other"' })));
    expect((await bytesOf(client, bucket, target.Key)).toString()).toBe("first");
    await expectStatus(304, client.send(new GetObjectCommand({ ...target, IfNoneMatch: tag })));
    await client.send(new PutObjectCommand({ ...target, Body: "second", IfMatch: tag }));
    expect((await bytesOf(client, bucket, target.Key)).toString()).toBe("second");
}

/** Ranges of an object. */
export async function readRanges(client: S3Client, bucket: string): Promise<void> {
    const bytes = randomBytes(1_000_000);
    const target = { Bucket: bucket, Key: "ranges" };
    await client.send(new PutObjectCommand({ ...target, Body: bytes }));
    for (const [range, first, last] of [
        ["bytes=0-0", 0, 0],
        ["bytes=65535-65536", 65_535, 65_536],
        ["bytes=999000-", 999_000, 999_999],
        ["bytes=-10", 999_990, 999_999],
    ] as const) {
        const answer = await client.send(new GetObjectCommand({ ...target, Range: range }));
        expect(answer.$metadata.httpStatusCode).toBe(206);
        expect(answer.ContentRange).toBe(`bytes ${first}-${last}/1000000`);
        expect(Buffer.from((await answer.Body?.transformToByteArray()) ?? [])).toEqual(bytes.subarray(first, last + 1));
    }
    await expectStatus(416, client.send(new GetObjectCommand({ ...target, Range: "bytes=1000000-" })));
}

async function bytesOf(client: S3Client, bucket: string, key: string): Promise<Buffer> {
    const { Body: body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return Buffer.from((await body?.transformToByteArray()) ?? []);
}

function headOf(client: S3Client, bucket: string, key: string) {
    return client.send(new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: "ENABLED" }));
}

async function expectStatus(status: number, request: Promise<unknown>): Promise<void> {
    await expect(request).rejects.toMatchObject({ $metadata: { httpStatusCode: status } });
}
