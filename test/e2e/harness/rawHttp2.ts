import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { openTlsSocket } from "./rawConnection";

/** How a server answered one HTTP/2 stream. */
export interface Http2Answer {
    /** Status of the response, if there is one. */
    status?: number;
    /** Error code with which the stream or the whole connection was ended (RFC 9113, section 7). */
    error?: number;
    /** Each character is one byte. */
    body: string;
}

/** Names and values of a request's header fields, pseudo-header fields first; each character is one byte. */
export type Http2Headers = [name: string, value: string][];

/** One frame (RFC 9113, section 4.1). */
interface Frame {
    type: number;
    flags: number;
    stream: number;
    payload: Buffer;
}

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const [DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY, CONTINUATION] = [0, 1, 3, 4, 7, 9];
const [ACKNOWLEDGEMENT, END_STREAM, END_HEADERS] = [1, 1, 4];
const FRAME_HEADER_LENGTH = 9;
const ANSWER_MILLISECONDS = 20_000;

/** Statuses in HPACK's static table, from index 8 on (RFC 7541, appendix A). */
const INDEXED_STATUSES = [200, 204, 206, 304, 400, 404, 500];

/** An HTTP/2 connection that can send frames that Node.js's own client refuses to send. */
export class RawHttp2Connection {
    private received: Buffer = Buffer.alloc(0);
    private nextStream = 1;
    private isClosed = false;
    /** Time at which the server closed it, in milliseconds since the epoch. */
    readonly closed: Promise<number>;

    private constructor(private readonly socket: TLSSocket) {
        socket.on("data", (part: Buffer) => (this.received = Buffer.concat([this.received, part])));
        this.closed = new Promise((resolve) => {
            const noteEnd = () => {
                this.isClosed = true;
                resolve(Date.now());
            };
            socket.on("end", noteEnd).on("close", noteEnd).on("error", noteEnd);
        });
        socket.write(PREFACE);
        this.send(SETTINGS, 0, 0, Buffer.alloc(0));
        this.send(SETTINGS, ACKNOWLEDGEMENT, 0, Buffer.alloc(0));
    }

    /** Opens a connection to a port of this host; accepts any certificate. */
    static async open(port: number): Promise<RawHttp2Connection> {
        return new RawHttp2Connection(await openTlsSocket(port, { ALPNProtocols: ["h2"] }));
    }

    /** Sends a request, with each part of its body in a separate DATA frame. Returns its stream. */
    request(headers: Http2Headers, body: string[] = []): number {
        const stream = this.begin(headers, body.length === 0);
        body.forEach((part, index) => this.data(stream, part, index === body.length - 1));
        return stream;
    }

    /** Sends the headers of a request, and returns its stream. */
    begin(headers: Http2Headers, isEnd = false): number {
        const stream = this.nextStream;
        this.nextStream += 2;
        this.send(HEADERS, END_HEADERS | (isEnd ? END_STREAM : 0), stream, headerBlock(headers));
        return stream;
    }

    /** Sends the beginning of a request's headers; {@link continueHeaders} sends more. */
    beginHeaders(headers: Http2Headers): number {
        const stream = this.nextStream;
        this.nextStream += 2;
        this.send(HEADERS, 0, stream, headerBlock(headers));
        return stream;
    }

    /** Sends more headers, but not the last ones. */
    continueHeaders(stream: number, headers: Http2Headers): void {
        this.send(CONTINUATION, 0, stream, headerBlock(headers));
    }

    /** Sends a part of a body. */
    data(stream: number, part: string, isEnd: boolean): void {
        this.send(DATA, isEnd ? END_STREAM : 0, stream, Buffer.from(part, "latin1"));
    }

    /** Waits for the end of a stream or of the connection. */
    async answer(stream: number): Promise<Http2Answer> {
        const deadline = Date.now() + ANSWER_MILLISECONDS;
        while (!this.isClosed && !this.hasEnded(stream) && Date.now() < deadline) {
            await sleep(20);
        }
        const frames = this.framesOf(stream);
        const headers = frames.find(({ type }) => type === HEADERS);
        const error = frames.find(({ type }) => type === RST_STREAM || type === GOAWAY);
        return {
            status: headers === undefined ? undefined : statusIn(headers.payload),
            error: error?.payload.readUInt32BE(error.type === GOAWAY ? 4 : 0),
            body: Buffer.concat(frames.filter(({ type }) => type === DATA).map(({ payload }) => payload)).toString(
                "latin1",
            ),
        };
    }

    destroy(): void {
        this.socket.destroy();
    }

    private send(type: number, flags: number, stream: number, payload: Buffer): void {
        const header = Buffer.alloc(FRAME_HEADER_LENGTH);
        header.writeUIntBE(payload.length, 0, 3);
        header.writeUInt8(type, 3);
        header.writeUInt8(flags, 4);
        header.writeUInt32BE(stream, 5);
        this.socket.write(Buffer.concat([header, payload]));
    }

    private hasEnded(stream: number): boolean {
        return this.framesOf(stream).some(
            ({ type, flags }) => type === GOAWAY || type === RST_STREAM || (flags & END_STREAM) !== 0,
        );
    }

    /** The frames of a stream that matter, and GOAWAY. */
    private framesOf(stream: number): Frame[] {
        return framesIn(this.received).filter(
            (frame) =>
                frame.type === GOAWAY || (frame.stream === stream && [DATA, HEADERS, RST_STREAM].includes(frame.type)),
        );
    }
}

/** Sends one request on its own connection. */
export async function exchangeHttp2(port: number, headers: Http2Headers, body?: string[]): Promise<Http2Answer> {
    const connection = await RawHttp2Connection.open(port);
    try {
        return await connection.answer(connection.request(headers, body));
    } finally {
        connection.destroy();
    }
}

function framesIn(bytes: Buffer): Frame[] {
    const frames: Frame[] = [];
    let position = 0;
    while (position + FRAME_HEADER_LENGTH <= bytes.length) {
        const start = position + FRAME_HEADER_LENGTH;
        const end = start + bytes.readUIntBE(position, 3);
        if (end > bytes.length) {
            break;
        }
        const [type, flags] = [bytes.readUInt8(position + 3), bytes.readUInt8(position + 4)];
        frames.push({ type, flags, stream: bytes.readUInt32BE(position + 5), payload: bytes.subarray(start, end) });
        position = end;
    }
    return frames;
}

/** Literal header fields that are never indexed, without Huffman coding (RFC 7541, section 6.2.3). */
function headerBlock(headers: Http2Headers): Buffer {
    const text = (value: string) => [encodeInteger(value.length), Buffer.from(value, "latin1")];
    return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0x10]), ...text(name), ...text(value)]));
}

/** An integer with a prefix of seven bits (RFC 7541, section 5.1). */
function encodeInteger(value: number): Buffer {
    if (value < 127) {
        return Buffer.from([value]);
    }
    const bytes = [127];
    let rest = value - 127;
    while (rest >= 128) {
        bytes.push((rest % 128) + 128);
        rest = Math.floor(rest / 128);
    }
    return Buffer.from([...bytes, rest]);
}

/** The status, which is the first field: indexed, or a literal with an indexed name, as HAProxy sends it. */
function statusIn(block: Buffer): number {
    const first = block.readUInt8(0);
    return first >= 0x88 && first <= 0x8e
        ? (INDEXED_STATUSES[first - 0x88] ?? 0)
        : Number(block.subarray(2, 5).toString("latin1"));
}
