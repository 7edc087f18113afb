import type { Clock } from "../../components/docker/poll";
import { HELD_SECONDS } from "../../components/haproxyConfig/moves";
import { say, StepError } from "../cli/step";
import type { Ending } from "./moveRecord";
import type { MoveState, MoveSwitch } from "./proxies";

/** Time limits of a switch, in seconds. */
export interface SwitchLimits {
    /** Time that writes are held at most; after that they go on as before. A proxy holds each request for {@link HELD_SECONDS} only. */
    pause: number;
    /** Time that running writes get to end before the pause is given up. */
    running: number;
}

/** What ends a pause, and its record, which outlives this command. */
export interface RecordedEnding {
    action: Ending;
    /** Before the first proxy does it. */
    begin: () => void;
    /** Once no proxy has done it and writes go on as before. */
    cancel: () => void;
    /** Once all proxies have done it. */
    complete: () => void;
}

/** Default of {@link SwitchLimits.pause}: shorter than a proxy holds a request, so that none fails. */
export const DEFAULT_PAUSE_SECONDS = 25;

/** Seconds before the end of a pause in which a proxy no longer begins to forward: its clock has whole seconds (setMove.pl). */
const LATE_SECONDS = 2;

/** What to do about a last copy that takes too long. */
export const LONGER_PAUSE =
    `Try again when clients write less, or let writes be held for longer (--pause SECONDS): those that wait for more than ${HELD_SECONDS} s ` +
    "get 503 SlowDown, which SDKs repeat";

/** Seconds for requests to end that a proxy accepted before its last reload. */
const EARLIER_SECONDS = 60;

/** Seconds after which a connection to a process from before a reload ends if it has no request, and a margin. */
const IDLE_SECONDS = 12;

/** Attempts to bring all proxies into the same state, and the pause between two, in seconds. */
const SETTLE = { attempts: 5, seconds: 2 };

/** The part of a move's control that a pause uses. */
export type PausedProxies = Pick<MoveSwitch, "names" | "set" | "states" | "until">;

/** Where signals come from. */
export type Signals = Pick<NodeJS.Process, "on" | "off">;

/**
 * Holds writes while some work runs, then ends the pause in all proxies. If the work fails or a signal comes before it has
 * ended, writes go on as before. A signal that comes later has no effect.
 *
 * @param work Gets a signal that is aborted if its result isn't used any more.
 * @returns Seconds in which writes were held.
 * @throws {StepError} that says what holds now.
 */
export async function whilePaused(
    proxies: PausedProxies,
    limits: SwitchLimits,
    clock: Clock,
    ending: RecordedEnding,
    work: (abort: AbortSignal) => Promise<void>,
    signals: Signals = process,
): Promise<number> {
    await untilQuiet(proxies, clock);
    const abort = new AbortController();
    let interrupt: (error: Error) => void = () => undefined;
    const interruption = new Promise<never>((_, reject) => (interrupt = reject));
    interruption.catch(() => undefined);
    const handle = () => interrupt(new StepError("interrupted: nothing was switched"));
    signals.on("SIGINT", handle).on("SIGTERM", handle);
    if (limits.pause > HELD_SECONDS) {
        say(
            `writes may be held for ${limits.pause} s; those that wait for more than ${HELD_SECONDS} s get 503 SlowDown, which SDKs repeat`,
        );
    }
    const begun = clock.now();
    let running: Promise<void> | undefined;
    try {
        try {
            await proxies.set({ pause: limits.pause });
            running = untilWritesEnd(proxies, limits).then(() => {
                abort.signal.throwIfAborted();
                return work(abort.signal);
            });
            await Promise.race([running, interruption]);
            refuseLate((clock.now() - begun) / 1000, limits);
            ending.begin();
        } catch (error) {
            abort.abort();
            await resume(proxies, limits, error as Error);
            await running?.catch(() => undefined);
            throw error;
        }
        await end(proxies, clock, ending);
        const seconds = Math.round((clock.now() - begun) / 100) / 10;
        say(`writes were held for ${seconds} s`);
        return seconds;
    } finally {
        signals.off("SIGINT", handle).off("SIGTERM", handle);
    }
}

/** Waits for requests that no proxy counts, before anything is held. */
async function untilQuiet(proxies: PausedProxies, clock: Clock): Promise<void> {
    if ((await proxies.states()).some(({ old }) => old > 0)) {
        await clock.sleep(IDLE_SECONDS * 1000);
    }
    if (!(await proxies.until(({ earlier }) => earlier === 0, EARLIER_SECONDS))) {
        throw new StepError(
            "requests that began before the last reload of the proxy still run, and may be uploads: try again when they have ended",
        );
    }
}

async function untilWritesEnd(proxies: PausedProxies, { running }: SwitchLimits): Promise<void> {
    if (!(await proxies.until(({ changes, earlier }) => changes + earlier === 0, running))) {
        throw new StepError(
            `writes that began before the pause still run after ${running} s: try again, or give them longer ` +
                "(--running SECONDS)",
        );
    }
}

/** @throws {StepError} if the pause has ended, or is about to, before the work did. */
function refuseLate(seconds: number, { pause }: SwitchLimits): void {
    if (seconds >= pause - LATE_SECONDS) {
        throw new StepError(
            `running writes and the last copy took ${Math.round(seconds)} s, and writes may be held for ${pause} s, of which the switch needs ${LATE_SECONDS}: nothing was switched, ` +
                `and writes go on as before. ${LONGER_PAUSE}`,
        );
    }
}

async function resume(proxies: PausedProxies, { pause }: SwitchLimits, reason: Error): Promise<void> {
    await proxies.set("resume").catch((error: unknown) => {
        throw new StepError(
            `${reason.message}\n${(error as Error).message}\nWrites in it go on by themselves ${pause} s after they were held`,
        );
    });
}

/** Ends a pause in all proxies. */
async function end(proxies: PausedProxies, clock: Clock, ending: RecordedEnding): Promise<void> {
    try {
        // So that no pause runs out while other proxies are switched.
        if (proxies.names.length > 1) {
            await proxies.set("hold");
        }
        await proxies.set(ending.action);
        ending.complete();
    } catch (error) {
        if (!(await settle(proxies, clock, ending))) {
            throw new StepError(`${(error as Error).message}\nNothing was switched, and writes go on as before`);
        }
    }
}

/**
 * Completes an ending that has reached some of the proxies; if it has reached none, writes go on as before.
 *
 * @returns Whether it is complete.
 * @throws {StepError} with what holds now, if some proxy doesn't answer.
 */
export async function settle(proxies: PausedProxies, clock: Clock, ending: RecordedEnding): Promise<boolean> {
    for (let left = SETTLE.attempts; ; left--) {
        try {
            return await settleOnce(proxies, ending);
        } catch (error) {
            if (left <= 1) {
                throw new StepError(
                    `${(error as Error).message}\nWrites may stay held until all proxies have the same state: once ` +
                        "they answer, run this command again",
                );
            }
            await clock.sleep(SETTLE.seconds * 1000);
        }
    }
}

async function settleOnce(proxies: PausedProxies, { action, ...ending }: RecordedEnding): Promise<boolean> {
    const isReached = ({ isMoved }: MoveState) => isMoved === (action === "forward");
    const states = await proxies.states();
    if (!states.some(isReached)) {
        await proxies.set("resume");
        ending.cancel();
        return false;
    }
    const isLost = (state: MoveState) => !isReached(state) && state.held === 0;
    const lost = proxies.names.filter((_, index) => isLost(states[index] as MoveState));
    if (lost.length > 0) {
        // Its file was lost. It must not go on like that, whatever it has done meanwhile.
        await proxies.set({ pause: 10 }, (index) => isLost(states[index] as MoveState));
        say(
            `${lost.join(", ")} did not hold writes any more, while others were switched: compare the stores (npm run move -- check)`,
        );
    }
    // It sets the new state before it lets writes go on, so one that still holds them may not be complete.
    await proxies.set(
        action,
        (index) => !isReached(states[index] as MoveState) || (states[index] as MoveState).held > 0,
    );
    ending.complete();
    return true;
}
