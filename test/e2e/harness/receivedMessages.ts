/** A request as received by a store. */
export interface ReceivedMessage {
    method: string;
    target: string;
    /** By lower-case name, in the order received. */
    headers: [name: string, value: string][];
    /** Each character is one byte. */
    body: string;
    /** Whether the whole body was received. */
    complete: boolean;
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~\u0080-\u00ff]+) HTTP\/1\.([01])$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)$/;

/**
 * Parses the bytes of a connection strictly by RFC 9112, as consecutive requests.
 *
 * @throws {Error} if two parsers could read them differently: line ends other than CR LF, folded lines, a length that
 * is set twice or in two ways, chunks with extensions or trailers, or anything that isn't HTTP.
 */
export function readMessages(bytes: Buffer): ReceivedMessage[] {
    const text = bytes.toString("latin1");
    const messages: ReceivedMessage[] = [];
    let position = 0;
    while (position < text.length) {
        const headEnd = text.indexOf("\r\n\r\n", position);
        if (headEnd === -1) {
            throw new Error(`a message without an end of its headers: ${JSON.stringify(text.slice(position))}`);
        }
        const head = readHead(text.slice(position, headEnd));
        const { body, complete, end } = readBody(text, headEnd + 4, head.headers, head.minorVersion);
        messages.push({ method: head.method, target: head.target, headers: head.headers, body, complete });
        position = end;
    }
    return messages;
}

function readHead(text: string) {
    const [requestLine = "", ...lines] = text.split("\r\n");
    const [, method, target, minorVersion] = REQUEST_LINE.exec(requestLine) ?? [];
    if (method === undefined || target === undefined) {
        throw new Error(`not a request line: ${JSON.stringify(requestLine)}`);
    }
    const headers = lines.map((line): [string, string] => {
        const [, name, value] = HEADER_LINE.exec(line) ?? [];
        if (name === undefined || value === undefined || value.includes("\0")) {
            throw new Error(`not a header: ${JSON.stringify(line)}`);
        }
        return [name.toLowerCase(), value];
    });
    return { method, target, minorVersion, headers };
}

function readBody(text: string, start: number, headers: ReceivedMessage["headers"], minorVersion: string | undefined) {
    const valuesOf = (name: string) => headers.filter(([found]) => found === name).map(([, value]) => value);
    const [lengths, codings] = [valuesOf("content-length"), valuesOf("transfer-encoding")];
    if (lengths.length + codings.length > 1) {
        throw new Error(`a length given twice: ${JSON.stringify(headers)}`);
    }
    if (codings.length === 1) {
        if (codings[0] !== "chunked" || minorVersion !== "1") {
            throw new Error(`an unclear transfer coding, HTTP/1.${minorVersion}: ${codings[0]}`);
        }
        return readChunks(text, start);
    }
    if (!/^\d+$/.test(lengths[0] ?? "0")) {
        throw new Error(`not a length: ${lengths[0]}`);
    }
    const end = start + Number(lengths[0] ?? 0);
    return { body: text.slice(start, end), complete: end <= text.length, end: Math.min(end, text.length) };
}

function readChunks(text: string, start: number) {
    let body = "";
    let position = start;
    for (;;) {
        const lineEnd = text.indexOf("\r\n", position);
        if (lineEnd === -1) {
            return { body, complete: false, end: text.length };
        }
        const sizeText = text.slice(position, lineEnd);
        if (!/^[0-9A-Fa-f]+$/.test(sizeText)) {
            throw new Error(`not the size of a chunk: ${JSON.stringify(sizeText)}`);
        }
        const size = parseInt(sizeText, 16);
        const chunkEnd = lineEnd + 2 + size;
        if (chunkEnd + 2 > text.length) {
            return { body: body + text.slice(lineEnd + 2), complete: false, end: text.length };
        }
        if (text.slice(chunkEnd, chunkEnd + 2) !== "\r\n") {
            throw new Error(
                `a chunk that isn't as long as it says, or a trailer: ${JSON.stringify(text.slice(chunkEnd))}`,
            );
        }
        body += text.slice(lineEnd + 2, chunkEnd);
        position = chunkEnd + 2;
        if (size === 0) {
            return { body, complete: true, end: position };
        }
    }
}
