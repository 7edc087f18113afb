import { MoveSwitch, type MovedProxy } from "../../../../tools/move/proxies";
import { VirtualClock } from "../../fakes/virtualClock";

describe("the proxies", () => {
    const proxies = ["one", "two"].map((container) => ({ container }) as MovedProxy);
    const status = "old 0\nchanges 1\nearlier 0\nup 2\nheld 7\nmoved 1\n";

    test("each one's state is read, in their order", async () => {
        const { names, ...proxy } = {
            names: ["one", "two"],
            changes: 1,
            old: 0,
            earlier: 0,
            up: 2,
            held: 7,
            isMoved: true,
        };
        const change = new MoveSwitch(proxies, "move", new VirtualClock(), () => Promise.resolve(status));
        expect([change.names, await change.states()]).toEqual([names, [proxy, proxy]]);
    });

    test("if one refuses, the others are waited for, and all that refuse are named", async () => {
        const done: string[] = [];
        const change = new MoveSwitch(proxies, "move", new VirtualClock(), async ({ container }, args) => {
            if (container === "one") {
                throw new Error("one: no");
            }
            await new Promise((resolve) => setTimeout(resolve, 20));
            done.push(`${container} ${args.at(-1)}`);
            return status;
        });
        await expect(change.set("resume")).rejects.toThrow("one: no");
        expect(done).toEqual(["two resume"]);
        await change.set("forward", (index) => index === 1);
        expect(done).toEqual(["two resume", "two forward"]);
    });
});
