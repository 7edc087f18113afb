import type Docker from "dockerode";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { script } from "../../components/docker/script";
import { S3_PORT } from "../../components/store/topology";
import { StepError } from "../cli/step";

/** The answer of a store. */
export interface StoreAnswer {
    status: number;
    /** Names are in lower case. */
    headers: { [name: string]: string };
    body: Buffer;
}

/** A request with the root keys. */
export interface StoreRequest {
    method: "GET" | "PUT" | "DELETE";
    /** Path and query, percent-encoded. */
    path: string;
    headers?: { [name: string]: string };
    body?: Buffer;
}

/** The root keys of a store. */
export interface RootKeys {
    accessKey: string;
    secretKey: string;
}

/** What a store is asked by. */
export type StoreRequests = Pick<NodeStore, "send">;

/**
 * A store as one of its nodes serves it, asked from inside that node. So it is reached wherever its engine is, and the
 * proxy's rules don't apply. The keys are in no argument and no variable of a process.
 */
export class NodeStore {
    constructor(
        private readonly docker: Docker,
        private readonly container: string,
        private readonly keys: RootKeys,
    ) {}

    /** @throws {StepError} if the store gives no answer. */
    async send(request: StoreRequest): Promise<StoreAnswer> {
        const configuration = Buffer.from(curlConfiguration(request, this.keys));
        const body = request.body ?? Buffer.alloc(0);
        const exec = await this.docker.getContainer(this.container).exec({
            Cmd: ["/bin/sh", "-c", REQUEST_SCRIPT, "sh", String(configuration.length), String(body.length)],
            AttachStdin: true,
            AttachStdout: true,
            AttachStderr: true,
        });
        const stream = await exec.start({ hijack: true, stdin: true });
        const [output, errors] = [new PassThrough(), new PassThrough()];
        this.docker.modem.demuxStream(stream, output, errors);
        stream.on("end", () => {
            output.end();
            errors.end();
        });
        stream.write(Buffer.concat([configuration, body]));
        const [answer, message] = await Promise.all([buffer(output), buffer(errors)]);
        const { ExitCode: code } = await exec.inspect();
        if (code !== 0) {
            throw new StepError(`the store doesn't answer in ${this.container}: ${message.toString().trim()}`);
        }
        return answerOf(answer);
    }
}

const REQUEST_SCRIPT = script(join(__dirname), "request.sh");

/** Options of curl, in the format of its configuration file. */
function curlConfiguration({ method, path, headers = {}, body }: StoreRequest, keys: RootKeys): string {
    const options: [string, string][] = [
        ["url", `http://127.0.0.1:${S3_PORT}${path}`],
        ["request", method],
        ["user", `${keys.accessKey}:${keys.secretKey}`],
        ["aws-sigv4", "aws:amz:us-east-1:s3"],
        ["header", "Expect:"],
        ...Object.entries(headers).map(([name, value]): [string, string] => ["header", `${name}: ${value}`]),
        ...(body === undefined ? [] : [["data-binary", "@-"] as [string, string]]),
    ];
    const quoted = options.map(([name, value]) => `${name} = "${value.replaceAll(/[\\"]/g, "\\$&")}"`);
    return ["silent", "show-error", "include", "globoff", ...quoted].join("\n");
}

function answerOf(text: Buffer): StoreAnswer {
    const end = text.indexOf("\r\n\r\n");
    const [first = "", ...lines] = text.subarray(0, end).toString("latin1").split("\r\n");
    const headers = lines.map((line): [string, string] => {
        const [, name = "", value = ""] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
        return [name.toLowerCase(), value];
    });
    return {
        status: Number(first.split(" ")[1]),
        headers: Object.fromEntries(headers),
        body: text.subarray(end + 4),
    };
}

/**
 * Sends a request that must succeed.
 *
 * @throws {StepError} with the store's answer, if it doesn't.
 */
export async function demand(store: StoreRequests, request: StoreRequest): Promise<StoreAnswer> {
    const answer = await store.send(request);
    if (answer.status < 200 || answer.status > 299) {
        const { method, path } = request;
        throw new StepError(`${method} ${path} was answered with ${answer.status}: ${answer.body.toString().trim()}`);
    }
    return answer;
}
