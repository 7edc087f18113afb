import { bucketsOf, objectsOf, shownKey } from "./bucketListing";
import type { Clock } from "../../components/docker/poll";
import { copyBuckets, removeGoneBuckets } from "./bucketSettings";
import type { MovedStack } from "./movedStack";
import type { MoveRecord, MoveRecords } from "./moveRecord";
import { runRclone, type CopyPlace, type CopyTask } from "./objectCopy";
import type { StoreRequests } from "./nodeStore";
import { copyOddObjects, isOdd, type OddCopy } from "./oddObjects";
import { say, StepError } from "../cli/step";

/**
 * What changed that long before a copy began is copied again, in milliseconds: stores round times, and clocks of several hosts
 * drift apart.
 */
const CLOCK_MARGIN = { oneHost: 3_000, severalHosts: 60_000 };

/** Attempts of a copy while clients work. */
const ATTEMPTS = 3;

/**
 * When copies that follow each other end: at one that takes so many seconds, or more than this share of the one before, or at so
 * many.
 */
const CONVERGED = { seconds: 5, share: 0.75, copies: 6 };

/** A move between two stacks: both, and what is known about earlier copies. */
export interface Move extends CopyPlace {
    record: MoveRecord;
    records: MoveRecords;
    /** Whether each proxy of the first store sends its clients to another store now. */
    forwarding: () => Promise<boolean[]>;
}

/** Records what a move has reached. */
export function remember(move: Move, news: Partial<MoveRecord>): void {
    const next = { ...move.record, ...news };
    move.records.write(move.near.stack, move.far.stack, next);
    move.record = next;
}

/** The time of a store, RFC 3339: that of the host whose clock is the slowest. */
export async function timeOf({ engines }: Pick<MovedStack, "engines">): Promise<string> {
    const times = engines.map(async (docker) =>
        Date.parse(((await docker.info()) as { SystemTime: string }).SystemTime),
    );
    return new Date(Math.min(...(await Promise.all(times)))).toISOString();
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
 * Refuses a copy into the store that clients write to: it would delete what they have written.
 *
 * @param back Whether the copy goes to the first store.
 */
export async function refuseLiveTarget({ near, far, record, forwarding }: Move, back: boolean): Promise<void> {
    const moved = await forwarding();
    if (back ? !moved.every(Boolean) : record.switchedAt !== undefined || moved.some(Boolean)) {
        const [target, source] = back ? [near.stack, far.stack] : [far.stack, near.stack];
        throw new StepError(
            `clients of ${near.stack} use ${target}, or may: a copy from ${source} would delete what they have written there. ` +
                `npm run move -- switch --from ${near.stack} --to ${far.stack} completes a switch, back takes it back`,
        );
    }
}

/**
 * Copies the buckets with their settings, and all objects that the other store lacks or that have changed; deletes what is
 * gone. It can be interrupted, and repeated as often as desired.
 *
 * @throws {StepError} if something couldn't be copied, or if clients use the other store.
 */
export async function copyEverything(move: Move): Promise<OddCopy> {
    const { near, far } = move;
    await refuseLiveTarget(move, false);
    if (move.record.begun === undefined) {
        await refuseForeignObjects(far);
    }
    const begun = await timeOf(near);
    remember(move, { begun: move.record.begun ?? begun });
    const since = withMargin(near, move.record.copiedSince ?? move.record.begun);
    const odd = await copyAll(move, { action: "copy", since });
    remember(move, { copiedSince: begun });
    return odd;
}

/** Copies all buckets and objects in one direction. */
export async function copyAll(move: Move, task: CopyTask): Promise<OddCopy> {
    const [from, to] = task.back === true ? [move.far, move.near] : [move.near, move.far];
    const { names, created, refused } = await copyBuckets(from.store, to.store);
    say(`${names.length} buckets, ${created.length} of them new in ${to.stack}`);
    await copyRepeatedly(move, task);
    await refuseOtherTarget(move, task.back === true);
    const odd = await copyOddObjects(from.store, to.store, Date.parse(task.since ?? new Date(0).toISOString()));
    say(`${odd.copied} objects were copied without rclone, because of their keys`);
    sayKeptBuckets(to.stack, await removeGoneBuckets(from.store, to.store));
    const failures = [...refused.map((text) => `${to.stack} refuses a setting of the bucket ${text}`), ...odd.left];
    if (failures.length > 0) {
        throw new StepError(failures.join("\n"));
    }
    return odd;
}

/** Names buckets that the user has to remove. */
export function sayKeptBuckets(stack: string, buckets: string[]): void {
    buckets.forEach((bucket) =>
        say(`the bucket ${bucket} is gone, but has former versions in ${stack}: remove it there`),
    );
}

/** Copies while clients work: an object that changes while it is read may fail, and is copied by the next attempt. */
export async function copyRepeatedly(move: Move, task: CopyTask, run = runRclone): Promise<void> {
    for (let left = ATTEMPTS; ; left--) {
        await refuseLiveTarget(move, task.back === true);
        try {
            await run(move, task);
            return;
        } catch (error) {
            if (left <= 1) {
                throw error;
            }
            say(`${(error as Error).message}\ntrying again`);
        }
    }
}

/** The last of the copies that follow each other. */
export interface ShortCopy {
    /** Since when objects have to be copied after it, RFC 3339. */
    since: string | undefined;
    /** How long it took. */
    seconds: number;
}

/**
 * Copies what has changed since the copy before, again and again, as long as that takes less and less time: a copy has as much
 * to do as clients have changed during the one before.
 */
export async function copyUntilShort(
    move: Move,
    task: CopyTask,
    { clock, run }: { clock: Clock; run?: typeof runRclone },
): Promise<ShortCopy> {
    const from = task.back === true ? move.far : move.near;
    let { since } = task;
    for (let former = Infinity, left = CONVERGED.copies; ; left--) {
        const [begun, start] = [await timeOf(from), clock.now()];
        await copyRepeatedly(move, { ...task, since }, run);
        const seconds = (clock.now() - start) / 1000;
        since = withMargin(from, begun);
        say(`copied what had changed in ${seconds.toFixed(1)} s`);
        if (seconds <= CONVERGED.seconds || seconds > former * CONVERGED.share || left <= 1) {
            return { since, seconds };
        }
        former = seconds;
    }
}

/** Objects in a store that this machine has copied nothing to would be deleted. */
async function refuseForeignObjects({ stack, store }: MovedStack): Promise<void> {
    const found = await someObject(store);
    if (found !== undefined) {
        throw new StepError(
            `the store of ${stack} has objects (${found}) that this machine didn't copy there, and a copy would delete or ` +
                "replace them: empty that store, or give --overwrite",
        );
    }
}

/** Refuses addresses that lead to another store than that of the second stack. */
export async function refuseOtherTarget({ near, far, addresses }: Move, back: boolean): Promise<void> {
    if (
        !back &&
        (await someObject(near.store, isPlain)) !== undefined &&
        (await someObject(far.store, isPlain)) === undefined
    ) {
        throw new StepError(
            `${far.stack} has no objects after the copy, so ${addresses.join(", ")} leads to another store: give the addresses ` +
                `of its proxies (--address)`,
        );
    }
}

const isPlain = (key: string) => !isOdd(key);

/** Some object of a store, for a message. Undefined if it has none of that kind. */
async function someObject(
    store: StoreRequests,
    isMeant: (key: string) => boolean = () => true,
): Promise<string | undefined> {
    for (const bucket of await bucketsOf(store)) {
        for await (const { key } of objectsOf(store, bucket)) {
            if (isMeant(key)) {
                return `${bucket}/${shownKey(key)}`;
            }
        }
    }
    return undefined;
}
