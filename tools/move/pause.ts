import type { Clock } from "../../components/engine/poll";
import { say, StepError } from "../machine/step";
import type { MoveSwitch } from "./proxies";

/** Time limits of a switch, in seconds. */
export interface SwitchLimits {
    /** Time that writes are held at most; after that they go on as before. */
    pause: number;
    /** Time that running writes get to end before the pause is given up. */
    running: number;
}

/** Seconds for requests to end that a proxy accepted before its last reload. */
const EARLIER_SECONDS = 60;

/** Seconds after which a connection to a process from before a reload ends if it has no request, and a margin. */
const IDLE_SECONDS = 12;

/** The part of a move's control that a pause uses. */
export type PausedProxies = Pick<MoveSwitch, "set" | "states" | "until">;

/** Completes what an interrupted command did in some of the proxies. */
export async function completeAction(proxies: PausedProxies, action: "forward" | "return"): Promise<void> {
    await proxies.set({ pause: 10 });
    await proxies.set("hold");
    await proxies.set(action);
}

/**
 * Holds writes while some work runs, which ends the pause itself. If the work fails before that, or the command is interrupted,
 * writes go on as before.
 *
 * @returns Seconds in which writes were held.
 */
export async function whilePaused(
    proxies: PausedProxies,
    limits: SwitchLimits,
    clock: Clock,
    work: (end: (action: "forward" | "return") => Promise<void>) => Promise<void>,
): Promise<number> {
    if ((await proxies.states()).some(({ old }) => old > 0)) {
        await clock.sleep(IDLE_SECONDS * 1000);
    }
    if (!(await proxies.until(({ earlier }) => earlier === 0, EARLIER_SECONDS))) {
        throw new StepError(
            "requests that began before the last reload of the proxy still run, and may be uploads: try again when they have ended",
        );
    }
    let ending = false;
    const begun = clock.now();
    const resume = () => (ending ? undefined : proxies.set("resume"));
    const interrupted = () => {
        if (!ending) {
            void proxies.set("resume").finally(() => process.exit(130));
        }
    };
    process.on("SIGINT", interrupted).on("SIGTERM", interrupted);
    try {
        await proxies.set({ pause: limits.pause });
        if (!(await proxies.until(({ changes, earlier }) => changes + earlier === 0, limits.running))) {
            throw new StepError(
                `writes that began before the pause still run after ${limits.running} s: try again, or give them longer ` +
                    "(--running SECONDS)",
            );
        }
        await work(async (action) => {
            await proxies.set("hold");
            ending = true;
            await proxies.set(action);
        });
        const seconds = Math.round((clock.now() - begun) / 100) / 10;
        say(`writes were held for ${seconds} s`);
        return seconds;
    } catch (error) {
        await resume();
        throw error;
    } finally {
        process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    }
}
