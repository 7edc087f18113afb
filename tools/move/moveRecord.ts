import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../machine/wholeFiles";
import { LOCAL } from "../paths";

/** What this machine knows about the copies from one stack to another. */
export interface MoveRecord {
    /** Name of the move in the proxies. */
    name: string;
    /** Start of the last copy that ended, by the first store's clock, RFC 3339. Objects that changed later are copied again. */
    copiedSince?: string;
    /** Start of the last copy that ended and that included the objects that rclone leaves out, by the same clock, RFC 3339. */
    oddCopiedSince?: string;
    /** Start of the first copy, by the first store's clock, RFC 3339. */
    begun?: string;
}

/** The records, one file for each pair of stacks. A lost file costs another whole copy. */
export class MoveRecords {
    constructor(private readonly folder = join(LOCAL, "moves")) {}

    read(from: string, to: string): MoveRecord | undefined {
        const file = this.file(from, to);
        return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as MoveRecord) : undefined;
    }

    write(from: string, to: string, record: MoveRecord): void {
        mkdirSync(this.folder, { recursive: true });
        writeWhole(this.file(from, to), JSON.stringify(record, undefined, 4));
    }

    remove(from: string, to: string): void {
        rmSync(this.file(from, to), { force: true });
    }

    private file(from: string, to: string): string {
        return join(this.folder, `${from}-to-${to}.json`);
    }
}
