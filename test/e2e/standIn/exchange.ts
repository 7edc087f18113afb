import type { IncomingMessage, ServerResponse } from "node:http";
import type { ObservedRequest } from "./observations";
import type { RequestTarget } from "./requestTarget";

/** A request and its response. */
export interface Exchange {
    request: IncomingMessage;
    response: ServerResponse;
    target: RequestTarget;
    observed: ObservedRequest;
    /** Host name of the node that answers. */
    node: string;
}

/** Answers the requests of one part of the program. Returns whether this request is one of them. */
export type Route = (exchange: Exchange) => boolean | Promise<boolean>;

/** The response to send. */
export interface Answer {
    status: number;
    headers?: { [name: string]: string };
    body?: string | Buffer;
}

/** Sends a response that names the node and the part of the program that answered. */
export function answer({ response, observed, node }: Exchange, route: string, { status, headers, body }: Answer): void {
    observed.route = route;
    observed.status = status;
    response.writeHead(status, {
        "content-length": String(Buffer.byteLength(body ?? "")),
        ...headers,
        "x-node": node,
        "x-route": route,
    });
    response.end(body);
}

/** Sends a response in JSON. */
export function answerJson(exchange: Exchange, route: string, value: unknown, status = 200): void {
    const headers = { "content-type": "application/json" };
    answer(exchange, route, { status, headers, body: `${JSON.stringify(value)}\n` });
}

/** Sends a response in plain text. */
export function answerText(exchange: Exchange, route: string, text: string, status = 200): void {
    answer(exchange, route, { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` });
}
