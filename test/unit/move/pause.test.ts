import { whilePaused, type PausedProxies } from "../../../tools/move/pause";
import type { MoveState } from "../../../tools/move/proxies";
import { VirtualClock } from "../rollout/virtualClock";

const QUIET: MoveState = { changes: 0, old: 0, earlier: 0, up: 1, isPaused: false, isMoved: false };
const LIMITS = { pause: 60, running: 10 };

/** Proxies with given states, and what was done to them. */
function proxiesWith(state: Partial<MoveState>, refused: string[] = []) {
    const done: string[] = [];
    const states = () => Promise.resolve([{ ...QUIET, ...state }]);
    const proxies: PausedProxies = {
        states,
        set: (action) => {
            const text = typeof action === "string" ? action : `pause ${action.pause}`;
            done.push(text);
            return refused.includes(text) ? Promise.reject(new Error(`${text} is refused`)) : Promise.resolve();
        },
        until: async (condition) => (await states()).every(condition),
    };
    return { proxies, done };
}

test("writes are held until the work forwards them", async () => {
    const { proxies, done } = proxiesWith({});
    const clock = new VirtualClock();
    const seconds = await whilePaused(proxies, LIMITS, clock, async (end) => {
        await clock.sleep(2500);
        done.push("work");
        await end("forward");
    });
    expect(done).toEqual(["pause 60", "work", "hold", "forward"]);
    expect(seconds).toBe(2.5);
});

test("if the work fails, writes go on as before", async () => {
    const { proxies, done } = proxiesWith({});
    const failing = whilePaused(proxies, LIMITS, new VirtualClock(), () => Promise.reject(new Error("no copy")));
    await expect(failing).rejects.toThrow("no copy");
    expect(done).toEqual(["pause 60", "resume"]);
});

test("if the pause ended before the work did, nothing is forwarded", async () => {
    const { proxies, done } = proxiesWith({}, ["hold"]);
    await expect(whilePaused(proxies, LIMITS, new VirtualClock(), (end) => end("forward"))).rejects.toThrow("refused");
    expect(done).toEqual(["pause 60", "hold", "resume"]);
});

test("if only some proxies forward, writes stay held in the others, which the next run completes", async () => {
    const { proxies, done } = proxiesWith({}, ["forward"]);
    await expect(whilePaused(proxies, LIMITS, new VirtualClock(), (end) => end("forward"))).rejects.toThrow("refused");
    expect(done).toEqual(["pause 60", "hold", "forward"]);
});

test("while a write still runs, the pause is given up", async () => {
    const { proxies, done } = proxiesWith({ changes: 1 });
    await expect(whilePaused(proxies, LIMITS, new VirtualClock(), (end) => end("forward"))).rejects.toThrow(
        "--running",
    );
    expect(done).toEqual(["pause 60", "resume"]);
});

test("requests from before the last reload are waited for, before anything is held", async () => {
    const { proxies, done } = proxiesWith({ old: 1, earlier: 1 });
    const clock = new VirtualClock();
    await expect(whilePaused(proxies, LIMITS, clock, (end) => end("forward"))).rejects.toThrow("last reload");
    expect(done).toEqual([]);
    // Idle connections to the former process have ended by then.
    expect(clock.now()).toBeGreaterThan(10_000);
});
