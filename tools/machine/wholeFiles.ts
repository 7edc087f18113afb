import { renameSync, writeFileSync } from "node:fs";

/** Writes a file in one step: whoever reads it, or comes after this process was killed, finds the former or the new. */
export function writeWhole(file: string, text: string, options: { mode?: number } = {}): void {
    const draft = `${file}.${process.pid}.tmp`;
    writeFileSync(draft, text, options);
    renameSync(draft, file);
}
