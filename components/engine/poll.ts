import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** Measures and spends time. What waits takes it as an argument, so that a test needs no time. */
export interface Clock {
    /** Milliseconds since some fixed moment. It never jumps, whatever becomes of the machine's time of day. */
    now(): number;
    /** Resolves after a time, in milliseconds. */
    sleep(milliseconds: number): Promise<void>;
}

/** This machine's monotonic clock. */
export const systemClock: Clock = {
    now: () => performance.now(),
    sleep: (milliseconds) => sleep(milliseconds),
};

/** How long, and how often, something is asked for. */
export interface PollOptions {
    clock: Clock;
    /** Limit, in seconds. It is asked at least once. */
    timeout: number;
    /** Pause between two questions, in milliseconds. Default: 500. */
    interval?: number;
}

/**
 * Asks until there is an answer, and gives it; nothing where there is none within the limit.
 *
 * @param ask Gets the number of the round, from 0, and gives nothing where it has to be asked again. An error of its ends the wait.
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
