import { S3Client } from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { Agent, request } from "node:https";
import type { LookupFunction } from "node:net";
import type { DeploymentOutputs } from "./deployment";

/** Every hostname is on this host: `.localhost` doesn't resolve everywhere. */
const onThisHost: LookupFunction = (_hostname, options, callback) =>
    options.all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);

/** Connections that trust the stack's own authority and nobody else. */
export function agentFor({ caCertificate }: DeploymentOutputs): Agent {
    return new Agent({ ca: caCertificate, lookup: onThisHost, maxSockets: 50 });
}

/** The AWS SDK as the README shows it: path style, the stack's authority. */
export function s3ClientFor(
    outputs: DeploymentOutputs,
    credentials = { accessKeyId: outputs.accessKey, secretAccessKey: outputs.secretKey },
): S3Client {
    return new S3Client({
        endpoint: outputs.s3Endpoint,
        region: "us-east-1",
        forcePathStyle: true,
        credentials,
        requestHandler: new NodeHttpHandler({ httpsAgent: agentFor(outputs) }),
    });
}

/** A GET through the proxy, with any URL and headers. */
export function get(
    outputs: DeploymentOutputs,
    url: string,
    headers: { [name: string]: string } = {},
): Promise<{ status: number; headers: { [name: string]: string | string[] | undefined }; body: Buffer }> {
    return new Promise((resolve, reject) => {
        request(url, { agent: agentFor(outputs), headers, servername: new URL(url).hostname }, (response) => {
            const parts: Buffer[] = [];
            response.on("data", (part: Buffer) => parts.push(part));
            response.on("end", () =>
                resolve({
                    status: response.statusCode ?? 0,
                    headers: response.headers,
                    body: Buffer.concat(parts),
                }),
            );
        })
            .on("error", reject)
            .end();
    });
}
