import { connect as connectHttp2, constants, type ClientHttp2Session } from "node:http2";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { TlsEndpoint } from "./wire";

/** How requests reach the proxy: over which protocol, and on new connections or on one persistent connection. */
export const MANNERS = ["http/1.1, new", "http/1.1, kept", "h2, new", "h2, kept"] as const;

export type Manner = (typeof MANNERS)[number];

/** Results of requests. */
export interface RequestTally {
    answered: number;
    /** The error of each request that wasn't answered with 200. Requests are never retried. */
    failures: string[];
}

/** Sends one request, and returns the status. */
interface Asker {
    ask(): Promise<number>;
    close(): void;
}

const TIMEOUT_MILLISECONDS = 10_000;
const PAUSE_MILLISECONDS = 10;

/** Sends GETs of one path, one after the other, until they are stopped. */
export class ShortRequests {
    private readonly tally: RequestTally = { answered: 0, failures: [] };
    private readonly ended: Promise<void>;
    private stopping = false;

    constructor(manner: Manner, endpoint: TlsEndpoint, path: string) {
        const asker = manner.startsWith("h2")
            ? new Http2Asker(endpoint, path, manner === "h2, kept")
            : new Http1Asker(endpoint, path, manner === "http/1.1, kept");
        this.ended = this.run(asker);
    }

    /** Number of requests answered with 200 so far. */
    get answered(): number {
        return this.tally.answered;
    }

    async stop(): Promise<RequestTally> {
        this.stopping = true;
        await this.ended;
        return this.tally;
    }

    private async run(asker: Asker): Promise<void> {
        while (!this.stopping) {
            const failure = await asker.ask().then(
                (status) => (status === 200 ? undefined : String(status)),
                (error: unknown) => String(error),
            );
            if (failure === undefined) {
                this.tally.answered++;
            } else {
                this.tally.failures.push(`${new Date().toISOString()} ${failure}`);
            }
            await sleep(PAUSE_MILLISECONDS);
        }
        asker.close();
    }
}

class Http1Asker implements Asker {
    private readonly agent: Agent;

    constructor(
        private readonly endpoint: TlsEndpoint,
        private readonly path: string,
        keepAlive: boolean,
    ) {
        this.agent = new Agent({ ...endpoint.tls, keepAlive, maxSockets: 1 });
    }

    ask(): Promise<number> {
        const { port, tls } = this.endpoint;
        return new Promise((resolve, reject) => {
            const sent = request({
                host: "127.0.0.1",
                port,
                path: this.path,
                headers: { host: tls.servername },
                agent: this.agent,
                timeout: TIMEOUT_MILLISECONDS,
            });
            sent.on("response", (response) => {
                response
                    .on("end", () => resolve(response.statusCode ?? 0))
                    .on("error", reject)
                    .resume();
            });
            sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
            sent.on("error", reject).end();
        });
    }

    close(): void {
        this.agent.destroy();
    }
}

/**
 * Keeps a connection until the proxy announces its end (GOAWAY). A request that is sent after that is refused by the
 * client's own library, and is sent again on the next connection: it was not processed (RFC 9113, section 8.7).
 */
class Http2Asker implements Asker {
    private session: ClientHttp2Session | undefined;

    constructor(
        private readonly endpoint: TlsEndpoint,
        private readonly path: string,
        private readonly keeps: boolean,
    ) {}

    async ask(): Promise<number> {
        const session = this.openSession();
        const status = await this.askOn(session);
        return status === "refused" && session.closed ? this.ask() : Number(status);
    }

    close(): void {
        this.session?.destroy();
    }

    private askOn(session: ClientHttp2Session): Promise<number | "refused"> {
        const { servername: host } = this.endpoint.tls;
        return new Promise<number | "refused">((resolve, reject) => {
            const stream = session.request({ ":path": this.path, ":authority": host });
            let status = 0;
            stream.on("response", ({ ":status": code }) => (status = code ?? 0));
            stream
                .on("end", () => resolve(status))
                .on("error", (error: Error) => {
                    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
                        resolve("refused");
                    }
                    reject(error);
                })
                .resume();
            stream.on("close", () => reject(new Error(`closed with ${stream.rstCode} before the answer's end`)));
            stream.setTimeout(TIMEOUT_MILLISECONDS, () => stream.destroy(new Error("no answer in time")));
            session.once("error", reject);
        }).finally(() => {
            session.removeAllListeners("error").on("error", () => undefined);
            if (!this.keeps) {
                session.close();
            }
        });
    }

    private openSession(): ClientHttp2Session {
        if (this.session === undefined || this.session.closed || this.session.destroyed) {
            this.session = connectHttp2(`https://127.0.0.1:${this.endpoint.port}`, this.endpoint.tls);
        }
        return this.session;
    }
}
