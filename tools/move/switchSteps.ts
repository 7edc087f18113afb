import { systemClock } from "../../components/engine/poll";
import { say, step, StepError } from "../machine/step";
import { bucketsOf } from "./bucketListing";
import { copyBuckets } from "./bucketSettings";
import { copyChanges, copyEverything, copyOfChanges, copyRepeatedly, timeOf, withMargin, type Move } from "./copySteps";
import { readyRclone, type CopyTask } from "./objectCopy";
import { copyOddObjects, isOdd } from "./oddObjects";
import { completeAction, whilePaused, type SwitchLimits } from "./pause";
import type { MoveSwitch } from "./proxies";
import { canCopyUsers, copyUsers } from "./users";

/** Seconds until the other store's front ends are up in all proxies: two checks, 10 s apart. */
const UP_SECONDS = 60;

/**
 * Moves the clients: copies what has changed while writes are held, then forwards all requests. If it fails or is interrupted
 * before the last step, everything goes on as before.
 *
 * @returns Seconds in which writes were held.
 */
export async function switchClients(move: Move, proxies: MoveSwitch, limits: SwitchLimits): Promise<number> {
    const states = await proxies.states();
    if (states.some(({ isMoved }) => isMoved)) {
        say("an earlier switch went this far: completing it");
        await completeAction(proxies, "forward");
        return 0;
    }
    if (!(await proxies.until(({ up }) => up > 0, UP_SECONDS))) {
        throw new StepError(
            `the proxies of ${move.near.stack} don't reach the front ends of ${move.far.stack} at ${move.addresses.join(", ")}: ` +
                "check the network between them, the port and the certificate. Nothing was switched",
        );
    }
    await copyEverything(move);
    const users = canCopyUsers(move.near.profile, move.far.profile);
    const known = await bucketsOf(move.near.store);
    if (users) {
        await copyUsers(move.near.store, move.far.store, move.near.profile);
    } else {
        say("users and policies aren't copied between these stores");
    }
    await copyChanges(move);
    const rclone = await readyRclone(move, copyOfChanges(move));
    return step("Switch", () =>
        whilePaused(proxies, limits, systemClock, async (end) => {
            await copyBuckets(move.near.store, move.far.store, known);
            await Promise.all([
                rclone.run(),
                users ? copyUsers(move.near.store, move.far.store, move.near.profile) : undefined,
            ]);
            await end("forward");
        }),
    ).finally(() => rclone.remove());
}

/** Copies the objects that rclone leaves out and that changed shortly before the switch. The first store doesn't change any more. */
export async function copyLateOddObjects({ near, far, record }: Move): Promise<void> {
    const since = Date.parse(withMargin(near, record.oddCopiedSince) ?? "");
    const isLate = ({ key, modified }: { key: string; modified: number }) => isOdd(key) && modified >= since;
    await copyOddObjects(near.store, far.store, isLate, false);
}

/**
 * The way back: copies what has changed since the switch to the first store while writes are held, then serves from it again.
 *
 * @returns Seconds in which writes were held.
 */
export async function switchBack(move: Move, proxies: MoveSwitch, limits: SwitchLimits): Promise<number> {
    const { near, far, record } = move;
    if (record.copiedSince === undefined) {
        throw new StepError(
            "this machine doesn't know when the clients were moved: go back from the one that moved them",
        );
    }
    if ((await proxies.states()).some(({ isMoved }) => !isMoved)) {
        say("an earlier way back went this far: completing it");
        await completeAction(proxies, "return");
        return 0;
    }
    const users = canCopyUsers(near.profile, far.profile);
    const copy = (since: string | undefined): CopyTask => ({ action: "copy", back: true, since });
    let begun = await timeOf(far);
    await step("Copy", async () => {
        await copyBuckets(far.store, near.store);
        // That time is of the old store's clock, so the margin is that of several hosts.
        await copyRepeatedly(move, copy(withMargin({ isOnOneHost: false }, record.copiedSince)));
        await copyOddObjects(far.store, near.store);
        const again = await timeOf(far);
        await copyRepeatedly(move, copy(withMargin(far, begun)));
        begun = again;
    });
    const rclone = await readyRclone(move, copy(withMargin(far, begun)));
    return step("Switch back", () =>
        whilePaused(proxies, limits, systemClock, async (end) => {
            await Promise.all([rclone.run(), users ? copyUsers(far.store, near.store, near.profile) : undefined]);
            await end("return");
        }),
    ).finally(() => rclone.remove());
}
