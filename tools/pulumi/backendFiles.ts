import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Folder in which a backend of files keeps what it has; nothing for other backends, nor where a path is relative. */
export function backendFolder(backend: string): string | undefined {
    const [, path] = /^file:\/\/([/~][^?]*)/.exec(backend) ?? [];
    return path === undefined ? undefined : join(path.replace(/^~/, homedir()), ".pulumi");
}

/**
 * Removes half-written descriptions of files from a backend of files. Pulumi writes each file in one step, but its
 * description (`….attrs`) in two: killed between them, it never reads that file again ("failed to load checkpoint: EOF").
 * A file without one is fine.
 */
export function removeBrokenDescriptions(backend: string): void {
    const folder = backendFolder(backend);
    if (folder === undefined || !existsSync(folder)) {
        return;
    }
    readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".attrs"))
        .map((name) => join(folder, name))
        .filter((file) => isBroken(file))
        .forEach((file) => rmSync(file, { force: true }));
}

function isBroken(file: string): boolean {
    try {
        JSON.parse(readFileSync(file, "utf8"));
        return false;
    } catch (error) {
        return error instanceof SyntaxError;
    }
}
