import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";

/** One response. Each of its characters is one byte. */
export interface RawAnswer {
    status: number;
    /** By lower-case name. */
    headers: { [name: string]: string };
    body: string;
}

/** Everything that a server sent, and whether it has closed the connection. */
export interface Settled {
    /** Statuses of all responses, including interim ones. */
    statuses: number[];
    closed: boolean;
}

const POLL_MILLISECONDS = 20;
const ANSWER_MILLISECONDS = 60_000;

/** Time limit, in milliseconds, for the start of a response that the server may also omit. */
const SILENT_MILLISECONDS = 15_000;

/** A connection to a port of this host that can send any bytes. It never closes by itself. */
export class RawConnection {
    private readonly parts: Buffer[] = [];
    private lastReceived = Date.now();
    private isClosed = false;
    /** Time at which the server closed it, in milliseconds since the epoch. */
    readonly closed: Promise<number>;

    private constructor(readonly socket: Socket) {
        socket.on("data", (part: Buffer) => {
            this.parts.push(part);
            this.lastReceived = Date.now();
        });
        this.closed = new Promise((resolve) => {
            const noteEnd = () => {
                this.isClosed = true;
                resolve(Date.now());
            };
            socket.on("end", noteEnd).on("close", noteEnd).on("error", noteEnd);
        });
    }

    /** Opens a connection without TLS. */
    static async open(port: number): Promise<RawConnection> {
        const socket = connectTcp(port, "127.0.0.1");
        await once(socket, "connect");
        return new RawConnection(socket);
    }

    /** Opens a connection with TLS, as {@link openTlsSocket} does. */
    static async openTls(port: number, options?: ConnectionOptions): Promise<RawConnection> {
        return new RawConnection(await openTlsSocket(port, options));
    }

    write(data: string | Buffer): void {
        this.socket.write(typeof data === "string" ? Buffer.from(data, "latin1") : data);
    }

    /** Everything received so far; each character is one byte. */
    text(): string {
        return Buffer.concat(this.parts).toString("latin1");
    }

    /**
     * Waits until a condition holds.
     *
     * @throws {Error} if it doesn't hold in time, or if the server closes the connection before.
     */
    async until(holds: () => boolean, milliseconds = ANSWER_MILLISECONDS): Promise<void> {
        const deadline = Date.now() + milliseconds;
        while (!holds()) {
            if (this.isClosed || Date.now() > deadline) {
                throw new Error(`${this.isClosed ? "closed" : "waited in vain"} after ${JSON.stringify(this.text())}`);
            }
            await sleep(POLL_MILLISECONDS);
        }
    }

    /** Waits for a response of known length. The response to HEAD has no body, whatever its length. */
    async answer(isHead = false): Promise<RawAnswer> {
        let found: RawAnswer | undefined;
        await this.until(() => (found = parseAnswer(this.text(), isHead)) !== undefined);
        return found as unknown as RawAnswer;
    }

    /**
     * Waits until the server has closed the connection, or has sent nothing for a while after its last bytes. A server
     * that has sent nothing yet may be busy, so it gets much more time.
     */
    async settle(quietMilliseconds: number): Promise<Settled> {
        const start = Date.now();
        const quietFor = () => Date.now() - Math.max(start, this.lastReceived);
        const enough = () => (this.parts.length === 0 ? SILENT_MILLISECONDS : quietMilliseconds);
        while (!this.isClosed && quietFor() < enough()) {
            await sleep(POLL_MILLISECONDS);
        }
        const statuses = [...this.text().matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => Number(status));
        return { statuses, closed: this.isClosed };
    }

    destroy(): void {
        this.socket.destroy();
    }
}

/**
 * A TLS connection to a port of this host that accepts any certificate: HTTP/1.1 to the S3 hostname, unless the options
 * say otherwise.
 *
 * @throws {Error} if the handshake fails.
 */
export async function openTlsSocket(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connectTls({
        port,
        host: "127.0.0.1",
        servername: "s3.localhost",
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: false,
        ...options,
    });
    await once(socket, "secureConnect");
    return socket;
}

function parseAnswer(text: string, isHead: boolean): RawAnswer | undefined {
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd === -1) {
        return undefined;
    }
    const [statusLine = "", ...lines] = text.slice(0, headEnd).split("\r\n");
    const headers = Object.fromEntries(
        lines.map((line) => {
            const colon = line.indexOf(":");
            return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
    );
    const length = isHead ? 0 : Number(headers["content-length"]);
    const body = text.slice(headEnd + 4);
    return body.length < length
        ? undefined
        : { status: Number(statusLine.split(" ")[1]), headers, body: body.slice(0, length) };
}
