import { NodeHttp2Handler, NodeHttpHandler } from "@smithy/node-http-handler";
import type { HttpHandlerOptions, RequestHandler } from "@smithy/types";
import { Agent } from "node:https";
import { Readable } from "node:stream";

const TIMEOUT_MILLISECONDS = 20_000;

/** Node.js's own limit for HTTP/2, 128, is below what S3's limit for metadata allows. */
const MOST_HEADERS = 1000;

type Handler = NodeHttpHandler | NodeHttp2Handler;
type Request = Parameters<Handler["handle"]>[0];
type Response = Awaited<ReturnType<Handler["handle"]>>["response"];

/** Sends requests over one kept connection, and keeps the last response. */
export class RecordingHandler implements RequestHandler<Request, Response, HttpHandlerOptions> {
    /** Missing before a request was answered. */
    response: Response | undefined;
    /** The body of the response. */
    content = Buffer.alloc(0);
    private handler: Handler;

    constructor(private readonly overHttp2: boolean) {
        this.handler = this.newHandler();
    }

    /** Forgets the last response. */
    forget(): void {
        this.response = undefined;
        this.content = Buffer.alloc(0);
    }

    /** Closes the connection. */
    reset(): void {
        this.handler.destroy();
        this.handler = this.newHandler();
    }

    async handle(request: Request, options?: HttpHandlerOptions): Promise<{ response: Response }> {
        if (this.overHttp2) {
            // The SDK sets it for streams, and HTTP/2 doesn't have it.
            delete request.headers["transfer-encoding"];
        }
        const { response } = await this.handler.handle(request, options);
        this.response = response;
        const parts: Buffer[] = [];
        for await (const part of response.body as AsyncIterable<Buffer>) {
            parts.push(part);
        }
        this.content = Buffer.concat(parts);
        response.body = Readable.from([this.content]);
        return { response };
    }

    /** Sends a request that is no operation of the SDK. */
    async send(
        method: string,
        to: URL,
        path: string,
        headers: { [name: string]: string },
        body: Buffer,
    ): Promise<void> {
        const { protocol, hostname, port } = to;
        const length = body.length > 0 || method === "PUT" ? { "content-length": String(body.length) } : {};
        const target = { method, protocol, hostname, port: Number(port), path, query: {} };
        await this.handle({ ...target, headers: { host: to.host, ...length, ...headers }, body } as unknown as Request);
    }

    private newHandler(): Handler {
        const requestTimeout = TIMEOUT_MILLISECONDS;
        return this.overHttp2
            ? new NodeHttp2Handler({ requestTimeout, nodeHttp2ConnectOptions: { maxHeaderListPairs: MOST_HEADERS } })
            : new NodeHttpHandler({
                  requestTimeout,
                  throwOnRequestTimeout: true,
                  httpsAgent: new Agent({ keepAlive: true, maxSockets: 1 }),
              });
    }
}
