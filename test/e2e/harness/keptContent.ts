import {
    CreateBucketCommand,
    DeleteObjectCommand,
    GetBucketPolicyCommand,
    GetObjectCommand,
    GetObjectTaggingCommand,
    ListBucketsCommand,
    ListObjectVersionsCommand,
    PutBucketPolicyCommand,
    PutBucketVersioningCommand,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { createHash, randomBytes } from "node:crypto";

const MIB = 1024 * 1024;

/** Sizes below and above the limits at which stores change how they store an object. */
const SIZES = [0, 1, 1000, 128 * 1024, 128 * 1024 + 1, MIB, MIB + 1, 3 * MIB];

/** Everything that a store reports about its content: each version of each object by its checksum, and policies. */
export interface StoreContent {
    [bucket: string]: { versions: { [keyAndVersion: string]: object }; policy: unknown };
}

/** Writes what a backup could lose: unusual keys, versions, a large multipart object, metadata, tags, policies. */
export async function fillStore(client: S3Client): Promise<void> {
    await client.send(new CreateBucketCommand({ Bucket: "plain" }));
    for (const [index, size] of SIZES.entries()) {
        for (const key of [`object-${index}`, `a folder/ünï & code/${index}`]) {
            const object = { Bucket: "plain", Key: key, Body: randomBytes(size) };
            const said = { ContentType: "text/x-test", Metadata: { place: String(index) }, Tagging: `size=${size}` };
            await client.send(new PutObjectCommand({ ...object, ...said }));
        }
    }
    const params = { Bucket: "plain", Key: "large", Body: randomBytes(12 * MIB) };
    await new Upload({ client, params, partSize: 5 * MIB }).done();
    await client.send(new PutBucketPolicyCommand({ Bucket: "plain", Policy: JSON.stringify(READ_POLICY) }));

    const versioned = { Bucket: "versioned" };
    await client.send(new CreateBucketCommand(versioned));
    await client.send(new PutBucketVersioningCommand({ ...versioned, VersioningConfiguration: { Status: "Enabled" } }));
    for (const size of [10, 200_000, 2 * MIB]) {
        for (const key of ["document", "deleted"]) {
            await client.send(new PutObjectCommand({ ...versioned, Key: key, Body: randomBytes(size) }));
        }
    }
    await client.send(new DeleteObjectCommand({ ...versioned, Key: "deleted" }));
}

/** Anyone may read the objects below `plain`. */
const READ_POLICY = {
    Version: "2012-10-17",
    Statement: [
        { Effect: "Allow", Principal: { AWS: ["*"] }, Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::plain/*"] },
    ],
};

/** Reads everything in a store, to the last byte. */
export async function contentOf(client: S3Client): Promise<StoreContent> {
    const { Buckets: buckets = [] } = await client.send(new ListBucketsCommand({}));
    const content: StoreContent = {};
    for (const { Name: bucket = "" } of buckets) {
        content[bucket] = { versions: await versionsOf(client, bucket), policy: await policyOf(client, bucket) };
    }
    return content;
}

async function versionsOf(client: S3Client, bucket: string): Promise<{ [keyAndVersion: string]: object }> {
    const listed = await client.send(new ListObjectVersionsCommand({ Bucket: bucket }));
    if (listed.IsTruncated === true) {
        throw new Error(`${bucket} holds more than one answer lists`);
    }
    const found: { [keyAndVersion: string]: object } = {};
    for (const { Key: key = "", VersionId: version, ETag: etag, IsLatest: latest } of listed.Versions ?? []) {
        const object = { Bucket: bucket, Key: key, VersionId: version };
        const { Body: body, ContentType: type, Metadata: metadata } = await client.send(new GetObjectCommand(object));
        const { TagSet: tags } = await client.send(new GetObjectTaggingCommand(object));
        const bytes = (await body?.transformToByteArray()) ?? new Uint8Array();
        const checksum = createHash("sha256").update(bytes).digest("hex");
        found[`${key} ${version}`] = { size: bytes.length, checksum, etag, latest, type, metadata, tags };
    }
    for (const { Key: key, VersionId: version, IsLatest: latest } of listed.DeleteMarkers ?? []) {
        found[`${key} ${version}`] = { deleted: true, latest };
    }
    return found;
}

async function policyOf(client: S3Client, bucket: string): Promise<unknown> {
    try {
        const { Policy: policy = "" } = await client.send(new GetBucketPolicyCommand({ Bucket: bucket }));
        return JSON.parse(policy) as unknown;
    } catch (error) {
        if ((error as Error).name === "NoSuchBucketPolicy") {
            return undefined;
        }
        throw error;
    }
}
