import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Folder of a drive with the store's own metadata. */
const SYSTEM_FOLDER = ".service.sys";

/** Marks drives as the store's at its first start. A marked drive is left unchanged. */
export function formatDrives(drives: string[]): void {
    for (const drive of drives) {
        const folder = join(drive, SYSTEM_FOLDER);
        const file = join(folder, "format.json");
        if (!existsSync(file)) {
            mkdirSync(folder, { recursive: true });
            writeFileSync(file, `${JSON.stringify({ version: 1, drive: randomUUID() })}\n`);
        }
    }
}
