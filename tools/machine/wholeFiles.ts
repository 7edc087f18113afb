import { renameSync, writeFileSync } from "node:fs";

/**
 * Replaces a file atomically: every reader, also after this process was killed, finds either the old or the new
 * content.
 */
export function writeWhole(file: string, text: string, options: { mode?: number } = {}): void {
    const draft = `${file}.${process.pid}.tmp`;
    writeFileSync(draft, text, options);
    renameSync(draft, file);
}
