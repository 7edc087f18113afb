import {
    CreateBucketCommand,
    DeleteObjectCommand,
    GetObjectCommand,
    ListObjectsV2Command,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { createHash, randomBytes } from "node:crypto";
import { get, s3ClientFor } from "./clients";
import type { DeploymentOutputs } from "./deployment";

const KIB = 1024;
const MIB = 1024 * KIB;

function sha256(bytes: Uint8Array): string {
    return createHash("sha256").update(bytes).digest("hex");
}

/** Checksum of an object's content. */
export async function checksumOf(client: S3Client, bucket: string, key: string): Promise<string> {
    const { Body: body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return sha256((await body?.transformToByteArray()) ?? new Uint8Array());
}

/** Operations of real clients, through the proxy. Compares content by checksum. Fails at the first difference. */
export async function exerciseStore(outputs: DeploymentOutputs): Promise<void> {
    const client = s3ClientFor(outputs);
    const bucket = `bucket-${randomBytes(4).toString("hex")}`;
    await client.send(new CreateBucketCommand({ Bucket: bucket }));

    const small = { empty: randomBytes(0), kibibyte: randomBytes(KIB) };
    for (const [key, bytes] of Object.entries(small)) {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }));
        expect(await checksumOf(client, bucket, key)).toBe(sha256(bytes));
    }
    const large = randomBytes(64 * MIB);
    await new Upload({ client, params: { Bucket: bucket, Key: "large", Body: large }, partSize: 16 * MIB }).done();
    expect(await checksumOf(client, bucket, "large")).toBe(sha256(large));

    const signed = await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: "kibibyte" }));
    const answer = await get(outputs, signed);
    expect(answer.status).toBe(200);
    expect(sha256(answer.body)).toBe(sha256(small.kibibyte));

    const { Contents: listed = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(listed.map(({ Key: key }) => key)).toEqual(["empty", "kibibyte", "large"]);
    for (const { Key: key } of listed) {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    }
    expect((await client.send(new ListObjectsV2Command({ Bucket: bucket }))).KeyCount).toBe(0);
    client.destroy();
}

/** Writes an object to the store, to be read back later. Returns its checksum. */
export async function keepObject(client: S3Client, bucket: string, key: string): Promise<string> {
    const bytes = randomBytes(MIB);
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }));
    return sha256(bytes);
}
