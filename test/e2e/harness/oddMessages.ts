import { MARK, type TrialBytes } from "./messageTrials";
import { S3_HOST } from "./publicSide";

/** Beginnings of requests, without the end of the headers. */
export const POST = `POST /service/echo?${MARK} HTTP/1.1\r\nHost: ${S3_HOST}\r\n`;
const GET = `GET /service/echo?${MARK} HTTP/1.1\r\nHost: ${S3_HOST}\r\n`;
const HTTP10_POST = `POST /service/echo?${MARK} HTTP/1.0\r\nHost: ${S3_HOST}\r\n`;
const LENGTH = "Content-Length: 5\r\n";
export const CHUNKED = "Transfer-Encoding: chunked\r\n";
const HELLO = "5\r\nhello\r\n0\r\n\r\n";

/** A request that an attacker hides in another request's body, or the other way round. */
export const HIDDEN = `GET /service/echo?${MARK}hidden HTTP/1.1\r\nHost: ${S3_HOST}\r\n\r\n`;

/** Messages of which nothing may reach a store. */
export const REFUSED: { [name: string]: TrialBytes } = {
    "Transfer-Encoding: xchunked": `${POST}${LENGTH}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding with a space before its colon": `${POST}${LENGTH}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "two Transfer-Encodings": `${POST}${CHUNKED}${CHUNKED}\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding: chunked, then identity": `${POST}${CHUNKED}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding: identity, then chunked": `${POST}Transfer-Encoding: identity\r\n${CHUNKED}\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding: chunked, identity": `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding: identity, chunked": `${POST}Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding: gzip, chunked": `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding: identity": `${POST}${LENGTH}Transfer-Encoding: identity\r\n\r\nhello`,
    "an empty Transfer-Encoding": `${POST}${LENGTH}Transfer-Encoding:\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "a Transfer-Encoding behind a vertical tab": `${POST}${LENGTH}Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "a Transfer-Encoding in quotes": `${POST}${LENGTH}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "two Content-Lengths that differ": `${POST}${LENGTH}Content-Length: 0\r\n\r\nhello${HIDDEN}`,
    "Content-Length: 5, 6": `${POST}Content-Length: 5, 6\r\n\r\nhello${HIDDEN}`,
    "Content-Length: +5": `${POST}Content-Length: +5\r\n\r\nhello`,
    "Content-Length: -5": `${POST}Content-Length: -5\r\n\r\nhello`,
    "Content-Length: 0x5": `${POST}Content-Length: 0x5\r\n\r\nhello`,
    "Content-Length: 5 5": `${POST}Content-Length: 5 5\r\n\r\nhello`,
    "an empty Content-Length": `${POST}Content-Length:\r\n\r\nhello`,
    "a Content-Length beyond 64 bits": `${POST}Content-Length: 18446744073709551621\r\n\r\nhello${HIDDEN}`,
    "Content-Length with a space before its colon": `${POST}Content-Length : 5\r\n\r\nhello`,
    "a header with a space before its colon": `${GET}X-A : one\r\n\r\n`,
    "a header with a tab before its colon": `${GET}X-A\t: one\r\n\r\n`,
    "a header without a name": `${GET}: one\r\n\r\n`,
    "a header without a colon": `${GET}X-A\r\n\r\n`,
    "a header whose name isn't ASCII": `${GET}X-\xe4: one\r\n\r\n`,
    "a folded line before the first header": `${GET.replace("Host", " X-A: one\r\nHost")}\r\n`,
    "a bare CR in a header": `${GET}X-A: one\rX-B: two\r\n\r\n`,
    "a bare CR in a header's name": `${GET}X-A\r: one\r\n\r\n`,
    "a bare CR before a line's end": `${GET}X-A: one\r\r\n\r\n`,
    "NUL in a header": `${GET}X-A: o\0ne\r\n\r\n`,
    "NUL in a header's name": `${GET}X-\0A: one\r\n\r\n`,
    "NUL in the target": `${GET.replace("?", "\0?")}\r\n`,
    "a chunk beyond 64 bits": `${POST}${CHUNKED}\r\n10000000000000005\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a chunk of 2^64 - 1 bytes": `${POST}${CHUNKED}\r\nffffffffffffffff\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a chunk of 0x5 bytes": `${POST}${CHUNKED}\r\n0x5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a chunk of +5 bytes": `${POST}${CHUNKED}\r\n+5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a space before a chunk's size": `${POST}${CHUNKED}\r\n 5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a chunk without a size": `${POST}${CHUNKED}\r\n\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a bare LF in a chunk's extension": `${POST}${CHUNKED}\r\n5;a=\nb\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a bare CR in a chunk's extension": `${POST}${CHUNKED}\r\n5;a=\rb\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a bare LF after a chunk's size": `${POST}${CHUNKED}\r\n5\nhello\r\n0\r\n\r\n${HIDDEN}`,
    "a bare LF after a chunk": `${POST}${CHUNKED}\r\n5\r\nhello\n0\r\n\r\n${HIDDEN}`,
    "a bare LF after the last chunk": `${POST}${CHUNKED}\r\n5\r\nhello\r\n0\n\n${HIDDEN}`,
    "a chunk longer than it says": `${POST}${CHUNKED}\r\n5\r\nhelloxx0\r\n\r\n${HIDDEN}`,
    "a space before the request line": ` ${GET}\r\n`,
    "a space in the target": `${GET.replace("echo", "ec ho")}\r\n`,
    "a space after the request line": `${GET.replace("HTTP/1.1", "HTTP/1.1 ")}\r\n`,
    "a request line of HTTP/0.9": `GET /service/echo?${MARK}\r\n\r\n`,
    "headers after a request line of HTTP/0.9": `${GET.replace(" HTTP/1.1", "")}\r\n`,
    "version HTTP/11": `${GET.replace("HTTP/1.1", "HTTP/11")}\r\n`,
    "version http/1.1": `${GET.replace("HTTP/1.1", "http/1.1")}\r\n`,
    "a method that isn't a token": `${GET.replace("GET", "G@T")}\r\n`,
    "a fragment in the target": `${GET.replace(MARK, `${MARK}#a`)}\r\n`,
    "a target without a slash": `${GET.replace("/service", "service")}\r\n`,
    "a target that isn't ASCII": `${GET.replace(MARK, `${MARK}\xe4`)}\r\n`,
};

/** Messages that two parsers could read differently. */
export const AMBIGUOUS: { [name: string]: TrialBytes } = {
    "Content-Length before Transfer-Encoding (CL.TE)": `${POST}Content-Length: ${5 + HIDDEN.length}\r\n${CHUNKED}\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding before Content-Length (TE.CL)": `${POST}${CHUNKED}Content-Length: 4\r\n\r\n${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`,
    "Content-Length and a folded Transfer-Encoding": `${POST}${LENGTH}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
    "Transfer-Encoding in HTTP/1.0": `${HTTP10_POST}Connection: keep-alive\r\n${CHUNKED}\r\n0\r\n\r\n${HIDDEN}`,
    "Content-Length and Transfer-Encoding in HTTP/1.0": `${HTTP10_POST}${LENGTH}${CHUNKED}\r\n0\r\n\r\n${HIDDEN}`,
};

/** Unusual messages that can only be read in one way. */
export const ODD: { [name: string]: TrialBytes } = {
    "a folded header": `${GET}X-A: one\r\n two\r\n\r\n`,
    "a header folded with a tab": `${GET}X-A: one\r\n\ttwo\r\n\r\n`,
    "bare LF at the end of every line": `${GET}X-A: one\r\n\r\n`.replaceAll("\r", ""),
    "a bare LF between two headers": `${GET}X-A: one\nX-B: two\r\n\r\n`,
    "a bare LF at the end of the headers": `${POST}${LENGTH}\nhello`,
    "two spaces in the request line": `${GET.replace("GET ", "GET  ").replace(" HTTP", "  HTTP")}\r\n`,
    "tabs in the request line": `${GET.replace("GET ", "GET\t").replace(" HTTP", "\tHTTP")}\r\n`,
    "an empty line before the request line": `\r\n${GET}\r\n`,
    "version HTTP/1.2": `${GET.replace("HTTP/1.1", "HTTP/1.2")}\r\n`,
    "version HTTP/2.0": `${GET.replace("HTTP/1.1", "HTTP/2.0")}\r\n`,
    "a method in lower case": `${GET.replace("GET", "get")}\r\n`,
    "a method that nobody knows": `${GET.replace("GET", "ANYTHING")}\r\n`,
    "a GET with a body": `${GET}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    "a GET with chunks": `${GET}${CHUNKED}\r\n${HELLO}`,
    "two equal Content-Lengths": `${POST}${LENGTH}${LENGTH}\r\nhello`,
    "Content-Length: 5, 5": `${POST}Content-Length: 5, 5\r\n\r\nhello`,
    "Content-Length: 005": `${POST}Content-Length: 005\r\n\r\nhello`,
    "Transfer-Encoding: cHuNkEd": `${POST}Transfer-Encoding: cHuNkEd\r\n\r\n${HELLO}`,
    "Transfer-Encoding behind a tab": `${POST}Transfer-Encoding:\tchunked\r\n\r\n${HELLO}`,
    "Transfer_Encoding, which is another header": `${POST}${LENGTH}Transfer_Encoding: chunked\r\n\r\nhello`,
    "a chunk's extension": `${POST}${CHUNKED}\r\n5;a="b"\r\nhello\r\n0;c\r\n\r\n`,
    "a space after a chunk's size": `${POST}${CHUNKED}\r\n5 \r\nhello\r\n0\r\n\r\n`,
    "a trailer": `${POST}${CHUNKED}Trailer: X-A\r\n\r\n5\r\nhello\r\n0\r\nX-A: one\r\n\r\n`,
    "a trailer that gives a length": `${POST}${CHUNKED}\r\n5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n`,
    "Connection: content-length": `${POST}Connection: content-length\r\n${LENGTH}\r\nhello`,
    "Connection: transfer-encoding": `${POST}Connection: transfer-encoding\r\n${CHUNKED}\r\n${HELLO}`,
    "Connection: host": `${GET}Connection: host\r\n\r\n`,
    "a control character in a header": `${GET}X-A: o\x01\x7fne\r\n\r\n`,
    "a header that isn't ASCII": `${GET}X-A: \xe4\r\n\r\n`,
};

/** Messages whose error comes after the store has received their beginning. */
export const WRONG_LATE: { [name: string]: TrialBytes } = {
    "a chunk without a size": [`${POST}${CHUNKED}\r\n5\r\nhello\r\n`, `x\r\n${HIDDEN}`],
    "a bare LF after a chunk's size": [`${POST}${CHUNKED}\r\n5\r\nhello\r\n`, `5\nhello\r\n0\r\n\r\n${HIDDEN}`],
    "a chunk's extension that doesn't end": [`${POST}${CHUNKED}\r\n5\r\nhello\r\n`, `5;${"a".repeat(40_000)}`],
};
