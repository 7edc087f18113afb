import { PassThrough } from "node:stream";
import type { DockerHost } from "./dockerHost";
import { waitUntil } from "./wait";

/** One line of the JSON access log. */
export interface AccessLogLine {
    [field: string]: string | number | null;
}

/** Messages of HAProxy itself on standard output, about servers and about workers that end. */
const OWN_MESSAGE = /^(Server |Proxy |backend )/;

/**
 * Waits until a proxy has logged a request whose line matches. Returns the log lines of all requests.
 *
 * @throws {Error} if a line is neither a JSON object in UTF-8 nor one of HAProxy's own messages.
 */
export async function accessLogOf(
    host: DockerHost,
    proxy: string,
    isThere: (line: AccessLogLine) => boolean,
): Promise<AccessLogLine[]> {
    let lines: AccessLogLine[] = [];
    const read = async () => {
        lines = (await standardOutput(host, proxy)).filter((line) => !OWN_MESSAGE.test(line)).map(parse);
        return lines.some(isThere);
    };
    await waitUntil("a line of the access log as wanted", read).catch((cause: unknown) => {
        const last = JSON.stringify(lines.at(-1));
        throw new Error(`no such line among ${lines.length}, the last one is ${last}`, { cause });
    });
    return lines;
}

function parse(line: string): AccessLogLine {
    try {
        return JSON.parse(line) as AccessLogLine;
    } catch (error) {
        throw new Error(`not JSON: ${line}`, { cause: error });
    }
}

async function standardOutput(host: DockerHost, container: string): Promise<string[]> {
    const frames = await host.docker.getContainer(container).logs({ stdout: true, stderr: false });
    const [source, output] = [new PassThrough(), new PassThrough()];
    host.docker.modem.demuxStream(source, output, output);
    source.end(frames);
    source.on("end", () => output.end());
    const parts: Buffer[] = [];
    for await (const part of output) {
        parts.push(part as Buffer);
    }
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
    return text.split("\n").filter((line) => line !== "");
}
