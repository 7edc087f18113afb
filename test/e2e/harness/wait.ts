import { setTimeout as sleep } from "node:timers/promises";

/**
 * Seconds after which something that is certain to happen is given up: a guard against waiting for ever, not a measure of
 * the product. A machine with 2 CPUs and three suites at once makes anything take several times as long as it does alone.
 */
export const PATIENCE_SECONDS = 180;

const POLL_MILLISECONDS = 100;

/**
 * Waits until something holds.
 *
 * @param what What is waited for, for the error.
 * @param seconds Default: {@link PATIENCE_SECONDS}. Give another number only where the contract names a time.
 * @throws {Error} where it doesn't hold in time.
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
