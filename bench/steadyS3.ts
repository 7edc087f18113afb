import { GetObjectCommand, PutObjectCommand, S3Client, type S3ServiceException } from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { randomBytes } from "node:crypto";
import { Agent } from "node:https";
import { addAbortSignal, type Readable } from "node:stream";
import { agentFor } from "../test/e2e/harness/clients";
import type { DeploymentOutputs } from "../test/e2e/harness/deployment";
import { quantile } from "./statistics";
import type { Credentials } from "./targets";

/** One request; times in milliseconds of the same clock. */
export interface Outcome {
    begun: number;
    ended: number;
    /** Reason of a failure; undefined for a success. */
    failure?: string;
}

/** Requests per second that are begun, however long earlier ones take. */
const RATE = 5;

const OBJECT = randomBytes(16 * 1024);
const TIMEOUT_MILLISECONDS = 15_000;

/** Bucket that the load reads and writes. */
export const STEADY_BUCKET = "steady";

/**
 * GETs and PUTs in turn at a fixed rate, on persistent connections, without retries. A request that fails at once, or
 * waits for long, doesn't change how many others are begun.
 */
export class SteadyS3 {
    private readonly outcomes: Outcome[] = [];
    private readonly requests: Promise<void>[] = [];
    private readonly client: S3Client;
    private readonly begun = performance.now();
    private readonly timer: NodeJS.Timeout;
    /** Key of the object that was written last. */
    private written: string | undefined;

    /** The objects have a prefix, because writers of the same object wait for each other's locks. */
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
        this.timer = setInterval(() => this.beginDue(), 1000 / RATE / 2);
    }

    /** Ends the load. Returns its result, and the reasons of failed requests, the most frequent first. */
    async stop(): Promise<{ figures: { [metric: string]: number }; reasons: string[] }> {
        clearInterval(this.timer);
        const ended = performance.now();
        await Promise.all(this.requests);
        this.client.destroy();
        return {
            figures: loadFigures(this.outcomes, this.begun, ended),
            reasons: counted(this.outcomes.flatMap(({ failure }) => failure ?? [])),
        };
    }

    /** Begins the requests that are due by now, also those that a late timer missed. */
    private beginDue(): void {
        const due = Math.floor(((performance.now() - this.begun) * RATE) / 1000);
        while (this.requests.length < due) {
            this.requests.push(this.request(this.requests.length));
        }
    }

    private async request(count: number): Promise<void> {
        const begun = performance.now();
        const failure = await this.send(count).then(
            () => undefined,
            (error: unknown) => {
                const { name, $metadata: { httpStatusCode: status } = {} } = error as Partial<S3ServiceException>;
                return status === undefined ? String(name) : `${name} (${status})`;
            },
        );
        this.outcomes.push({ begun, ended: performance.now(), failure });
    }

    private async send(count: number): Promise<void> {
        const abortSignal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
        const { written } = this;
        if (count % 2 === 0 || written === undefined) {
            // No two requests that are under way write the same object.
            const key = `${this.prefix}/object-${count % (RATE * TIMEOUT_MILLISECONDS)}`;
            const target = { Bucket: STEADY_BUCKET, Key: key };
            await this.client.send(new PutObjectCommand({ ...target, Body: OBJECT }), { abortSignal });
            this.written = key;
        } else {
            const target = { Bucket: STEADY_BUCKET, Key: written };
            const { Body: body } = await this.client.send(new GetObjectCommand(target), { abortSignal });
            // The SDK's own signal ends with the response's headers, and a body may stall too.
            addAbortSignal(abortSignal, body as Readable);
            await body?.transformToByteArray();
        }
    }
}

/** The figures of a load that began and ended at these times. */
export function loadFigures(outcomes: Outcome[], begun: number, ended: number): { [metric: string]: number } {
    const failures = outcomes.filter(({ failure }) => failure !== undefined);
    const successes = outcomes.filter(({ failure }) => failure === undefined);
    const durations = successes.map((success) => success.ended - success.begun);
    return {
        requests: outcomes.length,
        "failed requests": failures.length,
        "share of failed requests": (100 * failures.length) / Math.max(1, outcomes.length),
        "seconds with failures": new Set(failures.map((failure) => Math.floor((failure.begun - begun) / 1000))).size,
        "longest stall": longestStall(successes, begun, ended),
        ...(durations.length === 0 ? {} : { "latency p99": quantile(durations, 0.99) }),
    };
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
export function longestStall(successes: Outcome[], begun: number, ended: number): number {
    const times = [
        begun,
        ...successes.map((success) => Math.min(success.ended, ended)).sort((one, other) => one - other),
        ended,
    ];
    return times.slice(1).reduce((longest, time, index) => Math.max(longest, time - (times[index] ?? time)), 0) / 1000;
}
