import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../machine/wholeFiles";
import { LOCAL } from "../paths";

/** How a pause ends in the proxies: all requests are forwarded to the second store, or go to the first one again. */
export type Ending = "forward" | "return";

/** What this machine knows about the copies from one stack to another. */
export interface MoveRecord {
    /** Name of the move in the proxies. */
    name: string;
    /** Start of the first copy, by the first store's clock, RFC 3339. */
    begun?: string;
    /** Start of the last copy that ended, by the first store's clock, RFC 3339. Objects that changed later are copied again. */
    copiedSince?: string;
    /**
     * A time by the second store's clock, RFC 3339, after which clients may have written to it. It is set before the first
     * proxy forwards. While it is set, nothing is copied to the second store.
     */
    switchedAt?: string;
    /** What a command has begun to do in the proxies. Unset once all of them have done it, or none. */
    ending?: Ending;
}

/** The records, one file for each pair of stacks. */
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

    /** Folder with the locks of a stack: only one command at a time moves it, or another one to it. */
    locks(stack: string): string {
        return join(this.folder, "locks", stack);
    }

    private file(from: string, to: string): string {
        return join(this.folder, `${from}-to-${to}.json`);
    }
}
