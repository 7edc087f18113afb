import { compareStores, copyOfChanges, withMargin, type Move } from "../../../tools/move/copySteps";
import type { MovedStack } from "../../../tools/move/movedStack";
import { VirtualStore } from "./virtualStore";

/** A move between two stores, with the time of the last copy. Their objects are from the first of January. */
function moveOf(from: VirtualStore, to: VirtualStore, copiedSince: string): Move {
    const stack = (store: VirtualStore) => ({ store: store as unknown, isOnOneHost: true }) as MovedStack;
    return { near: stack(from), far: stack(to), record: { name: "move", copiedSince } } as Move;
}

test("what is missing or differs is named; what has changed since the copy is not", async () => {
    const [from, to] = [new VirtualStore(), new VirtualStore()];
    for (const key of ["same", "missing", "other size", "other bytes"]) {
        from.put("bucket", key, "content");
    }
    to.put("bucket", "same", "content");
    to.put("bucket", "other size", "more content");
    to.put("bucket", "other bytes", "CONTENT");
    expect(await compareStores(moveOf(from, to, "2026-01-02T00:00:00Z"))).toEqual({
        same: 1,
        changed: 0,
        wrong: [
            'bucket/"missing" is missing',
            'bucket/"other bytes" has another checksum',
            'bucket/"other size" has another size',
        ],
    });
    expect(await compareStores(moveOf(from, to, "2026-01-01T00:00:00Z"))).toEqual({ same: 0, changed: 4, wrong: [] });
});

test("several hosts get a longer margin for their clocks", () => {
    const stack = (isOnOneHost: boolean) => ({ isOnOneHost }) as MovedStack;
    expect(withMargin(stack(true), "2026-01-01T00:01:00.000Z")).toBe("2026-01-01T00:00:57.000Z");
    expect(withMargin(stack(false), "2026-01-01T00:01:00.000Z")).toBe("2026-01-01T00:00:00.000Z");
    expect(withMargin(stack(true), undefined)).toBeUndefined();
});

test("a copy without a known earlier one copies everything", () => {
    const move = { near: { isOnOneHost: true }, record: { name: "move" } } as Move;
    expect(copyOfChanges(move)).toEqual({ action: "copy", since: undefined });
});
