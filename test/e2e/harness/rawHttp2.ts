import { setTimeout as sleep } from "node:timers/promises";
import { openTlsSocket } from "./rawConnection";

/** What a server made of one HTTP/2 stream. */
export interface Http2Answer {
    /** Status of the answer, if there is one. */
    status?: number;
    /** Error code of RST_STREAM or GOAWAY, if the stream or its connection was ended (RFC 9113, section 7). */
    error?: number;
    /** What came of the answer's body. */
    body: string;
}

/** One frame (RFC 9113, section 4.1). */
interface Frame {
    type: number;
    flags: number;
    stream: number;
    payload: Buffer;
}

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const [DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY] = [0, 1, 3, 4, 7];
const [END_STREAM, END_HEADERS, ACKNOWLEDGEMENT] = [1, 4, 1];
const FRAME_HEADER_LENGTH = 9;
const NO_ERROR = 0;

/** The part of HPACK's static table that holds statuses, from index 8 on (RFC 7541, appendix A). */
const INDEXED_STATUSES = [200, 204, 206, 304, 400, 404, 500];

/**
 * Sends one request over an HTTP/2 connection of its own, its headers and bodies as they are given: Node.js's client
 * refuses to send what is against the protocol. The parts of the body go in a DATA frame each.
 */
export async function exchangeHttp2(
    port: number,
    headers: [name: string, value: string][],
    body: string[] = [],
): Promise<Http2Answer> {
    const socket = await openTlsSocket(port, { ALPNProtocols: ["h2"] });
    let received: Buffer = Buffer.alloc(0);
    let closed = false;
    const noteEnd = () => (closed = true);
    socket.on("data", (part: Buffer) => (received = Buffer.concat([received, part])));
    socket.on("end", noteEnd).on("close", noteEnd).on("error", noteEnd);
    socket.write(
        Buffer.concat([
            Buffer.from(PREFACE),
            frame(SETTINGS, 0, 0, Buffer.alloc(0)),
            frame(SETTINGS, ACKNOWLEDGEMENT, 0, Buffer.alloc(0)),
            frame(HEADERS, END_HEADERS | (body.length === 0 ? END_STREAM : 0), 1, headerBlock(headers)),
            ...body.map((part, place) =>
                frame(DATA, place === body.length - 1 ? END_STREAM : 0, 1, Buffer.from(part, "latin1")),
            ),
        ]),
    );
    const deadline = Date.now() + 5000;
    while (!closed && !isComplete(framesIn(received)) && Date.now() < deadline) {
        await sleep(20);
    }
    socket.destroy();
    return answerIn(framesIn(received));
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
    const header = Buffer.alloc(FRAME_HEADER_LENGTH);
    header.writeUIntBE(payload.length, 0, 3);
    header.writeUInt8(type, 3);
    header.writeUInt8(flags, 4);
    header.writeUInt32BE(stream, 5);
    return Buffer.concat([header, payload]);
}

/** Literal header fields that are never indexed, without Huffman coding (RFC 7541, section 6.2.3). */
function headerBlock(headers: [name: string, value: string][]): Buffer {
    const text = (value: string) => {
        const bytes = Buffer.from(value, "latin1");
        return Buffer.concat([integer(bytes.length), bytes]);
    };
    return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0x10]), text(name), text(value)]));
}

/** An integer with a prefix of seven bits (RFC 7541, section 5.1). */
function integer(value: number): Buffer {
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

function framesIn(bytes: Buffer): Frame[] {
    const frames: Frame[] = [];
    let position = 0;
    while (position + FRAME_HEADER_LENGTH <= bytes.length) {
        const end = position + FRAME_HEADER_LENGTH + bytes.readUIntBE(position, 3);
        if (end > bytes.length) {
            break;
        }
        frames.push({
            type: bytes.readUInt8(position + 3),
            flags: bytes.readUInt8(position + 4),
            stream: bytes.readUInt32BE(position + 5),
            payload: bytes.subarray(position + FRAME_HEADER_LENGTH, end),
        });
        position = end;
    }
    return frames;
}

function isComplete(frames: Frame[]): boolean {
    return frames.some(
        ({ type, flags, stream }) =>
            type === GOAWAY ||
            (stream === 1 && (type === RST_STREAM || ([DATA, HEADERS].includes(type) && (flags & END_STREAM) !== 0))),
    );
}

function answerIn(frames: Frame[]): Http2Answer {
    const headers = frames.find(({ type, stream }) => type === HEADERS && stream === 1);
    const body = frames.filter(({ type, stream }) => type === DATA && stream === 1).map(({ payload }) => payload);
    const errors = frames.flatMap(({ type, payload }) =>
        type === RST_STREAM ? [payload.readUInt32BE(0)] : type === GOAWAY ? [payload.readUInt32BE(4)] : [],
    );
    return {
        status: headers === undefined ? undefined : statusIn(headers.payload),
        error: errors.find((error) => error !== NO_ERROR),
        body: Buffer.concat(body).toString("latin1"),
    };
}

/** The status, which is the first field: indexed, or a literal with the name's index, as HAProxy writes it. */
function statusIn(block: Buffer): number {
    const first = block.readUInt8(0);
    return first >= 0x88 && first <= 0x8e
        ? (INDEXED_STATUSES[first - 0x88] ?? 0)
        : Number(block.subarray(2, 5).toString("latin1"));
}
