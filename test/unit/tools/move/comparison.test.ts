import { compareStores } from "../../../../tools/move/comparison";
import { withMargin, type Move } from "../../../../tools/move/copySteps";
import type { MovedStack } from "../../../../tools/move/movedStack";
import { VirtualStore } from "../../fakes/virtualStore";

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

describe("objects that were uploaded in parts are compared byte by byte", () => {
    const stores = () => {
        const [from, to] = [new VirtualStore(), new VirtualStore()];
        for (const key of ["same", "in parts", "changes"]) {
            from.put("bucket", key, "content", key === "same" ? {} : { "x-amz-meta-parts": "yes" });
            to.put("bucket", key, "content");
        }
        return { from, move: moveOf(from, to, "2026-01-02T00:00:00Z") };
    };

    test("what differs is a failure", async () => {
        const { move } = stores();
        const asked: unknown[] = [];
        const result = await compareStores(move, (_, { objects }) => Promise.resolve(void asked.push(objects)));
        expect([result, asked]).toEqual([{ same: 3, changed: 0, wrong: [] }, [["bucket/changes", "bucket/in parts"]]]);
        await expect(compareStores(move, () => Promise.reject(new Error("differs")))).rejects.toThrow("differs");
    });

    test("unless a client has changed it meanwhile", async () => {
        const { from, move } = stores();
        const asked: unknown[] = [];
        const result = await compareStores(move, async (_, { objects = [] }) => {
            asked.push(objects);
            if (objects.includes("bucket/changes")) {
                await from.send({ method: "DELETE", path: "/bucket/changes" });
                throw new Error("differs");
            }
        });
        expect([result, asked]).toEqual([
            { same: 2, changed: 1, wrong: [] },
            [["bucket/changes", "bucket/in parts"], ["bucket/in parts"]],
        ]);
    });
});
