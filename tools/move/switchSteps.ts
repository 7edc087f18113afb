import { systemClock } from "../../components/docker/poll";
import { say, step, StepError } from "../cli/step";
import { bucketsOf } from "./bucketListing";
import { copyBuckets, removeGoneBuckets } from "./bucketSettings";
import {
    copyAll,
    copyEverything,
    copyUntilShort,
    remember,
    sayKeptBuckets,
    timeOf,
    withMargin,
    type Move,
    type ShortCopy,
} from "./copySteps";
import type { Ending } from "./moveRecord";
import { readyRclone, type CopyTask } from "./objectCopy";
import { copyOddChanges, type OddCopy } from "./oddObjects";
import { LONGER_PAUSE, settle, whilePaused, type PausedProxies, type RecordedEnding, type SwitchLimits } from "./pause";
import { canCopyUsers, copyUsers } from "./users";

/** Seconds until the other store's proxies are up in all proxies: two checks, 10 s apart. */
const UP_SECONDS = 60;

/** How the end of a pause is recorded. */
export function recordedEnding(move: Move, action: Ending, switchedAt?: string): RecordedEnding {
    const record = (news: Parameters<typeof remember>[1]) => () => remember(move, news);
    const isOver = record({ ending: undefined });
    const isAtFirst = record({ ending: undefined, switchedAt: undefined });
    return action === "forward"
        ? { action, begin: record({ ending: action, switchedAt }), complete: isOver, cancel: isAtFirst }
        : { action, begin: record({ ending: action }), complete: isAtFirst, cancel: isOver };
}

/**
 * Which store the clients use. First completes, or takes back, what an interrupted command began in some of the proxies.
 *
 * @throws {StepError} if it isn't known.
 */
export async function storeInUse(move: Move, proxies: PausedProxies): Promise<"first" | "second"> {
    const { ending } = move.record;
    if (ending !== undefined) {
        say("an earlier command was interrupted while it switched the proxies: completing it");
        await settle(proxies, systemClock, recordedEnding(move, ending));
    }
    const moved = await move.forwarding();
    if (moved.every((isMoved) => isMoved)) {
        return "second";
    }
    if (moved.some((isMoved) => isMoved)) {
        const lists = [true, false].map((value) => proxies.names.filter((_, index) => moved[index] === value));
        throw new StepError(
            `clients of ${lists[0]?.join(", ")} use another store than those of ${lists[1]?.join(", ")}, and this machine doesn't ` +
                "know why: run this command on the machine that ran the last switch",
        );
    }
    return "first";
}

/**
 * Moves the clients: copies what has changed while writes are held, then forwards all requests. If it fails or is interrupted
 * before the last step, everything goes on as before.
 *
 * @returns Seconds in which writes were held.
 */
export async function switchClients(move: Move, proxies: PausedProxies, limits: SwitchLimits): Promise<number> {
    const { near, far } = move;
    if (!(await proxies.until(({ up }) => up > 0, UP_SECONDS))) {
        throw new StepError(
            `the proxies of ${near.stack} don't reach the proxies of ${far.stack} at ${move.addresses.join(", ")}: ` +
                "check the network between them, the port and the certificate. Nothing was switched",
        );
    }
    const odd = await step("Copy", () => copyEverything(move));
    const task: CopyTask = { action: "copy", since: withMargin(near, move.record.copiedSince) };
    return lastCopy(move, proxies, limits, task, odd, recordedEnding(move, "forward", await timeOf(far)));
}

/**
 * The way back: copies what has changed since the switch to the first store while writes are held, then serves from it again.
 *
 * @returns Seconds in which writes were held.
 */
export async function switchBack(move: Move, proxies: PausedProxies, limits: SwitchLimits): Promise<number> {
    const { far, record } = move;
    const begun = await timeOf(far);
    const task: CopyTask = { action: "copy", back: true, since: withMargin(far, record.switchedAt) };
    const odd = await step("Copy", () => copyAll(move, task));
    return lastCopy(
        move,
        proxies,
        limits,
        { ...task, since: withMargin(far, begun) },
        odd,
        recordedEnding(move, "return"),
    );
}

/**
 * How much longer a copy may take than the pause: clients don't write in that, which makes the copy faster (measured: 16 s after 28 s). A
 * pause of the default length that is given up fails no request.
 */
const SLOWER_BEFORE = 1.6;

/** @throws {StepError} if the copy in a pause would likely take longer than that may be. */
export function refuseLongPause({ seconds }: Pick<ShortCopy, "seconds">, { pause }: SwitchLimits): void {
    if (seconds > pause * SLOWER_BEFORE) {
        throw new StepError(
            `the last copy took ${Math.round(seconds)} s, with the listings of both stores, and writes may be held for ${pause} s: nothing ` +
                `was switched, and no write was held. ${LONGER_PAUSE}`,
        );
    }
}

/**
 * Copies until little is left, and then the rest while writes are held.
 *
 * @param task The copy of what has changed since the last one.
 */
async function lastCopy(
    move: Move,
    proxies: PausedProxies,
    limits: SwitchLimits,
    task: CopyTask,
    odd: OddCopy,
    ending: RecordedEnding,
): Promise<number> {
    const [from, to] = task.back === true ? [move.far, move.near] : [move.near, move.far];
    const users = async () => {
        if (canCopyUsers(from.profile, to.profile)) {
            await copyUsers(from.store, to.store, from.profile);
        }
    };
    await users();
    if (!canCopyUsers(from.profile, to.profile)) {
        say("users and policies aren't copied between these stores");
    }
    const known = await bucketsOf(from.store);
    const short = await step("Copy what changes", () => copyUntilShort(move, task, { clock: systemClock }));
    refuseLongPause(short, limits);
    const rclone = await readyRclone(move, { ...task, since: short.since, isQuiet: true });
    try {
        return await step("Switch", () =>
            whilePaused(proxies, limits, systemClock, ending, async (abort) => {
                abort.addEventListener("abort", () => void rclone.remove());
                const { refused } = await copyBuckets(from.store, to.store, known);
                const [{ left }] = await Promise.all([
                    copyOddChanges(from.store, to.store, odd),
                    rclone.run(),
                    users(),
                ]);
                sayKeptBuckets(to.stack, await removeGoneBuckets(from.store, to.store));
                if (refused.length + left.length > 0) {
                    throw new StepError([...refused, ...left].join("\n"));
                }
            }),
        );
    } finally {
        await rclone.remove();
    }
}
