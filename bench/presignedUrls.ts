import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { Credentials } from "./targets";

const VALID_SECONDS = 24 * 3600;

/** Presigned URLs for one endpoint, because load generators can't sign. */
export class PresignedUrls {
    private readonly client: S3Client;

    constructor(endpoint: string, { accessKey, secretKey }: Credentials) {
        this.client = new S3Client({
            endpoint,
            region: "us-east-1",
            forcePathStyle: true,
            credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
            requestChecksumCalculation: "WHEN_REQUIRED",
        });
    }

    createBucket(bucket: string): Promise<string> {
        return getSignedUrl(this.client, new CreateBucketCommand({ Bucket: bucket }), { expiresIn: VALID_SECONDS });
    }

    get(bucket: string, key: string): Promise<string> {
        const command = new GetObjectCommand({ Bucket: bucket, Key: key });
        return getSignedUrl(this.client, command, { expiresIn: VALID_SECONDS });
    }

    put(bucket: string, key: string): Promise<string> {
        const command = new PutObjectCommand({ Bucket: bucket, Key: key });
        return getSignedUrl(this.client, command, { expiresIn: VALID_SECONDS });
    }
}
