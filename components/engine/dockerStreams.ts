/**
 * The content of the single file in a tar archive: a header of 512 bytes, with the size in octal digits at 124, then the
 * content.
 */
export function fileOfArchive(archive: Buffer): string {
    const size = parseInt(archive.toString("latin1", 124, 136), 8);
    return archive.toString("utf8", 512, 512 + size);
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
