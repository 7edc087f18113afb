import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Replaces a file atomically: every reader, also after this process was killed or the power failed, finds either the old or
 * the new content.
 */
export function writeWhole(file: string, text: string, options: { mode?: number } = {}): void {
    const draft = draftOf(file);
    writeFileSync(draft, text, options);
    moveWhole(draft, file);
}

/** Writes a file as {@link writeWhole} does, unless there is one: of several processes that write it, all find the same. */
export function writeFirst(file: string, text: string, options: { mode?: number } = {}): void {
    const draft = draftOf(file);
    writeFileSync(draft, text, options);
    try {
        sync(draft);
        linkSync(draft, file);
        sync(dirname(file));
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
            throw error;
        }
    } finally {
        rmSync(draft);
    }
}

/**
 * Moves a complete file into its place, which is on the same file system. If the power fails, that has either the former
 * content or all of this one. A running program keeps its former file.
 */
export function moveWhole(draft: string, file: string): void {
    sync(draft);
    renameSync(draft, file);
    sync(dirname(file));
}

/** Name of a file beside another one, for its content until it is complete. */
export function draftOf(file: string): string {
    return `${file}.${process.pid}.tmp`;
}

function sync(path: string): void {
    const opened = openSync(path, "r");
    try {
        fsyncSync(opened);
    } finally {
        closeSync(opened);
    }
}
