import { S3Client } from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { Agent, request } from "node:https";
import { connect, type LookupFunction } from "node:net";
import type { DeploymentOutputs } from "./deployment";

/** Every hostname resolves to this host: `.localhost` doesn't resolve on every system. */
const onThisHost: LookupFunction = (_hostname, options, callback) =>
    options.all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);

/** Connections that trust only the stack's own CA. */
export function agentFor({ caCertificate }: DeploymentOutputs): Agent {
    return new Agent({ ca: caCertificate, lookup: onThisHost, maxSockets: 50 });
}

/**
 * The AWS SDK with the README's options: path style, and the stack's CA. It sends each request once by default, because retries
 * would hide failures.
 */
export function s3ClientFor(
    outputs: DeploymentOutputs,
    credentials = { accessKeyId: outputs.accessKey, secretAccessKey: outputs.secretKey },
    maxAttempts = 1,
): S3Client {
    return new S3Client({
        endpoint: outputs.s3Endpoint,
        region: "us-east-1",
        forcePathStyle: true,
        credentials,
        maxAttempts,
        requestHandler: new NodeHttpHandler({ httpsAgent: agentFor(outputs) }),
    });
}

/** Sends a GET through the proxy, with any URL and headers. */
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

/** Sends a request without TLS; over HTTP/1.0 if no host is set. */
export function requestPlain(
    port: number,
    method: string,
    target: string,
    host: string | undefined,
): Promise<{ status: number; location: string | undefined }> {
    return new Promise((resolve, reject) => {
        const version = host === undefined ? "HTTP/1.0" : "HTTP/1.1";
        const lines = [
            `${method} ${target} ${version}`,
            ...(host === undefined ? [] : [`Host: ${host}`]),
            "Connection: close",
        ];
        const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
        let answer = "";
        socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
        socket.on("end", () =>
            resolve({
                status: Number(/^HTTP\/1\.\d (\d+)/.exec(answer)?.[1]),
                location: /^location: (.*)\r$/im.exec(answer)?.[1],
            }),
        );
        socket.on("error", reject);
    });
}
