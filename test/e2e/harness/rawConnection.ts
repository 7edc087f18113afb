import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";

/** What a server sent, and whether it has closed the connection since. */
export interface RawAnswer {
    text: string;
    /** Statuses of the answers in it, interim ones too. */
    statuses: number[];
    closed: boolean;
}

const POLL_MILLISECONDS = 20;

/** A connection to a port of this host, by which any bytes can be sent; it never ends by itself. */
export class RawConnection {
    private readonly parts: Buffer[] = [];
    private lastReceived = Date.now();
    private isClosed = false;
    /** When the server closed it, in milliseconds since the epoch. */
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

    /** Without TLS. */
    static async open(port: number): Promise<RawConnection> {
        const socket = connectTcp(port, "127.0.0.1");
        await once(socket, "connect");
        return new RawConnection(socket);
    }

    /** With TLS, whoever's certificate it is; HTTP/1.1 to the S3 hostname unless the options say otherwise. */
    static async openTls(port: number, options: ConnectionOptions = {}): Promise<RawConnection> {
        return new RawConnection(await openTlsSocket(port, options));
    }

    write(data: string | Buffer): void {
        this.socket.write(typeof data === "string" ? Buffer.from(data, "latin1") : data);
    }

    received(): Buffer {
        return Buffer.concat(this.parts);
    }

    /** Waits until the server has closed the connection, or has sent nothing for a while. */
    async settle(quietMilliseconds = 500): Promise<RawAnswer> {
        const start = Date.now();
        while (!this.isClosed && Date.now() - Math.max(start, this.lastReceived) < quietMilliseconds) {
            await sleep(POLL_MILLISECONDS);
        }
        const text = this.received().toString("latin1");
        const statuses = [...text.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => Number(status));
        return { text, statuses, closed: this.isClosed };
    }

    destroy(): void {
        this.socket.destroy();
    }
}

/**
 * A TLS connection to a port of this host, whoever's certificate it is.
 *
 * @throws {Error} where the handshake fails.
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

/** Sends bytes on a connection of their own, and gives what came back. */
export async function exchangeRaw(
    opened: Promise<RawConnection>,
    bytes: string | Buffer,
    quietMilliseconds?: number,
): Promise<RawAnswer> {
    const connection = await opened;
    try {
        connection.write(bytes);
        return await connection.settle(quietMilliseconds);
    } finally {
        connection.destroy();
    }
}
