import { setTimeout as sleep } from "node:timers/promises";

const POLL_MILLISECONDS = 500;

/**
 * Waits until nothing is unhealthy any more.
 *
 * @param ailments Finds everything that isn't healthy.
 */
export async function untilNoneAils(ailments: () => Promise<string[]>, seconds: number): Promise<void> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
        const found = await ailments().catch((error: unknown) => [String(error)]);
        if (found.length === 0) {
            return;
        }
        if (Date.now() > end) {
            throw new Error(`not whole after ${seconds} s: ${found.join("; ")}`);
        }
        await sleep(POLL_MILLISECONDS);
    }
}
