import { createHash } from "node:crypto";
import type { Finding } from "./operations";

/** Marks an object that doesn't exist. */
export const ABSENT = "absent";

/** Checksum of an object's content. */
export function contentOf(bytes: Uint8Array): string {
    return createHash("sha256").update(bytes).digest("hex");
}

/**
 * The content that each object may have: exactly what was last acknowledged. If a change failed, both the old and the
 * new content are allowed. Each key has one writer, and a key with an uncertain content is not written again.
 */
export class ObjectLedger {
    private readonly possible = new Map<string, string[]>();
    private readonly undone = new Set<string>();
    private readonly histories = new Map<string, string[]>();

    /**
     * Records the start of a change. Returns a function that records its acknowledgement, with the number of attempts.
     */
    begin(key: string, content: string): (attempts: number) => void {
        this.possible.set(key, [...(this.possible.get(key) ?? [ABSENT]), content]);
        this.remember(key, `${shorten(content)} asked for`);
        return (attempts) => {
            this.possible.set(key, [content]);
            this.remember(key, `${shorten(content)} acknowledged, attempts: ${attempts}`);
        };
    }

    /**
     * Accepts that an object exists again although its delete was acknowledged. Returns whether the delete was
     * acknowledged.
     */
    acceptUndoneDelete(key: string): boolean {
        const deleted = this.possible.get(key)?.join() === ABSENT;
        if (deleted) {
            this.undone.add(key);
        }
        return deleted;
    }

    /** What is wrong with the content that was read. */
    check(key: string, found: string): Finding[] {
        const possible = this.possible.get(key) ?? [ABSENT];
        return possible.includes(found) || this.undone.has(key)
            ? []
            : [this.finding("read", key, `holds ${shorten(found)}, not ${possible.map(shorten).join(" or ")}`)];
    }

    /** What is wrong with a list of all keys with a prefix. */
    checkList(prefix: string, listed: string[]): Finding[] {
        const missing = this.certainKeys(prefix).filter((key) => !listed.includes(key));
        const unwanted = listed.filter(
            (key) => !this.undone.has(key) && !(this.possible.get(key) ?? [ABSENT]).some((one) => one !== ABSENT),
        );
        return [
            ...missing.map((key) => this.finding("list", key, "is not in the list")),
            ...unwanted.map((key) => this.finding("list", key, "is in the list, and deleted")),
        ];
    }

    /** Keys with a prefix, whatever their content. */
    keys(prefix: string): string[] {
        return [...this.possible.keys()].filter((key) => key.startsWith(prefix));
    }

    /** Keys with a prefix whose objects certainly exist. */
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
