import type { PlannedNode } from "../../../../components/rollout/nodePlan";
import type { Trouble } from "../../fakes/clusterTrouble";
import { VirtualCluster } from "../../fakes/virtualCluster";

/** Conditions that end a rollout early, and what must be true then. */
interface Case {
    what: string;
    trouble: Trouble;
    changesAll: boolean;
    /** Seconds after which Pulumi interrupts it, if it does. */
    interruptedAt?: number;
    says?: string[];
    saysNot?: string[];
    /** Whether any node may be out of service. */
    untouched?: boolean;
}

const CASES: Case[] = [
    {
        what: "one by one, a writer fails",
        trouble: { writerFails: "node2" },
        changesAll: false,
        says: ["node2-prepare failed"],
    },
    {
        what: "one by one, the first writer fails",
        trouble: { writerFails: "node1" },
        changesAll: false,
        untouched: true,
    },
    { what: "all at once, a writer fails", trouble: { writerFails: "node3" }, changesAll: true, untouched: true },
    {
        what: "one by one, a node isn't ready",
        trouble: { staysDown: ["node2"] },
        changesAll: false,
        says: [
            "node2 is not ready 30 s after it was replaced",
            "The nodes after it stay as they were",
            "its last line",
        ],
    },
    {
        what: "all at once, a node isn't ready",
        trouble: { staysDown: ["node2"] },
        changesAll: true,
        says: [
            "node2 is not ready 30 s after it was replaced",
            "All nodes were replaced, and those that are ready are in service",
        ],
        saysNot: ["stay as they were"],
    },
    {
        what: "all at once, no node is ready",
        trouble: { staysDown: ["node1", "node2", "node3", "node4"] },
        changesAll: true,
        says: ["node1 is not ready", "node4 is not ready"],
    },
    {
        what: "one by one, a creation fails, and Pulumi interrupts",
        trouble: { creationFails: "node2" },
        changesAll: false,
        interruptedAt: 60,
    },
    {
        what: "all at once, a creation fails, and Pulumi interrupts",
        trouble: { creationFails: "node2" },
        changesAll: true,
        interruptedAt: 5,
    },
    { what: "one by one, interrupted in a drain", trouble: { busy: "node1" }, changesAll: false, interruptedAt: 10 },
    { what: "all at once, interrupted in a drain", trouble: { busy: "node1" }, changesAll: true, interruptedAt: 10 },
    { what: "one by one, interrupted while a node starts", trouble: {}, changesAll: false, interruptedAt: 1.2 },
    { what: "all at once, interrupted while nodes start", trouble: {}, changesAll: true, interruptedAt: 1.2 },
];

describe("conditions that end a rollout early", () => {
    test.each(CASES)("$what: no node is left out of service", async (given) => {
        const cluster = new VirtualCluster(4, given.trouble);
        const rolled = cluster.roll({ changesAll: given.changesAll });
        if (given.interruptedAt !== undefined) {
            await cluster.clock.sleep(given.interruptedAt * 1000);
            await cluster.interrupt();
        } else {
            const { message } = (await rolled) as Error;
            (given.says ?? []).forEach((text) => expect(message).toContain(text));
            (given.saysNot ?? []).forEach((text) => expect(message).not.toContain(text));
            expect(cluster.undos.size).toBe(0);
        }
        expect(cluster.out()).toEqual([]);
        expect(cluster.notServing()).toEqual([]);
        expect(cluster.events.some((event) => event.startsWith("drain"))).toBe(given.untouched !== true);
    });

    test("no node is replaced while one that stays as it is isn't ready", async () => {
        const cluster = new VirtualCluster(4, { staysDown: ["node3"] });
        const kept = cluster.nodes[2] as PlannedNode;
        Object.assign(kept, { step: "keep" });
        Object.assign(kept.container as object, { id: "node3-after" });
        const { message } = (await cluster.roll()) as Error;
        expect(message).toMatch(
            /^node1 is not replaced while another node isn't ready[^]*node3 is not ready\. unhealthy/,
        );
        expect(cluster.events.filter((event) => /^(drain|replace)/.test(event))).toEqual(["replace node3"]);
    });

    test("no node is replaced while an operator has stopped one", async () => {
        const cluster = new VirtualCluster(4);
        Object.assign(cluster.nodes[3]?.container as object, { state: "exited" });
        const { message } = (await cluster.roll()) as Error;
        expect(message).toContain("No node is replaced while another one is stopped");
        expect(cluster.events).toEqual([]);
    });

    test("after an interruption nothing more is drained or replaced", async () => {
        const cluster = new VirtualCluster(4, { busy: "node1" });
        const rolled = cluster.roll();
        await cluster.clock.sleep(10_000);
        await cluster.interrupt();
        expect(await rolled).toMatchObject({ message: "the update was interrupted" });
        await cluster.clock.sleep(60_000);
        const after = cluster.events.slice(cluster.events.indexOf("interrupted") + 1);
        expect([...new Set(after)]).toEqual(["ready node1"]);
    });

    test("a node with a replaced container only serves after the proxy's own checks", async () => {
        const cluster = new VirtualCluster(4, { staysDown: ["node2"] });
        await cluster.roll({ changesAll: true });
        expect(cluster.events.slice(-1)).toEqual(["ready after checks node2"]);
    });

    test("all at once: ready nodes don't wait for one that isn't ready", async () => {
        const cluster = new VirtualCluster(4, { staysDown: ["node2"] });
        await cluster.roll({ changesAll: true });
        const [one] = [cluster.backAfter.get("node1") ?? Infinity];
        expect(one).toBeLessThan(10);
    });

    test("if the proxies can't be reached any more, the error names the nodes that are out of service", async () => {
        const cluster = new VirtualCluster(4, { staysDown: ["node1"], proxiesFailAt: 3 });
        const { message } = (await cluster.roll()) as Error;
        expect(message).toContain("node1 is not ready");
        expect(message).toContain(
            "node1 could not be put in service again: the proxy gives no answer. The next update does that first",
        );
    });
});
