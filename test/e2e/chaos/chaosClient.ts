import {
    DeleteObjectCommand,
    GetObjectCommand,
    type GetObjectCommandOutput,
    ListObjectsV2Command,
    NoSuchKey,
    PutObjectCommand,
    S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { Agent, request } from "node:https";
import { agentFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";
import { ABSENT, contentOf } from "./objectLedger";
import type { Population } from "./operations";

/** The bucket that the load uses. */
export const CHAOS_BUCKET = "chaos";

const PART_SIZE = 5 * 1024 * 1024;

/** A response to a request that was sent without the SDK. */
interface PlainAnswer {
    status: number;
    cookie: string | undefined;
    body: Buffer;
}

/**
 * Attempts of a download whose body breaks off, for the clients with retries. The AWS CLI and boto3 do that; the SDK for
 * JavaScript repeats only requests that have no response yet.
 */
const DOWNLOADS = 3;

/**
 * With any time limit of its own, an agent of Node.js (20 and 22) closes idle connections before the server does, as that says by
 * `Keep-Alive`; without, it ignores the header. It ends no request. In milliseconds.
 */
const HEEDS_KEEP_ALIVE = 60_000;

type SdkStream = NonNullable<GetObjectCommandOutput["Body"]>;

/**
 * A client of one population: the AWS SDK with its defaults except for the number of attempts, and plain HTTP requests.
 */
export class ChaosClient {
    private readonly agent: Agent;
    private readonly s3: S3Client;
    private readonly downloads: number;
    private consoleCookie: string | undefined;

    constructor(
        private readonly outputs: DeploymentOutputs,
        population: Population,
        /** Certificates of CAs to trust in addition to the stack's own. */
        caCertificates: string[] = [],
        /** Milliseconds without a byte after which a request counts as failed. Default: the SDK's, none. */
        socketTimeout?: number,
    ) {
        const { options } = agentFor(outputs);
        const trusted = [outputs.caCertificate, ...caCertificates].filter((pem) => pem !== "");
        this.agent = new Agent({ ...options, ca: trusted, keepAlive: true, timeout: HEEDS_KEEP_ALIVE });
        this.downloads = population === "single" ? 1 : DOWNLOADS;
        this.s3 = new S3Client({
            endpoint: outputs.s3Endpoint,
            region: "us-east-1",
            forcePathStyle: true,
            credentials: { accessKeyId: outputs.accessKey, secretAccessKey: outputs.secretKey },
            requestHandler: { httpsAgent: this.agent, ...(socketTimeout === undefined ? {} : { socketTimeout }) },
            ...(population === "single" ? { maxAttempts: 1 } : {}),
        });
    }

    /** Writes an object in one request. Returns the number of attempts. */
    async put(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<number> {
        const command = new PutObjectCommand({ Bucket: CHAOS_BUCKET, Key: key, Body: bytes });
        const { $metadata: metadata } = await this.s3.send(command, { abortSignal: signal });
        return metadata.attempts ?? 1;
    }

    /** Writes an object by a multipart upload. Returns the number of attempts of the last request. */
    async putInParts(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<number> {
        const params = { Bucket: CHAOS_BUCKET, Key: key, Body: bytes };
        const upload = new Upload({ client: this.s3, params, partSize: PART_SIZE });
        signal?.addEventListener("abort", () => void upload.abort());
        const { $metadata: metadata } = await upload.done();
        return metadata.attempts ?? 1;
    }

    /** The content of an object. */
    async get(key: string, signal?: AbortSignal): Promise<string> {
        for (let attempt = 1; ; attempt++) {
            const body = await this.begin(key, signal);
            if (body === undefined) {
                return ABSENT;
            }
            try {
                return contentOf(await body.transformToByteArray());
            } catch (error) {
                if (attempt === this.downloads) {
                    throw error;
                }
            }
        }
    }

    /** The body of an object, as soon as its response has begun; undefined if there is no such object. */
    private async begin(key: string, signal?: AbortSignal): Promise<SdkStream | undefined> {
        try {
            const command = new GetObjectCommand({ Bucket: CHAOS_BUCKET, Key: key });
            const { Body: body } = await this.s3.send(command, { abortSignal: signal });
            return body;
        } catch (error) {
            if (error instanceof NoSuchKey) {
                return undefined;
            }
            throw error;
        }
    }

    /** Deletes an object. Returns the number of attempts. */
    async delete(key: string, signal?: AbortSignal): Promise<number> {
        const command = new DeleteObjectCommand({ Bucket: CHAOS_BUCKET, Key: key });
        const { $metadata: metadata } = await this.s3.send(command, { abortSignal: signal });
        return metadata.attempts ?? 1;
    }

    /** All keys with a prefix. */
    async list(prefix: string, signal?: AbortSignal): Promise<string[]> {
        const keys: string[] = [];
        let token: string | undefined;
        do {
            const command = new ListObjectsV2Command({
                Bucket: CHAOS_BUCKET,
                Prefix: prefix,
                ContinuationToken: token,
            });
            const page = await this.s3.send(command, { abortSignal: signal });
            keys.push(...(page.Contents ?? []).map(({ Key: key = "" }) => key));
            token = page.NextContinuationToken;
        } while (token !== undefined);
        return keys;
    }

    /** The content of an object, read by a presigned URL without the SDK. */
    async getPresigned(key: string, signal?: AbortSignal): Promise<string> {
        const url = await getSignedUrl(this.s3, new GetObjectCommand({ Bucket: CHAOS_BUCKET, Key: key }));
        const { status, body } = await this.plainGet(url, {}, signal);
        if (status === 404 && body.includes("<Code>NoSuchKey</Code>")) {
            return ABSENT;
        }
        expectStatus(200, status);
        return contentOf(body);
    }

    /** Requests a page of the console, as a browser does that keeps the console's cookie. */
    async visitConsole(path: string, signal?: AbortSignal): Promise<void> {
        const headers: { [name: string]: string } =
            this.consoleCookie === undefined ? {} : { cookie: this.consoleCookie };
        const { status, cookie } = await this.plainGet(this.outputs.consoleUrl + path, headers, signal);
        this.consoleCookie = cookie ?? this.consoleCookie;
        expectStatus(200, status);
    }

    close(): void {
        this.s3.destroy();
        this.agent.destroy();
    }

    private plainGet(
        url: string,
        headers: { [name: string]: string },
        signal: AbortSignal | undefined,
    ): Promise<PlainAnswer> {
        return new Promise((resolve, reject) => {
            const { hostname: servername } = new URL(url);
            const sent = request(url, { agent: this.agent, headers, servername, signal }, (response) => {
                const parts: Buffer[] = [];
                response.on("data", (part: Buffer) => parts.push(part));
                response.on("error", reject);
                response.on("end", () =>
                    resolve({
                        status: response.statusCode ?? 0,
                        cookie: response.headers["set-cookie"]?.[0]?.split(";")[0],
                        body: Buffer.concat(parts),
                    }),
                );
            });
            sent.on("error", reject).end();
        });
    }
}

function expectStatus(wanted: number, status: number): void {
    if (status !== wanted) {
        throw new Error(`status ${status}`);
    }
}
