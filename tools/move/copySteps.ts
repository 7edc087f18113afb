import { bucketsOf, objectsOf, pairsOf, shownKey } from "./bucketListing";
import { copyBuckets } from "./bucketSettings";
import type { MovedStack } from "./movedStack";
import type { MoveRecord, MoveRecords } from "./moveRecord";
import { runRclone, type CopyPlace, type CopyTask } from "./objectCopy";
import { copyOddObjects } from "./oddObjects";
import { say, StepError } from "../machine/step";

/** What changed that long before a copy began is copied again, in milliseconds: clocks of several hosts may differ. */
const CLOCK_MARGIN = { oneHost: 3_000, severalHosts: 60_000 };

/** Attempts of a copy while clients work. */
const ATTEMPTS = 3;

/** A move between two stacks: both, and what is known about earlier copies. */
export interface Move extends CopyPlace {
    record: MoveRecord;
    records: MoveRecords;
}

/** Records what a move has reached. */
export function remember(move: Move, news: Partial<MoveRecord>): void {
    Object.assign(move.record, news);
    move.records.write(move.near.stack, move.far.stack, move.record);
}

/** The time of an engine, RFC 3339. */
export async function timeOf({ node }: MovedStack): Promise<string> {
    const { SystemTime: time } = (await node.docker.info()) as { SystemTime: string };
    return new Date(time).toISOString();
}

/** Since when objects of a store have to be copied in any case, RFC 3339. */
export function withMargin(
    { isOnOneHost }: Pick<MovedStack, "isOnOneHost">,
    time: string | undefined,
): string | undefined {
    const margin = isOnOneHost ? CLOCK_MARGIN.oneHost : CLOCK_MARGIN.severalHosts;
    return time === undefined ? undefined : new Date(Date.parse(time) - margin).toISOString();
}

/**
 * Copies the buckets with their settings, and all objects that the other store lacks or that have changed; deletes what is
 * gone. It can be interrupted, and repeated as often as desired.
 *
 * @throws {StepError} if something couldn't be copied.
 */
export async function copyEverything(move: Move): Promise<void> {
    const { near, far, record } = move;
    if (record.begun === undefined) {
        await refuseForeignObjects(far);
    }
    const begun = await timeOf(near);
    remember(move, { begun: record.begun ?? begun });
    const { names, created, refused } = await copyBuckets(near.store, far.store);
    say(`${names.length} buckets, ${created.length} of them new in ${far.stack}`);
    await copyRepeatedly(move, { action: "copy", since: withMargin(near, record.copiedSince ?? record.begun) });
    const { copied, left } = await copyOddObjects(near.store, far.store);
    say(`${copied} objects were copied without rclone, because of their keys`);
    const failures = [...refused.map((text) => `${far.stack} refuses a setting of the bucket ${text}`), ...left];
    if (failures.length > 0) {
        throw new StepError(failures.join("\n"));
    }
    remember(move, { copiedSince: begun, oddCopiedSince: begun });
}

/** Copies while clients work: an object that changes while it is read may fail, and is copied by the next attempt. */
export async function copyRepeatedly(move: Move, task: CopyTask): Promise<void> {
    for (let left = ATTEMPTS - 1; left > 0; left--) {
        try {
            await runRclone(move, task);
            return;
        } catch (error) {
            say(`${(error as Error).message}\ntrying again`);
        }
    }
    await runRclone(move, task);
}

/** The task of copying what has changed since the last copy. */
export function copyOfChanges({ near, record }: Move): CopyTask {
    return { action: "copy", since: withMargin(near, record.copiedSince) };
}

/** Copies what has changed since the last copy began, so that less is left for a pause. */
export async function copyChanges(move: Move): Promise<void> {
    const begun = await timeOf(move.near);
    await copyRepeatedly(move, copyOfChanges(move));
    remember(move, { copiedSince: begun });
}

/** Objects in a store that this machine has copied nothing to would be deleted. */
async function refuseForeignObjects({ stack, store }: MovedStack): Promise<void> {
    for (const bucket of await bucketsOf(store)) {
        for await (const { key } of objectsOf(store, bucket)) {
            throw new StepError(
                `the store of ${stack} has objects (${bucket}/${shownKey(key)}) that this machine didn't copy there, and a copy ` +
                    "would delete or replace them: empty that store, or give --overwrite",
            );
        }
    }
}

/** The result of a comparison. */
export interface Comparison {
    same: number;
    /** Objects that have changed since the last copy. */
    changed: number;
    /** Objects that are missing in the other store, or differ. */
    wrong: string[];
}

/** Compares all objects by their checksums; those without a comparable one, byte by byte. */
export async function compareStores(move: Move): Promise<Comparison> {
    const { near, far, record } = move;
    const since = Date.parse(withMargin(near, record.copiedSince) ?? "");
    const result: Comparison = { same: 0, changed: 0, wrong: [] };
    const unclear: string[] = [];
    for await (const { bucket, from: one, to: other } of pairsOf(near.store, far.store)) {
        const shown = `${bucket}/${shownKey((one ?? other)?.key ?? "")}`;
        if (one !== undefined && one.modified >= since) {
            result.changed++;
        } else if (one === undefined) {
            result.changed++;
        } else if (other === undefined || one.size !== other.size) {
            result.wrong.push(other === undefined ? `${shown} is missing` : `${shown} has another size`);
        } else if (one.etag === other.etag) {
            result.same++;
        } else if (isMd5(one.etag) && isMd5(other.etag)) {
            result.wrong.push(`${shown} has another checksum`);
        } else {
            unclear.push(`${bucket}/${Buffer.from(one.key, "latin1").toString()}`);
        }
    }
    if (unclear.length > 0) {
        say(`${unclear.length} objects were uploaded in parts, and have no comparable checksum: comparing their bytes`);
        await runRclone(move, { action: "compare", objects: unclear });
        result.same += unclear.length;
    }
    return result;
}

/** Whether an ETag is the MD5 of the object. That of an upload in parts isn't. */
function isMd5(etag: string): boolean {
    return /^[0-9a-f]{32}$/i.test(etag);
}
