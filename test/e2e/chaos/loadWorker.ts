import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosClient } from "./chaosClient";
import { ABSENT, contentOf, type ObjectLedger } from "./objectLedger";
import type { Finding, OperationKind, OperationRecord, Population } from "./operations";

const KIB = 1024;

/** Sizes of objects that are written in one request, in bytes. */
const SIZES = [0, KIB, 60 * KIB, 300 * KIB];

/** Size of objects that are written by a multipart upload: one part of 5 MiB, and the rest. */
const LARGE_SIZE = 6 * KIB * KIB;

/** Number of objects of each kind that a worker keeps; after that it overwrites existing ones. */
const KEPT = { small: 40, large: 2 };

/** Relative frequency of each operation. */
const SHARES: { [Name in Population]: { [Kind in OperationKind]?: number } } = {
    retrying: { put: 30, get: 40, multipart: 2, list: 10, delete: 18 },
    single: { put: 28, get: 28, multipart: 2, list: 9, delete: 15, presigned: 10, console: 8 },
};

/**
 * Milliseconds between the end of an operation and the start of the next one, so that the load leaves CPU time on a
 * small host.
 */
const PAUSE_MILLISECONDS = 200;

/** An operation that takes longer than this counts as failed. */
export const OPERATION_LIMIT_MILLISECONDS = 150_000;

/** What a worker uses. */
export interface WorkerPlace {
    client: ChaosClient;
    population: Population;
    ledger: ObjectLedger;
    /** Prefix of its keys, which no other worker writes. */
    prefix: string;
    /** A path of the console that is answered with 200. */
    consolePath: string;
}

/** One client that runs operations in random order, one at a time, and records the outcome of each. */
export class LoadWorker {
    readonly records: OperationRecord[] = [];
    private nextKey = 0;

    constructor(private readonly place: WorkerPlace) {}

    /** Runs until it is stopped. */
    async work(goesOn: () => boolean): Promise<void> {
        while (goesOn()) {
            await this.record(this.choose());
            await sleep(PAUSE_MILLISECONDS);
        }
    }

    private choose(): OperationKind {
        const shares = Object.entries(SHARES[this.place.population]) as [OperationKind, number][];
        let left = randomInt(shares.reduce((sum, [, share]) => sum + share, 0));
        const [kind] = shares.find(([, share]) => (left -= share) < 0) ?? ["get"];
        return kind === "delete" && this.deletable().length === 0 ? "put" : kind;
    }

    private async record(kind: OperationKind): Promise<void> {
        const { population } = this.place;
        const start = Date.now();
        const limit = new AbortController();
        const timer = setTimeout(() => limit.abort(), OPERATION_LIMIT_MILLISECONDS);
        const late = new Promise<never>((_, reject) => {
            const seconds = OPERATION_LIMIT_MILLISECONDS / 1000;
            limit.signal.addEventListener("abort", () => reject(new Error(`no end within ${seconds} s`)));
        });
        try {
            const wrong = await Promise.race([this.perform(kind, limit.signal), late]);
            this.records.push({ population, kind, start, end: Date.now(), wrong });
        } catch (error) {
            this.records.push({ population, kind, start, end: Date.now(), failure: describe(error) });
        } finally {
            clearTimeout(timer);
        }
    }

    /** Runs one operation. Returns what is wrong with the result. */
    private async perform(kind: OperationKind, signal: AbortSignal): Promise<Finding[]> {
        const { client, ledger, prefix, consolePath } = this.place;
        switch (kind) {
            case "put":
                await this.write("small", SIZES[randomInt(SIZES.length)] ?? 0, (key, bytes) =>
                    client.put(key, bytes, signal),
                );
                return [];
            case "multipart":
                await this.write("large", LARGE_SIZE, (key, bytes) => client.putInParts(key, bytes, signal));
                return [];
            case "delete": {
                const key = oneOf(this.deletable()) ?? `${prefix}never-written`;
                const acknowledge = ledger.begin(key, ABSENT);
                acknowledge(await client.delete(key, signal));
                return [];
            }
            case "get":
            case "presigned": {
                const key = oneOf(ledger.keys(prefix)) ?? `${prefix}never-written`;
                const found = await (kind === "get" ? client.get(key, signal) : client.getPresigned(key, signal));
                return ledger.check(key, found);
            }
            case "list":
                return ledger.checkList(prefix, await client.list(prefix, signal));
            case "console":
                await client.visitConsole(consolePath, signal);
                return [];
        }
    }

    private deletable(): string[] {
        return this.place.ledger.certainKeys(`${this.place.prefix}small-`);
    }

    private async write(
        group: keyof typeof KEPT,
        size: number,
        put: (key: string, bytes: Buffer) => Promise<number>,
    ): Promise<void> {
        const { ledger, prefix } = this.place;
        const kept = ledger.certainKeys(`${prefix}${group}-`);
        const again = kept.length >= KEPT[group] || (kept.length > 0 && randomInt(3) === 0);
        const key = (again ? oneOf(kept) : undefined) ?? `${prefix}${group}-${this.nextKey++}`;
        const bytes = randomBytes(size);
        const acknowledge = ledger.begin(key, contentOf(bytes));
        acknowledge(await put(key, bytes));
    }
}

function oneOf<Item>(items: Item[]): Item | undefined {
    return items.length === 0 ? undefined : items[randomInt(items.length)];
}

/** An error with the SDK's details: status, and number of attempts. */
function describe(error: unknown): string {
    const {
        name,
        message,
        code,
        $metadata: metadata,
    } = error as Error & {
        code?: string;
        $metadata?: { httpStatusCode?: number; attempts?: number };
    };
    const details = [
        code === undefined ? [] : [code],
        metadata?.httpStatusCode === undefined ? [] : [`status ${metadata.httpStatusCode}`],
        metadata?.attempts === undefined ? [] : [`attempts ${metadata.attempts}`],
    ].flat();
    return `${name}: ${message}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}
