import { setTimeout as sleep } from "node:timers/promises";

/**
 * Default time limit of a wait, in seconds. It only keeps a test from waiting forever, and measures nothing of the
 * product. On a machine with 2 CPUs and three suites at once, everything takes several times as long as on an idle
 * machine.
 */
export const PATIENCE_SECONDS = 180;

const POLL_MILLISECONDS = 100;

/**
 * Waits until a condition holds.
 *
 * @param what Description of the condition, for the error.
 * @param seconds Default: {@link PATIENCE_SECONDS}. Pass another number only if the contract sets a time.
 * @throws {Error} if it doesn't hold in time.
 */
export async function waitUntil(
    what: string,
    holds: () => boolean | Promise<boolean>,
    seconds = PATIENCE_SECONDS,
): Promise<void> {
    const end = Date.now() + seconds * 1000;
    while (!(await holds())) {
        if (Date.now() > end) {
            throw new Error(`after ${seconds} s still not: ${what}`);
        }
        await sleep(POLL_MILLISECONDS);
    }
}
