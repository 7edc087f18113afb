import { CreateBucketCommand, PutBucketPolicyCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { setTimeout as sleep } from "node:timers/promises";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";
import { beginUpload } from "../harness/lastingTraffic";
import { MANNERS, ShortRequests } from "../harness/shortRequests";
import { SteadyRequests } from "../harness/steadyRequests";
import { checksumOf } from "../harness/traffic";

const BUCKET = "address";

const ANYBODY_READS = {
    Version: "2012-10-17",
    Statement: [
        { Effect: "Allow", Principal: "*", Action: ["s3:GetObject"], Resource: [`arn:aws:s3:::${BUCKET}/short`] },
    ],
};

/** Seconds that an upload takes. */
const UPLOAD_SECONDS = 6;

/** Number of successful requests, and the error of each failed one, by the manner in which they were sent. */
export interface AddressTally {
    [manner: string]: { answered: number; failures: string[] };
}

/**
 * Requests at one address, none of which is retried: short ones over both protocols, on new and on kept connections, and
 * uploads that take several seconds, whose content is compared afterwards.
 */
export class AddressLoad {
    private constructor(
        private readonly short: Map<string, ShortRequests>,
        private readonly uploads: Map<string, SteadyRequests>,
    ) {}

    static async start(outputs: DeploymentOutputs): Promise<AddressLoad> {
        const client = s3ClientFor(outputs);
        await client.send(new CreateBucketCommand({ Bucket: BUCKET })).catch(() => undefined);
        await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "short", Body: "short" }));
        await client.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy: JSON.stringify(ANYBODY_READS) }));
        client.destroy();
        const { hostname, port } = new URL(outputs.s3Endpoint);
        const endpoint = { port: Number(port), tls: { ca: outputs.caCertificate, servername: hostname } };
        const short = MANNERS.map((manner): [string, ShortRequests] => [
            manner,
            new ShortRequests(manner, endpoint, `/${BUCKET}/short`),
        ]);
        const uploads = (["http/1.1", "h2"] as const).map((protocol): [string, SteadyRequests] => [
            `${protocol}, uploads of ${UPLOAD_SECONDS} s`,
            new SteadyRequests((count) => upload(outputs, protocol, `${protocol.replace("/", "-")}-${count}`)),
        ]);
        return new AddressLoad(new Map(short), new Map(uploads));
    }

    async stop(): Promise<AddressTally> {
        const all = [...this.short, ...this.uploads].map(
            async ([manner, requests]): Promise<[string, AddressTally[string]]> => [manner, await requests.stop()],
        );
        return Object.fromEntries(await Promise.all(all));
    }
}

async function upload(outputs: DeploymentOutputs, protocol: "http/1.1" | "h2", key: string): Promise<void> {
    const begun = await beginUpload(outputs, protocol, { bucket: BUCKET, key }, sleep(UPLOAD_SECONDS * 1000));
    const status = await begun.status;
    if (status !== 200) {
        throw new Error(`status ${status}`);
    }
    const client = s3ClientFor(outputs);
    const found = await checksumOf(client, BUCKET, key).finally(() => client.destroy());
    if (found !== begun.checksum) {
        throw new Error(`${key} has another content`);
    }
}
