/**
 * The content of the single file in a tar archive: a header of 512 bytes, with the size in octal digits at 124, then the
 * content.
 */
export function fileOfArchive(archive: Buffer): string {
    const size = parseInt(archive.toString("latin1", 124, 136), 8);
    return archive.toString("utf8", 512, 512 + size);
}

/** Length of a header in a tar archive, and the multiple to which its contents are filled. */
const TAR_BLOCK = 512;

/** Contents of all regular files in a tar archive, by their paths without a leading `./`. */
export function filesOfArchive(archive: Buffer): Map<string, string> {
    const files = new Map<string, string>();
    for (let at = 0; at + TAR_BLOCK <= archive.length && archive[at] !== 0;) {
        const text = (from: number, to: number) => archive.toString("utf8", at + from, at + to).replace(/\0.*$/s, "");
        const [path, size, kind] = [text(0, 100), parseInt(text(124, 136), 8), text(156, 157)];
        const begin = at + TAR_BLOCK;
        if (kind === "0" || kind === "") {
            files.set(path.replace(/^\.\//, ""), archive.toString("utf8", begin, begin + size));
        }
        at = begin + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
    }
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
