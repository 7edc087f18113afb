import { createHash } from "node:crypto";
import type { Finding } from "./operations";

/** What stands for the content of an object that isn't there. */
export const ABSENT = "absent";

/** What an object holds, by checksum. */
export function contentOf(bytes: Uint8Array): string {
    return createHash("sha256").update(bytes).digest("hex");
}

/**
 * What each object may hold: exactly what was last acknowledged, or, where a change of it failed, the old or the new.
 * A key has one writer, and one that got uncertain is written no more.
 */
export class ObjectLedger {
    private readonly possible = new Map<string, string[]>();
    private readonly undone = new Set<string>();
    private readonly histories = new Map<string, string[]>();

    /** Notes that a change is being asked for, and gives what notes its acknowledgement, after how many attempts. */
    begin(key: string, content: string): (attempts: number) => void {
        this.possible.set(key, [...(this.possible.get(key) ?? [ABSENT]), content]);
        this.remember(key, `${shorten(content)} asked for`);
        return (attempts) => {
            this.possible.set(key, [content]);
            this.remember(key, `${shorten(content)} acknowledged, attempts: ${attempts}`);
        };
    }

    /** Accepts, where an object was acknowledged as deleted, that it may be there; gives whether it was. */
    acceptUndoneDelete(key: string): boolean {
        const deleted = this.possible.get(key)?.join() === ABSENT;
        if (deleted) {
            this.undone.add(key);
        }
        return deleted;
    }

    /** What is wrong with what a reader found. */
    judge(key: string, found: string): Finding[] {
        const possible = this.possible.get(key) ?? [ABSENT];
        return possible.includes(found) || this.undone.has(key)
            ? []
            : [this.finding("read", key, `holds ${shorten(found)}, not ${possible.map(shorten).join(" or ")}`)];
    }

    /** What is wrong with a list of all keys that begin so. */
    judgeList(prefix: string, listed: string[]): Finding[] {
        const missing = this.certainKeys(prefix).filter((key) => !listed.includes(key));
        const unwanted = listed.filter(
            (key) => !this.undone.has(key) && !(this.possible.get(key) ?? [ABSENT]).some((one) => one !== ABSENT),
        );
        return [
            ...missing.map((key) => this.finding("list", key, "is not in the list")),
            ...unwanted.map((key) => this.finding("list", key, "is in the list, and deleted")),
        ];
    }

    /** Keys that begin so, whatever they hold. */
    keys(prefix: string): string[] {
        return [...this.possible.keys()].filter((key) => key.startsWith(prefix));
    }

    /** Keys that begin so of objects that are certainly there. */
    certainKeys(prefix: string): string[] {
        return this.keys(prefix).filter((key) => {
            const [first, ...others] = this.possible.get(key) ?? [];
            return first !== ABSENT && others.length === 0;
        });
    }

    private remember(key: string, what: string): void {
        const history = [...(this.histories.get(key) ?? []), `${new Date().toISOString()} ${what}`];
        this.histories.set(key, history.slice(-6));
    }

    private finding(by: Finding["by"], key: string, what: string): Finding {
        return { by, key, text: `${key} ${what} (${this.histories.get(key)?.join("; ") ?? "never written"})` };
    }
}

function shorten(content: string): string {
    return content.slice(0, 8);
}
