import { GetObjectCommand, PutObjectCommand, S3Client, type S3ServiceException } from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { randomBytes } from "node:crypto";
import { Agent } from "node:https";
import { addAbortSignal, type Readable } from "node:stream";
import { agentFor } from "../test/e2e/harness/clients";
import type { DeploymentOutputs } from "../test/e2e/harness/deployment";
import { quantile } from "./statistics";
import type { Credentials } from "./targets";

/** One successful request; times in milliseconds of the same clock. */
export interface Success {
    begun: number;
    ended: number;
}

const WORKERS = 4;
const OBJECT = randomBytes(16 * 1024);
const TIMEOUT_MILLISECONDS = 15_000;

/** Bucket that the load reads and writes. */
export const STEADY_BUCKET = "steady";

/** Alternating GETs and PUTs by several concurrent workers, on persistent connections, without retries. */
export class SteadyS3 {
    private readonly successes: Success[] = [];
    private readonly failures: string[] = [];
    private stopping = false;
    private readonly client: S3Client;
    private readonly ended: Promise<unknown>;
    private readonly begun = performance.now();

    /** Each worker's objects have a separate prefix, because writers of the same object wait for each other's locks. */
    constructor(
        endpoint: string,
        private readonly prefix: string,
        { accessKey, secretKey }: Credentials,
    ) {
        // Certificates change during the load. Other tests check which one is served.
        const { options } = agentFor({ caCertificate: "" } as DeploymentOutputs);
        const httpsAgent = new Agent({ ...options, ca: undefined, rejectUnauthorized: false, keepAlive: true });
        this.client = new S3Client({
            endpoint,
            region: "us-east-1",
            forcePathStyle: true,
            credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
            maxAttempts: 1,
            requestHandler: new NodeHttpHandler({ httpsAgent }),
        });
        this.ended = Promise.all(Array.from({ length: WORKERS }, (_, worker) => this.work(worker)));
    }

    /** Ends the load. Returns its result, and the reasons of failed requests, the most frequent first. */
    async stop(): Promise<{ figures: { [metric: string]: number }; reasons: string[] }> {
        this.stopping = true;
        await this.ended;
        this.client.destroy();
        const durations = this.successes.map(({ begun, ended }) => ended - begun);
        return {
            figures: {
                "failed requests": this.failures.length,
                "longest stall": longestStall(this.successes, this.begun, performance.now()),
                "answered requests": this.successes.length,
                ...(durations.length === 0 ? {} : { "latency p99": quantile(durations, 0.99) }),
            },
            reasons: counted(this.failures),
        };
    }

    private async work(worker: number): Promise<void> {
        const target = { Bucket: STEADY_BUCKET, Key: `${this.prefix}/object-${worker}` };
        for (let count = 0; !this.stopping; count++) {
            const begun = performance.now();
            const abortSignal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
            try {
                if (count % 2 === 0) {
                    await this.client.send(new PutObjectCommand({ ...target, Body: OBJECT }), { abortSignal });
                } else {
                    const { Body: body } = await this.client.send(new GetObjectCommand(target), { abortSignal });
                    // The SDK's own signal ends with the response's headers, and a body may stall too.
                    addAbortSignal(abortSignal, body as Readable);
                    await body?.transformToByteArray();
                }
                this.successes.push({ begun, ended: performance.now() });
            } catch (error) {
                const { name, $metadata: { httpStatusCode: status } = {} } = error as Partial<S3ServiceException>;
                this.failures.push(status === undefined ? String(name) : `${name} (${status})`);
            }
        }
    }
}

/** Each text once, with its number of occurrences. */
function counted(texts: string[]): string[] {
    const counts = new Map<string, number>();
    for (const text of texts) {
        counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return [...counts].sort(([, one], [, other]) => other - one).map(([text, count]) => `${count} × ${text}`);
}

/** Longest time, in seconds, in which no request succeeded. */
export function longestStall(successes: Success[], begun: number, ended: number): number {
    const times = [begun, ...successes.map((success) => success.ended).sort((one, other) => one - other), ended];
    return times.slice(1).reduce((longest, time, place) => Math.max(longest, time - (times[place] ?? time)), 0) / 1000;
}
