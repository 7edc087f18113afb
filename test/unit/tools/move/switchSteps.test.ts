import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
    copyRepeatedly,
    copyUntilShort,
    refuseLiveTarget,
    refuseOtherTarget,
    remember,
    timeOf,
    type Move,
} from "../../../../tools/move/copySteps";
import { leadsTo, type MovedStack } from "../../../../tools/move/movedStack";
import { MoveRecords, type MoveRecord } from "../../../../tools/move/moveRecord";
import type { PausedProxies } from "../../../../tools/move/pause";
import { recordedEnding, refuseLongPause, storeInUse } from "../../../../tools/move/switchSteps";
import { VirtualClock } from "../../fakes/virtualClock";
import { VirtualStore } from "../../fakes/virtualStore";

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "moves-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A move whose proxies forward as given. */
function moveWith(moved: boolean[], record: Partial<MoveRecord> = {}): Move {
    const stack = (name: string) => ({ stack: name }) as MovedStack;
    return {
        near: stack("old"),
        far: stack("new"),
        record: { name: "move", ...record },
        records: new MoveRecords(folder),
        forwarding: () => Promise.resolve(moved),
    } as Partial<Move> as Move;
}

describe("a copy into a store that clients write to would delete what they have written", () => {
    test.each<[string, boolean[], Partial<MoveRecord>]>([
        ["the record says that they were moved", [false], { switchedAt: "2026-01-01T00:00:00Z" }],
        ["an interrupted switch may have moved them", [false, false], { switchedAt: "x", ending: "forward" }],
        ["the record is lost, and the proxies forward", [true], {}],
        ["one of the proxies forwards", [false, true], {}],
    ])("%s", async (_, moved, record) => {
        await expect(refuseLiveTarget(moveWith(moved, record), false)).rejects.toThrow(
            "clients of old use new, or may",
        );
    });

    test("before the switch it is allowed; on the way back all proxies must forward", async () => {
        await refuseLiveTarget(moveWith([false, false], { copiedSince: "x" }), false);
        await refuseLiveTarget(moveWith([true, true], { switchedAt: "x" }), true);
        await expect(refuseLiveTarget(moveWith([true, false], { switchedAt: "x" }), true)).rejects.toThrow(
            "clients of old use old, or may",
        );
    });

    test("it is looked for before each attempt", async () => {
        const moved = [false];
        const move = moveWith(moved);
        let attempts = 0;
        const failing = copyRepeatedly(move, { action: "copy" }, () => {
            attempts++;
            moved[0] = true;
            return Promise.reject(new Error("no"));
        });
        await expect(failing).rejects.toThrow("use new, or may");
        expect(attempts).toBe(1);
    });
});

describe("copies before the pause", () => {
    /** Runs copies that take so many seconds each. Returns what each was asked for, and the last one. */
    const copies = async (durations: number[]) => {
        const clock = new VirtualClock();
        const asked: (string | undefined)[] = [];
        const engine = { info: () => Promise.resolve({ SystemTime: new Date(clock.now()).toISOString() }) };
        const move = moveWith([false]);
        Object.assign(move.near, { engines: [engine], isOnOneHost: true });
        const run = async (_move: unknown, { since }: { since?: string }) => {
            asked.push(since);
            await clock.sleep((durations[asked.length - 1] ?? 0) * 1000);
        };
        const begun = clock.now();
        const last = await copyUntilShort(move, { action: "copy", since: "first" }, { clock, run });
        const since = (time: string | undefined) => (Date.parse(time ?? "") - begun) / 1000;
        return { last, sinces: [...asked.slice(1), last.since].map(since) };
    };

    test("follow each other until one is short; each copies what has changed since the one before began", async () => {
        const { last, sinces } = await copies([60, 20, 4, 4]);
        expect(last.seconds).toBe(4);
        expect(sinces).toEqual([-3, 57, 77]);
    });

    test("end when they don't get shorter, and after six", async () => {
        expect((await copies([60, 50, 1])).sinces).toHaveLength(2);
        expect((await copies([600, 400, 260, 170, 110, 70, 40])).sinces).toHaveLength(6);
    });

    test("that take longer than the pause may be: nothing is switched, and no write is held", () => {
        const limits = { pause: 60, running: 10 };
        refuseLongPause({ seconds: 96 }, limits);
        expect(() => refuseLongPause({ seconds: 97 }, limits)).toThrow(
            "took 97 s, with the listings of both stores, and writes may be held for 60 s: nothing was switched",
        );
    });
});

test("a copy that fails is tried three times", async () => {
    let attempts = 0;
    const failing = copyRepeatedly(moveWith([false]), { action: "copy" }, () => {
        attempts++;
        return Promise.reject(new Error("no copy"));
    });
    await expect(failing).rejects.toThrow("no copy");
    expect(attempts).toBe(3);
});

test("a copy after which the second store has nothing went to another one", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    const stack = (name: string, store: VirtualStore) => ({ stack: name, store: store as unknown }) as MovedStack;
    const move = { ...moveWith([false]), near: stack("old", from), far: stack("new", to), addresses: ["10.0.0.9"] };
    from.put("bucket", "folder/", "");
    await refuseOtherTarget(move, false);
    from.put("bucket", "key", "content");
    await expect(refuseOtherTarget(move, false)).rejects.toThrow("10.0.0.9 leads to another store");
    await refuseOtherTarget(move, true);
    to.put("other bucket", "key", "content");
    await refuseOtherTarget(move, false);
});

test("a stack's own proxies are no target: at each of its hosts, or at the address that it publishes", () => {
    const stack = { publishAddress: "0.0.0.0", hostAddresses: ["10.0.0.1"], httpsPort: 443 };
    expect(leadsTo(stack, "10.0.0.1", 443)).toBe(true);
    expect(leadsTo(stack, "10.0.0.1", 8443)).toBe(false);
    expect(leadsTo({ ...stack, publishAddress: "10.0.0.2" }, "10.0.0.1", 443)).toBe(false);
    expect(leadsTo({ ...stack, publishAddress: "10.0.0.2" }, "10.0.0.2", 443)).toBe(true);
});

test("the time of a store is that of its slowest clock", async () => {
    const engines = ["2026-01-01T00:05:00Z", "2026-01-01T00:00:00Z"].map((SystemTime) => ({
        info: () => Promise.resolve({ SystemTime }),
    }));
    expect(await timeOf({ engines: engines })).toBe("2026-01-01T00:00:00.000Z");
});

describe("the record", () => {
    const stored = () => new MoveRecords(folder).read("old", "new");

    test("of a forward: begun, it refuses copies; complete, too; taken back, it doesn't", () => {
        const move = moveWith([false], { copiedSince: "before" });
        const { begin, complete, cancel } = recordedEnding(move, "forward", "then");
        begin();
        expect(stored()).toEqual({ name: "move", copiedSince: "before", ending: "forward", switchedAt: "then" });
        complete();
        expect(stored()).toEqual({ name: "move", copiedSince: "before", switchedAt: "then" });
        begin();
        cancel();
        expect(stored()).toEqual({ name: "move", copiedSince: "before" });
    });

    test("of a return: once it is complete, clients use the first store; taken back, they still use the second one", () => {
        const move = moveWith([true], { switchedAt: "then" });
        const { begin, complete, cancel } = recordedEnding(move, "return");
        begin();
        cancel();
        expect(stored()).toEqual({ name: "move", switchedAt: "then" });
        begin();
        expect(stored()).toEqual({ name: "move", ending: "return", switchedAt: "then" });
        complete();
        expect(stored()).toEqual({ name: "move" });
    });

    test("is removed once the stores are moved the other way round", () => {
        remember(moveWith([true]), { switchedAt: "then" });
        new MoveRecords(folder).remove("old", "new");
        expect(stored()).toBeUndefined();
    });

    test("that can't be written leaves what is known as it was", () => {
        const move = moveWith([false]);
        move.records = new MoveRecords("/dev/null/folder");
        expect(() => remember(move, { ending: "forward" })).toThrow();
        expect(move.record).toEqual({ name: "move" });
    });
});

describe("which store the clients use", () => {
    /** Proxies that take a forward or a return, as long as they hold writes. */
    function proxiesWith(moved: boolean[], held: number[]) {
        const done: string[] = [];
        const proxies: PausedProxies = {
            names: moved.map((_, index) => `proxy${index + 1}`),
            states: () =>
                Promise.resolve(
                    moved.map((isMoved, index) => ({
                        ...{ changes: 0, old: 0, earlier: 0, up: 1 },
                        ...{ isMoved, held: held[index] ?? 0 },
                    })),
                ),
            set: (action, isMeant) => {
                done.push(JSON.stringify(action));
                for (const index of moved.keys()) {
                    if (isMeant?.(index) ?? true) {
                        moved[index] = action === "forward" || (action !== "return" && moved[index] === true);
                        held[index] = 0;
                    }
                }
                return Promise.resolve();
            },
            until: () => Promise.resolve(true),
        };
        return { proxies, done };
    }

    test("a forward that reached one of two proxies is completed, so a way back copies what clients wrote through it", async () => {
        const moved = [true, false];
        const move = moveWith(moved, { ending: "forward", switchedAt: "then" });
        const { proxies, done } = proxiesWith(moved, [0, 1e9]);
        expect(await storeInUse(move, proxies)).toBe("second");
        expect([moved, done, move.record]).toEqual([[true, true], ['"forward"'], { name: "move", switchedAt: "then" }]);
    });

    test("a return that reached one of two proxies is completed", async () => {
        const moved = [false, true];
        const move = moveWith(moved, { ending: "return", switchedAt: "then" });
        const { proxies, done } = proxiesWith(moved, [0, 1e9]);
        expect(await storeInUse(move, proxies)).toBe("first");
        expect([moved, done, move.record]).toEqual([[false, false], ['"return"'], { name: "move" }]);
    });

    test("a forward that reached no proxy is taken back: writes that are still held go on", async () => {
        const move = moveWith([false, false], { ending: "forward", switchedAt: "then" });
        const { proxies, done } = proxiesWith([false, false], [1e9, 1e9]);
        expect(await storeInUse(move, proxies)).toBe("first");
        expect([done, move.record]).toEqual([['"resume"'], { name: "move" }]);
    });

    test("without a record of it nothing is guessed from proxies that differ", async () => {
        const { proxies, done } = proxiesWith([true, false], [0, 1e9]);
        await expect(storeInUse(moveWith([true, false]), proxies)).rejects.toThrow(
            "clients of proxy1 use another store than those of proxy2",
        );
        expect(done).toEqual([]);
    });
});
