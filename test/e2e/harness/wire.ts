import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { connect } from "node:http2";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { WireRequest } from "./signedRequest";

/** A complete response. */
export interface Answer {
    status: number;
    /** By lower-case name; each character of a value is one byte. */
    headers: { [name: string]: string };
    body: Buffer;
    /** Whether `100 Continue` came before the response. Without it, a body that waits for it isn't sent. */
    continued: boolean;
}

/** A route of requests to a store. */
export type Route = (request: WireRequest) => Promise<Answer>;

/** A port of this host. */
export interface Endpoint {
    port: number;
    /** TLS options; undefined for plain text. */
    tls?: TlsOptions;
}

/** A port of this host that speaks TLS. */
export interface TlsEndpoint extends Endpoint {
    tls: TlsOptions;
}

interface TlsOptions {
    /** The CA certificate to trust, in PEM. */
    ca: string;
    servername: string;
}

const TIMEOUT_MILLISECONDS = 60_000;
const KEEP_ALIVE = { keepAlive: true };

/**
 * HTTP/1.1, with a new connection for each request. No request asks the store to close the connection: a store that
 * closes it during an upload may lose its response.
 */
export function overHttp1({ port, tls }: Endpoint): Route {
    return ({ method, target, headers, body }) =>
        new Promise((resolve, reject) => {
            const options = { host: "127.0.0.1", port, method, path: target, headers, timeout: TIMEOUT_MILLISECONDS };
            const agent = tls === undefined ? new HttpAgent(KEEP_ALIVE) : new HttpsAgent({ ...KEEP_ALIVE, ...tls });
            const sent = (tls === undefined ? requestHttp : requestHttps)({ ...options, agent });
            let continued = false;
            sent.on("response", (response) => {
                const parts: Buffer[] = [];
                response.on("data", (part: Buffer) => parts.push(part));
                response.on("error", reject);
                response.on("end", () => {
                    const { statusCode: status = 0, headers: answered } = response;
                    resolve({ status, headers: joined(answered), body: Buffer.concat(parts), continued });
                    agent.destroy();
                    sent.destroy();
                });
            });
            sent.on("timeout", () => sent.destroy(new Error(`no answer to ${method} ${target}`)));
            sent.on("error", reject);
            sendBody(sent, headers, body, () => (continued = true));
        });
}

/** HTTP/2, with a new connection for each request. */
export function overHttp2({ port, tls }: TlsEndpoint): Route {
    return ({ method, target, headers, body }) =>
        new Promise((resolve, reject) => {
            // An object can have more metadata than the default of 128 allows.
            const session = connect(`https://127.0.0.1:${port}`, { ...tls, maxHeaderListPairs: 2000 });
            const fail = (error: Error) => {
                session.destroy();
                reject(error);
            };
            session.on("error", fail);
            const { Host: host, ...rest } = headers;
            delete rest["transfer-encoding"];
            const pseudo = { ":method": method, ":scheme": "https", ":authority": host, ":path": target };
            const stream = session.request({ ...pseudo, ...rest }, { endStream: false });
            let status = 0;
            let answered: Answer["headers"] = {};
            let continued = false;
            const parts: Buffer[] = [];
            stream.on("response", ({ ":status": code, ...values }) => {
                status = code ?? 0;
                answered = joined(values);
            });
            stream.on("data", (part: Buffer) => parts.push(part));
            stream.on("end", () => {
                resolve({ status, headers: answered, body: Buffer.concat(parts), continued });
                session.destroy();
            });
            stream.on("error", fail);
            stream.setTimeout(TIMEOUT_MILLISECONDS, () => fail(new Error(`no answer to ${method} ${target}`)));
            sendBody(stream, headers, body, () => (continued = true));
        });
}

/** Options that both kinds of requests share. */
interface Sender {
    end(body: Buffer): unknown;
    once(event: "continue", listener: () => void): unknown;
}

/** Sends a body, either at once or when the store asks for it. */
function sendBody(sender: Sender, headers: WireRequest["headers"], body: Buffer, onContinue: () => void): void {
    sender.once("continue", onContinue);
    if (headers["expect"] === "100-continue") {
        sender.once("continue", () => sender.end(body));
    } else {
        sender.end(body);
    }
}

function joined(headers: { [name: string]: string | string[] | undefined }): Answer["headers"] {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
