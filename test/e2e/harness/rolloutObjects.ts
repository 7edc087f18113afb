import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { agentFor } from "./clients";
import type { DeploymentOutputs } from "./deployment";

/** Results of operations that were sent once, without retries. */
export interface ObjectReport {
    done: number;
    /** Duration of the slowest operation, in milliseconds. */
    longest: number;
    failures: string[];
}

const KIB = 1024;
const PAUSE_MILLISECONDS = 300;
const CLIENTS = 2;

/** Writes objects and reads each back at once, byte by byte, while an action runs. The client doesn't retry. */
export async function objectsDuring(
    outputs: DeploymentOutputs,
    bucket: string,
    work: () => Promise<unknown>,
): Promise<ObjectReport> {
    const client = new S3Client({
        endpoint: outputs.s3Endpoint,
        region: "us-east-1",
        forcePathStyle: true,
        maxAttempts: 1,
        credentials: { accessKeyId: outputs.accessKey, secretAccessKey: outputs.secretKey },
        requestHandler: new NodeHttpHandler({ httpsAgent: agentFor(outputs), requestTimeout: 60_000 }),
    });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    const report: ObjectReport = { done: 0, longest: 0, failures: [] };
    let going = true;
    const clients = Promise.all(
        Array.from({ length: CLIENTS }, (_, index) =>
            storeAndRead(client, bucket, `client${index}`, report, () => going),
        ),
    );
    try {
        await work();
    } finally {
        going = false;
        await clients;
        client.destroy();
    }
    return report;
}

async function storeAndRead(
    client: S3Client,
    bucket: string,
    prefix: string,
    report: ObjectReport,
    goesOn: () => boolean,
): Promise<void> {
    const operation = async (name: string, run: () => Promise<unknown>): Promise<boolean> => {
        const begun = Date.now();
        try {
            await run();
            report.done++;
            return true;
        } catch (error) {
            report.failures.push(`${new Date(begun).toISOString()} ${name}: ${String(error)}`);
            return false;
        } finally {
            report.longest = Math.max(report.longest, Date.now() - begun);
        }
    };
    for (let index = 0; goesOn(); index++) {
        const content = randomBytes(64 * KIB);
        const where = { Bucket: bucket, Key: `${prefix}/${index}` };
        if (await operation("PUT", () => client.send(new PutObjectCommand({ ...where, Body: content })))) {
            await operation("GET", async () => {
                const { Body: body } = await client.send(new GetObjectCommand(where));
                const bytes = (await body?.transformToByteArray()) ?? new Uint8Array();
                if (checksum(bytes) !== checksum(content)) {
                    throw new Error("other bytes came back");
                }
            });
        }
        await sleep(PAUSE_MILLISECONDS);
    }
}

function checksum(bytes: Uint8Array): string {
    return createHash("sha256").update(bytes).digest("hex");
}
