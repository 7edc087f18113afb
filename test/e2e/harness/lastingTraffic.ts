import { PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { Readable, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { agentFor, s3ClientFor } from "./clients";
import type { DeploymentOutputs } from "./deployment";

/**
 * Number of upload parts. There is always one more to send. The parts are so small that MinIO passes them to its drives
 * at once: it aborts a request, and a stream between nodes, in which nothing arrives for 30 s.
 */
const PART_COUNT = 5000;
const PART_BYTES = 40;
const PAUSE_MILLISECONDS = 200;

/** An upload that has begun. Its last part is sent after an action. */
export interface LastingUpload {
    key: string;
    /** SHA-256 of the whole content. */
    checksum: string;
    /** Status of the response. */
    status: Promise<number>;
}

/** Begins an upload over one of the protocols, and returns it once the proxy has received its first parts. */
export async function beginUpload(
    outputs: DeploymentOutputs,
    protocol: "http/1.1" | "h2",
    { bucket, key }: { bucket: string; key: string },
    done: Promise<void>,
): Promise<LastingUpload> {
    const client = s3ClientFor(outputs);
    const url = new URL(await getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: key })));
    client.destroy();
    const content = randomBytes(PART_COUNT * PART_BYTES);
    const { body, status } = protocol === "h2" ? putOverHttp2(outputs, url) : putOverHttp1(outputs, url);
    let markBegun: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (markBegun = resolve));
    Readable.from(slowly(content, done, markBegun)).pipe(body);
    await Promise.race([begun, status]);
    return { key, checksum: createHash("sha256").update(content).digest("hex"), status };
}

/** The parts of a content with pauses between them; the last part is sent once an action is done. */
async function* slowly(content: Buffer, done: Promise<void>, markBegun: () => void): AsyncGenerator<Buffer> {
    for (let part = 0; part < PART_COUNT; part++) {
        yield content.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
        if (part === 1) {
            markBegun();
        }
        await (part === PART_COUNT - 2 ? done : Promise.race([sleep(PAUSE_MILLISECONDS), done]));
    }
}

/** A request whose body is still to be sent. */
interface OpenPut {
    body: Writable;
    status: Promise<number>;
}

function putOverHttp1(outputs: DeploymentOutputs, url: URL): OpenPut {
    const body = request(url, {
        method: "PUT",
        agent: agentFor(outputs),
        servername: url.hostname,
        headers: { "content-length": PART_COUNT * PART_BYTES },
    });
    const status = new Promise<number>((resolve, reject) => {
        body.on("error", reject).on("response", (response) => {
            response.on("end", () => resolve(response.statusCode ?? 0)).resume();
        });
    });
    return { body, status };
}

function putOverHttp2(outputs: DeploymentOutputs, url: URL): OpenPut {
    const tls = { ca: outputs.caCertificate, servername: url.hostname };
    const session = connectHttp2(`https://127.0.0.1:${url.port}`, tls);
    const body = session.request({
        ":method": "PUT",
        ":path": url.pathname + url.search,
        ":authority": url.host,
        "content-length": PART_COUNT * PART_BYTES,
    });
    const status = new Promise<number>((resolve, reject) => {
        let answered = 0;
        session.on("error", reject);
        body.on("response", ({ ":status": code }) => (answered = code ?? 0))
            .on("error", reject)
            .on("end", () => resolve(answered))
            .on("close", () => session.close())
            .resume();
    });
    return { body, status };
}

/** The console's WebSocket, which echoes what it receives. */
export class LiveConnection {
    readonly sent: string[] = [];
    /** The messages that came back, without the greeting. */
    readonly received: string[] = [];

    private constructor(private readonly socket: WebSocket) {}

    static async open(outputs: DeploymentOutputs): Promise<LiveConnection> {
        const url = `${outputs.consoleUrl.replace("https", "wss")}/service/console/live`;
        const socket = new WebSocket(url, { agent: agentFor(outputs) });
        const greeted = once(socket, "message");
        await greeted;
        const connection = new LiveConnection(socket);
        socket.on("message", (data: Buffer) => connection.received.push(data.toString("latin1")));
        return connection;
    }

    /** Sends messages while an action runs and once more afterwards, and waits for all echoes. */
    async talkUntil(done: Promise<void>): Promise<void> {
        const pause = () => Promise.race([sleep(PAUSE_MILLISECONDS, false), done.then(() => true)]);
        do {
            this.say();
        } while (!(await pause()));
        this.say();
        while (this.received.length < this.sent.length && this.socket.readyState === WebSocket.OPEN) {
            await Promise.race([once(this.socket, "message"), once(this.socket, "close")]);
        }
    }

    close(): void {
        this.socket.close();
    }

    private say(): void {
        const text = randomBytes(1000).toString("base64");
        this.sent.push(text);
        this.socket.send(text);
    }
}
