import * as s3 from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { createHash } from "node:crypto";
import dns from "node:dns";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { bytesOf, type Command, type Outcome } from "../protocol";
import { RecordingHandler } from "./recordingHandler";

// Client of the differential test: the AWS SDK for JavaScript. Reads a command a line, and answers each with the outcome a line.

const LONGEST_BODY = 100_000;

const { S3_ENDPOINT: endpoint = "", S3_ADDRESS: address = "", S3_PROTOCOL: protocol } = process.env;
const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = process.env;

let connections = 0;

// Every hostname is the target's address. The type of the many forms of this function can't be said.
(dns as { lookup: unknown }).lookup = (
    _host: string,
    options: { all?: boolean },
    callback: (error: null, found: unknown, family?: number) => void,
) => {
    connections++;
    if (options.all === true) {
        callback(null, [{ address, family: 4 }]);
    } else {
        callback(null, address, 4);
    }
};

const handler = new RecordingHandler(protocol === "HTTP/2");

const common: s3.S3ClientConfig = {
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    maxAttempts: 1,
    requestHandler: handler,
    credentials: { accessKeyId, secretAccessKey },
};

const clients = {
    owner: new s3.S3Client(common),
    stranger: new s3.S3Client({ ...common, credentials: { accessKeyId, secretAccessKey: "a-wrong-secret" } }),
    anonymous: new s3.S3Client({ ...common, signer: { sign: (request) => Promise.resolve(request) } }),
};

for (const client of Object.values(clients)) {
    client.middlewareStack.add(
        (next) => (args) => {
            const { headers } = args.request as { headers: { [name: string]: string } };
            delete headers["Expect"];
            if (current.expect === true) {
                headers["Expect"] = "100-continue";
            }
            Object.assign(headers, Object.fromEntries(current.headers ?? []));
            return next(args);
        },
        { step: "build", priority: "low", name: "headersOfTheCommand" },
    );
}

let current: Command;

/** The SDK's command. Times are dates in it. */
function commandOf({ operation, parameters, body, streamed, presigned }: Command, abort: AbortController): never {
    const input = Object.entries(parameters).map(([name, value]) => [
        name,
        name.endsWith("Since") ? new Date(String(value)) : value,
    ]);
    const Class = (s3 as unknown as { [name: string]: new (input: object) => never })[`${operation}Command`];
    if (Class === undefined) {
        throw new Error(`the SDK has no ${operation}`);
    }
    const content = body === undefined || presigned === true ? {} : { Body: bytesOf(body), ContentLength: body.size };
    if (body?.endsAt !== undefined) {
        content.Body = abortedStream(bytesOf(body).subarray(0, body.endsAt), abort) as never;
    } else if (streamed === true && content.Body !== undefined) {
        content.Body = Readable.from([content.Body]) as never;
    }
    return new Class({ ...content, ...(Object.fromEntries(input) as object) });
}

/** A stream that aborts the request when it has been read. */
function abortedStream(content: Buffer, abort: AbortController): Readable {
    return Readable.from(
        (async function* () {
            yield content;
            await new Promise((resolve) => setTimeout(resolve, 20));
            abort.abort();
            await new Promise(() => undefined);
        })(),
    );
}

async function execute(command: Command): Promise<void> {
    const abort = new AbortController();
    const content = command.body === undefined ? Buffer.alloc(0) : bytesOf(command.body);
    const client = clients[command.by ?? "owner"];
    if (command.operation === "Request") {
        const { method, target } = command.parameters as { method: string; target: string };
        await handler.send(method, new URL(endpoint), target, Object.fromEntries(command.headers ?? []), content);
    } else if (command.presigned === true) {
        const url = new URL(await getSignedUrl(client, commandOf(command, abort)));
        const method = { GetObject: "GET", HeadObject: "HEAD" }[command.operation] ?? "PUT";
        await handler.send(method, url, url.pathname + url.search, {}, content);
    } else {
        await client.send(commandOf(command, abort), { abortSignal: abort.signal }).catch((error: unknown) => {
            throw abort.signal.aborted ? Object.assign(new Error("aborted"), { name: "AbortError" }) : error;
        });
    }
}

function errorOf(error: unknown): string {
    const {
        name,
        code,
        $metadata: metadata,
    } = error as Partial<s3.S3ServiceException> & { name: string; code?: string };
    if (name === "AbortError") {
        return "aborted";
    }
    // The SDK also calls a lost connection a timeout, and then keeps its code.
    if (name === "TimeoutError" && code === undefined) {
        return "timeout";
    }
    return metadata?.httpStatusCode === undefined && code !== undefined ? "connection" : name;
}

async function outcomeOf(command: Command): Promise<Outcome> {
    handler.forget();
    const error = await execute(command).then(
        () => undefined,
        (reason: unknown) => reason,
    );
    const { response, content } = handler;
    return {
        ...(response === undefined ? {} : { status: response.statusCode, headers: plainHeaders(response.headers) }),
        body: {
            size: content.length,
            sha256: createHash("sha256").update(content).digest("hex"),
            ...(content.length > LONGEST_BODY ? {} : { base64: content.toString("base64") }),
        },
        ...(error === undefined
            ? {}
            : {
                  error: errorOf(error),
                  detail: `${(error as Error).name}: ${(error as Error).message}`.slice(0, 500),
              }),
        connections,
    };
}

/** Without what HTTP/2 writes as a header, such as the status. */
function plainHeaders(headers: { [name: string]: unknown }): { [name: string]: string } {
    const kept = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
    return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

async function main(): Promise<void> {
    for await (const line of createInterface(process.stdin)) {
        current = JSON.parse(line) as Command;
        if (current.operation === "Reset") {
            handler.reset();
            connections = 0;
            console.log("{}");
        } else {
            console.log(JSON.stringify(await outcomeOf(current)));
        }
    }
    process.exit();
}

void main();
