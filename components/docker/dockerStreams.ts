import { buffer, text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { extract } from "tar-stream";
import { engineError } from "./engineError";

/** The text of the single file in a tar archive. Empty if it is a link or a folder. */
export async function fileOfArchive(archive: Buffer): Promise<string> {
    const [file] = (await filesOfArchive(archive)).values();
    return file ?? "";
}

/** Texts of all regular files in a tar archive, by their paths without a leading `./`. */
export async function filesOfArchive(archive: Buffer): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    const entries = extract();
    entries.on("entry", ({ name, type }, content, next) => {
        text(content).then((read) => {
            if (type === "file") {
                files.set(name.replace(/^\.\//, ""), read);
            }
            next();
        }, next);
    });
    entries.end(archive);
    await finished(entries);
    return files;
}

/**
 * The text of a log stream without a terminal. Each frame has a header of 8 bytes, the last four of which are its length.
 */
export function textOfFrames(stream: Buffer): string {
    const parts: string[] = [];
    for (let at = 0; at + 8 <= stream.length;) {
        const length = stream.readUInt32BE(at + 4);
        parts.push(stream.toString("utf8", at + 8, at + 8 + length));
        at += 8 + length;
    }
    return parts.join("");
}

/**
 * What an engine sends, to its end.
 *
 * @param name What it is, for messages.
 * @throws {Error} with that name, if the connection breaks off.
 */
export async function bytesOf(stream: NodeJS.ReadableStream, name: string): Promise<Buffer> {
    try {
        return await buffer(stream);
    } catch (error) {
        const failure = error as NodeJS.ErrnoException;
        if (failure.code !== undefined) {
            failure.message = `Docker's answer broke off (${name}): ${failure.message}`;
        }
        throw engineError(failure);
    }
}
