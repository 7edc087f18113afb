import { EventEmitter } from "node:events";
import { HELD_SECONDS } from "../../../../components/haproxyConfig/moves";
import {
    DEFAULT_PAUSE_SECONDS,
    settle,
    whilePaused,
    type PausedProxies,
    type RecordedEnding,
} from "../../../../tools/move/pause";
import type { MoveState } from "../../../../tools/move/proxies";
import { VirtualClock } from "../../fakes/virtualClock";

const QUIET: MoveState = { changes: 0, old: 0, earlier: 0, up: 1, held: 0, isMoved: false };
const LIMITS = { pause: 60, running: 10 };
const FOR_GOOD = 1e9;

/** What a test does to one proxy: refuse an action, or give no answer after having carried it out. */
type Trouble = (index: number, action: string) => "refused" | "lost" | undefined;

/** Proxies that behave as setMove.pl does, and what was done to them. */
function proxiesWith(states: Partial<MoveState>[], trouble: Trouble = () => undefined) {
    const done: string[] = [];
    const all = states.map((state) => ({ ...QUIET, ...state }));
    const change = (state: MoveState, action: string) => {
        if (["hold", "forward", "return"].includes(action) && state.held === 0) {
            throw new Error("the pause has ended");
        }
        state.held = action.startsWith("pause ") ? 60 : action === "hold" ? FOR_GOOD : 0;
        state.isMoved = action === "forward" || (action !== "return" && state.isMoved);
    };
    const proxies: PausedProxies = {
        names: all.map((_, index) => `proxy${index + 1}`),
        states: () => Promise.resolve(all.map((state) => ({ ...state }))),
        set: (action, isMeant) => {
            const text = typeof action === "string" ? action : `pause ${action.pause}`;
            const places = all.map((_, index) => index).filter(isMeant ?? (() => true));
            if (places.length > 0) {
                done.push(places.length === all.length ? text : `${text} ${places.join(" ")}`);
            }
            const failures = places.flatMap((index) => {
                const failure = trouble(index, text);
                if (failure !== "refused") {
                    try {
                        change(all[index] as MoveState, text);
                    } catch (error) {
                        return [(error as Error).message];
                    }
                }
                return failure === undefined ? [] : [`proxy${index + 1} is ${failure}`];
            });
            return failures.length > 0 ? Promise.reject(new Error(failures.join())) : Promise.resolve();
        },
        until: (condition) => Promise.resolve(all.every(condition)),
    };
    return { proxies, done, all };
}

/** An ending that notes what is recorded. */
function endingIn(done: string[], action: "forward" | "return" = "forward"): RecordedEnding {
    const note = (text: string) => () => void done.push(text);
    return { action, begin: note("begun"), cancel: note("cancelled"), complete: note("complete") };
}

const nothing = () => Promise.resolve();

test("writes are held until the work has ended; the end is recorded before any proxy forwards. One proxy needs no hold", async () => {
    const { proxies, done } = proxiesWith([{}]);
    const clock = new VirtualClock();
    const seconds = await whilePaused(proxies, LIMITS, clock, endingIn(done), async () => {
        await clock.sleep(2500);
        done.push("work");
    });
    expect(done).toEqual(["pause 60", "work", "begun", "forward", "complete"]);
    expect(seconds).toBe(2.5);
});

test("several proxies hold writes without a limit before the first one forwards", async () => {
    const { proxies, done, all } = proxiesWith([{}, {}]);
    await whilePaused(proxies, LIMITS, new VirtualClock(), endingIn(done), nothing);
    expect(done).toEqual(["pause 60", "begun", "hold", "forward", "complete"]);
    expect(all.map(({ isMoved, held }) => [isMoved, held])).toEqual([
        [true, 0],
        [true, 0],
    ]);
});

test("if the work fails, writes go on as before", async () => {
    const { proxies, done } = proxiesWith([{}]);
    const failing = whilePaused(proxies, LIMITS, new VirtualClock(), endingIn(done), () =>
        Promise.reject(new Error("no copy")),
    );
    await expect(failing).rejects.toThrow("no copy");
    expect(done).toEqual(["pause 60", "resume"]);
});

test("if the end can't be recorded, as on a full disk, writes go on as before", async () => {
    const { proxies, done, all } = proxiesWith([{}, {}]);
    const ending = { ...endingIn(done), begin: () => done.push("begun") && raise("ENOSPC") };
    await expect(whilePaused(proxies, LIMITS, new VirtualClock(), ending, nothing)).rejects.toThrow("ENOSPC");
    expect(done).toEqual(["pause 60", "begun", "resume"]);
    expect(all.map(({ held }) => held)).toEqual([0, 0]);
});

function raise(message: string): never {
    throw new Error(message);
}

test("if one proxy doesn't hold, writes go on in all of them, and nothing is switched", async () => {
    const { proxies, done, all } = proxiesWith([{}, {}], (index, action) =>
        index === 1 && action === "hold" ? "refused" : undefined,
    );
    await expect(whilePaused(proxies, LIMITS, new VirtualClock(), endingIn(done), nothing)).rejects.toThrow(
        "proxy2 is refused\nNothing was switched, and writes go on as before",
    );
    expect(done).toEqual(["pause 60", "begun", "hold", "resume", "cancelled"]);
    expect(all.map(({ isMoved, held }) => [isMoved, held])).toEqual([
        [false, 0],
        [false, 0],
    ]);
});

test("by default, a pause ends before a proxy refuses a request that it holds", () => {
    expect(DEFAULT_PAUSE_SECONDS).toBeLessThanOrEqual(HELD_SECONDS - 2);
});

test("if the work takes longer than the pause, nothing is begun, and it is said what to do", async () => {
    const { proxies, done } = proxiesWith([{}]);
    const clock = new VirtualClock();
    const late = whilePaused(proxies, { pause: 25, running: 10 }, clock, endingIn(done), () => clock.sleep(23_500));
    await expect(late).rejects.toThrow(
        /^running writes and the last copy took 24 s, and writes may be held for 25 s, of which the switch needs 2: nothing was switched, .* \(--pause SECONDS\): those that wait for more than 28 s/,
    );
    expect(done).toEqual(["pause 25", "resume"]);
});

test("a proxy whose pause has ended by its own clock doesn't forward", async () => {
    const { proxies, done, all } = proxiesWith([{}]);
    const late = () => {
        (all[0] as MoveState).held = 0;
        return Promise.resolve();
    };
    await expect(whilePaused(proxies, LIMITS, new VirtualClock(), endingIn(done), late)).rejects.toThrow(
        "Nothing was switched",
    );
    expect(done).toEqual(["pause 60", "begun", "forward", "resume", "cancelled"]);
});

test("a forward that reached one proxy is completed in the others", async () => {
    let troubles = 2;
    const { proxies, done, all } = proxiesWith([{}, {}], (index, action) =>
        index === 1 && action === "forward" && troubles-- > 0 ? "refused" : undefined,
    );
    await whilePaused(proxies, LIMITS, new VirtualClock(), endingIn(done), nothing);
    expect(done).toEqual(["pause 60", "begun", "hold", "forward", "forward 1", "forward 1", "complete"]);
    expect(all.every(({ isMoved, held }) => isMoved && held === 0)).toBe(true);
});

test("a proxy that forwarded without an answer counts as one that did", async () => {
    const { proxies, done } = proxiesWith([{}], (_, action) => (action === "forward" ? "lost" : undefined));
    await whilePaused(proxies, LIMITS, new VirtualClock(), endingIn(done), nothing);
    expect(done).toEqual(["pause 60", "begun", "forward", "complete"]);
});

test("if one proxy never forwards, it is said that writes stay held, and the next command knows what to complete", async () => {
    let isBroken = true;
    const { proxies, done, all } = proxiesWith([{}, {}], (index, action) =>
        index === 1 && action === "forward" && isBroken ? "refused" : undefined,
    );
    const clock = new VirtualClock();
    await expect(whilePaused(proxies, LIMITS, clock, endingIn(done), nothing)).rejects.toThrow(
        /proxy2 is refused\nWrites may stay held .* run this command again/,
    );
    expect(done).not.toContain("complete");
    expect(done).not.toContain("resume");
    expect((all[1] as MoveState).held).toBe(FOR_GOOD);
    isBroken = false;
    expect(await settle(proxies, clock, endingIn(done))).toBe(true);
    expect(done.slice(-2)).toEqual(["forward 1", "complete"]);
});

test("an interrupted end that reached no proxy is taken back", async () => {
    const { proxies, done, all } = proxiesWith([{ held: FOR_GOOD }, { held: FOR_GOOD }]);
    expect(await settle(proxies, new VirtualClock(), endingIn(done))).toBe(false);
    expect(done).toEqual(["resume", "cancelled"]);
    expect(all.map(({ held }) => held)).toEqual([0, 0]);
});

test("an interrupted way back is completed as such", async () => {
    const { proxies, done, all } = proxiesWith([{}, { held: FOR_GOOD, isMoved: true }]);
    expect(await settle(proxies, new VirtualClock(), endingIn(done, "return"))).toBe(true);
    expect(done).toEqual(["return 1", "complete"]);
    expect(all.some(({ isMoved }) => isMoved)).toBe(false);
});

test("a proxy that was interrupted between the two parts of a forward lets writes go on", async () => {
    const { proxies, all } = proxiesWith([{ held: FOR_GOOD, isMoved: true }, {}]);
    (all[1] as MoveState).isMoved = true;
    expect(await settle(proxies, new VirtualClock(), endingIn([]))).toBe(true);
    expect(all.map(({ held }) => held)).toEqual([0, 0]);
});

test("a proxy that lost its state while others were switched is switched too", async () => {
    const { proxies, done } = proxiesWith([{ isMoved: true }, {}]);
    expect(await settle(proxies, new VirtualClock(), endingIn(done))).toBe(true);
    expect(done).toEqual(["pause 10 1", "forward 1", "complete"]);
});

test("while a write still runs, the pause is given up; nothing is copied", async () => {
    const { proxies, done } = proxiesWith([{ changes: 1 }]);
    const failing = whilePaused(proxies, LIMITS, new VirtualClock(), endingIn(done), () =>
        Promise.resolve(void done.push("work")),
    );
    await expect(failing).rejects.toThrow("--running");
    expect(done).toEqual(["pause 60", "resume"]);
});

test("requests from before the last reload are waited for, before anything is held", async () => {
    const { proxies, done } = proxiesWith([{ old: 1, earlier: 1 }]);
    const clock = new VirtualClock();
    await expect(whilePaused(proxies, LIMITS, clock, endingIn(done), nothing)).rejects.toThrow("last reload");
    expect(done).toEqual([]);
    // Idle connections to the former process have ended by then.
    expect(clock.now()).toBeGreaterThan(10_000);
});

test("a signal before the work has ended: writes go on, the work is aborted, and its end changes nothing", async () => {
    const { proxies, done } = proxiesWith([{}, {}]);
    const [clock, signals] = [new VirtualClock(), new EventEmitter()];
    let aborted = false;
    const running = whilePaused(
        proxies,
        LIMITS,
        clock,
        endingIn(done),
        async (abort) => {
            abort.addEventListener("abort", () => (aborted = true));
            await clock.sleep(1000);
            signals.emit("SIGINT");
            // npm forwards it.
            signals.emit("SIGINT");
            await clock.sleep(1000);
            done.push("work");
        },
        signals as NodeJS.Process,
    );
    await expect(running).rejects.toThrow("interrupted: nothing was switched");
    expect(aborted).toBe(true);
    expect(done).toEqual(["pause 60", "resume", "work"]);
    expect(signals.listenerCount("SIGINT")).toBe(0);
});

test.each(["begun", "hold", "forward", "complete"])("a signal at the end (%s) has no effect", async (step) => {
    const signals = new EventEmitter();
    const { proxies, done, all } = proxiesWith([{}, {}], (_, action) => {
        if (action === step) {
            signals.emit("SIGTERM");
        }
        return undefined;
    });
    const ending = endingIn(done);
    const emitting = (name: "begin" | "complete", text: string) => () => {
        ending[name]();
        if (text === step) {
            signals.emit("SIGTERM");
        }
    };
    const recorded = { ...ending, begin: emitting("begin", "begun"), complete: emitting("complete", "complete") };
    await whilePaused(proxies, LIMITS, new VirtualClock(), recorded, nothing, signals as NodeJS.Process);
    expect(done).toEqual(["pause 60", "begun", "hold", "forward", "complete"]);
    expect(all.every(({ isMoved }) => isMoved)).toBe(true);
});
