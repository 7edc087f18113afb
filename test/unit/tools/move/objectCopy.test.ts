import { removeEnded } from "../../../../tools/move/objectCopy";
import { VirtualClock } from "../../fakes/virtualClock";

describe("the container of a copy", () => {
    const refusal = (statusCode: number) =>
        Promise.reject(Object.assign(new Error(`no: ${statusCode}`), { statusCode }));

    /** An engine whose container has these states, one after the other; then it has none, unless the last one remains. */
    const engineWith = (states: ("runs" | "ended" | "being removed")[], remains = false) => {
        const removed: unknown[] = [];
        const inspect = () => {
            const state = states[0];
            if (remains ? states.length > 1 : state === "runs") {
                states.shift();
            }
            return state === undefined ? refusal(404) : Promise.resolve({ State: { Running: state === "runs" } });
        };
        const remove = (options: unknown) => {
            removed.push(options);
            return states.shift() === "being removed" ? refusal(409) : Promise.resolve();
        };
        const getContainer = () => ({ inspect, remove });
        return { docker: { getContainer } as unknown as Parameters<typeof removeEnded>[0], removed };
    };

    test("one that runs is not removed, and refused", async () => {
        const { docker, removed } = engineWith(["runs"], true);
        await expect(removeEnded(docker, "old-copy", new VirtualClock())).rejects.toThrow("docker stop old-copy");
        expect(removed).toEqual([]);
    });

    test("one that is about to end is waited for, then removed without force", async () => {
        const { docker, removed } = engineWith(["runs", "runs", "ended"]);
        await removeEnded(docker, "old-copy", new VirtualClock());
        expect(removed).toEqual([undefined]);
    });

    test("one that the engine removes already is waited for", async () => {
        const { docker, removed } = engineWith(["being removed", "being removed"]);
        await removeEnded(docker, "old-copy", new VirtualClock());
        expect(removed).toHaveLength(2);
    });

    test("none is no problem; another error is one", async () => {
        await removeEnded(engineWith([]).docker, "old-copy", new VirtualClock());
        const broken = { getContainer: () => ({ inspect: () => refusal(500) }) };
        await expect(removeEnded(broken as never, "old-copy", new VirtualClock())).rejects.toThrow("no: 500");
    });
});
