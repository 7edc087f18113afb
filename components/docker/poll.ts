import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** Measures time and waits. Functions that wait take it as an argument, so that a test needs no real time. */
export interface Clock {
    /** Milliseconds since some fixed moment. It never jumps, even if the machine's time of day is changed. */
    now(): number;
    /** Resolves after the duration, in milliseconds. */
    sleep(milliseconds: number): Promise<void>;
}

/** This machine's monotonic clock. */
export const systemClock: Clock = {
    now: () => performance.now(),
    sleep: (milliseconds) => sleep(milliseconds),
};

/** Duration and interval of a poll. */
export interface PollOptions {
    clock: Clock;
    /** Time limit, in seconds. There is always at least one attempt. */
    timeout: number;
    /** Pause between two attempts, in milliseconds. Default: 500. */
    interval?: number;
}

/**
 * Calls a function until it returns a value, and resolves to that value. Resolves to undefined if there is none within the
 * limit.
 *
 * @param ask Gets the number of the attempt, from 0. Returns undefined to be called again. An error that it throws ends the
 * poll.
 */
export async function poll<Answer>(
    ask: (round: number) => Promise<Answer | undefined>,
    { clock, timeout, interval = 500 }: PollOptions,
): Promise<Answer | undefined> {
    const deadline = clock.now() + timeout * 1000;
    for (let round = 0; ; round++) {
        const answer = await ask(round);
        if (answer !== undefined || clock.now() >= deadline) {
            return answer;
        }
        await clock.sleep(interval);
    }
}
