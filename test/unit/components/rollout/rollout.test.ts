import { ProxyServers } from "../../../../components/proxyControl/proxyServers";
import { SharedProxy } from "../../fakes/sharedProxy";
import { VirtualClock } from "../../fakes/virtualClock";
import { VirtualCluster } from "../../fakes/virtualCluster";

describe("the order of a rollout", () => {
    test("one node after the other: its files are written, it is drained, replaced, and back in service before the next", async () => {
        const cluster = new VirtualCluster(4);
        expect(await cluster.roll()).toBe("done");
        expect(cluster.events).toEqual(
            ["node1", "node2", "node3", "node4"].flatMap((name) =>
                ["prepare", "drain", "maint", "replace", "ready"].map((event) => `${event} ${name}`),
            ),
        );
        expect(cluster.undos.size).toBe(0);
    });

    test("all at once: every node's files are written before the first is drained, and each serves once it is ready", async () => {
        const cluster = new VirtualCluster(3);
        expect(await cluster.roll({ changesAll: true })).toBe("done");
        expect(cluster.events.slice(0, 7)).toEqual([
            "prepare node1",
            "prepare node2",
            "prepare node3",
            "drain node1 node2 node3",
            "replace node1",
            "replace node2",
            "replace node3",
        ]);
        expect(cluster.events.slice(7).sort()).toEqual(["ready node1", "ready node2", "ready node3"]);
        expect(cluster.undos.size).toBe(0);
    });

    test.each([
        ["a store that was never formed", { formed: false }],
        ["a change of all nodes of such a store", { formed: false, changesAll: true }],
    ])("%s: nothing is drained", async (_, options) => {
        const cluster = new VirtualCluster(4);
        expect(await cluster.roll(options)).toBe("done");
        expect(cluster.events).toEqual(["node1", "node2", "node3", "node4"].map((name) => `replace ${name}`));
    });

    test("of unchanged nodes, all files are prepared at once; one that the engine replaces all the same is waited for", async () => {
        const cluster = new VirtualCluster(3, {}, "keep");
        expect(await cluster.roll()).toBe("done");
        expect(cluster.events).toEqual([
            ...["node1", "node2", "node3"].map((name) => `prepare ${name}`),
            ...["node1", "node2", "node3"].map((name) => `replace ${name}`),
        ]);
        expect(cluster.said.filter((text) => text.includes("that this program can't see"))).toHaveLength(3);
    });

    test("missing nodes are created at once", async () => {
        const cluster = new VirtualCluster(4, {}, "create");
        expect(await cluster.roll()).toBe("done");
        expect(cluster.events).toEqual(["node1", "node2", "node3", "node4"].map((name) => `replace ${name}`));
    });

    test("a node that isn't in service is replaced before the others, and isn't drained", async () => {
        const cluster = new VirtualCluster(4, { isDown: ["node3"] });
        expect(await cluster.roll()).toBe("done");
        expect(cluster.events[0]).toBe("replace node3");
        expect(cluster.events).not.toContain("drain node3");
    });

    test("of those that aren't in service, nodes whose container doesn't run come first", async () => {
        const cluster = new VirtualCluster(5, { isDown: ["node2", "node4"], crashed: ["node4"] });
        expect(await cluster.roll()).toBe("done");
        expect(cluster.events.slice(0, 3)).toEqual(["replace node4", "replace node2", "prepare node1"]);
    });

    test.each([
        [
            2,
            [
                "a cluster of 2 nodes can't serve all requests while one of them is down: requests fail while it is replaced",
            ],
        ],
        [
            3,
            [
                expect.stringContaining(
                    "a cluster of 3 nodes may not find what is written while one of them is replaced",
                ),
            ],
        ],
        [4, []],
    ])("what %d nodes can't promise is said before the first is replaced", async (count, warnings) => {
        const cluster = new VirtualCluster(count);
        expect(await cluster.roll()).toBe("done");
        expect(cluster.said.filter((text) => text.startsWith("a cluster of"))).toEqual(warnings);
        const unchanged = new VirtualCluster(count, {}, "create");
        await unchanged.roll();
        expect(unchanged.said.filter((text) => text.startsWith("a cluster of"))).toEqual([]);
    });

    test("a node that an operator has drained stays drained, also if all nodes are replaced at once", async () => {
        const cluster = new VirtualCluster(3, { drained: ["node2"] });
        expect(await cluster.roll({ changesAll: true })).toBe("done");
        expect(cluster.events).toContain("drain node1 node3");
        expect(cluster.events).toContain("replace node2");
        expect(cluster.notServing()).toEqual(["node2"]);
    });

    test.each([true, false])(
        "a node that an operator has drained stays drained, although an old worker still runs after a reload; all nodes at once: %p",
        async (changesAll) => {
            const cluster = new VirtualCluster(4, { drained: ["node2"], reloaded: true });
            expect(await cluster.roll({ changesAll })).toBe("done");
            expect(cluster.notServing()).toEqual(["node2"]);
        },
    );

    test("a node that an operator has drained gets no reads while all nodes are replaced at once", async () => {
        const cluster = new VirtualCluster(3, { drained: ["node2"], readsGoOn: true });
        expect(await cluster.roll({ changesAll: true })).toBe("done");
        expect(cluster.said).not.toContain("1 request(s) still run after 20 s: they are cut off when the node stops");
        expect(cluster.events).toEqual(expect.arrayContaining(["drain reads node2", "ready reads node2"]));
        expect(cluster.notServing()).toEqual(["node2"]);
    });

    test("a node that an operator has also taken out of reads stays so while all nodes are replaced at once", async () => {
        const cluster = new VirtualCluster(3, { drained: ["node2"], readsDrained: ["node2"] });
        expect(await cluster.roll({ changesAll: true })).toBe("done");
        expect(cluster.events.filter((event) => event.includes("reads"))).toEqual([]);
    });

    test("a node that an update kept out of reads gets reads again, also if a proxy refuses it once", async () => {
        const cluster = new VirtualCluster(3, { drained: ["node2"], readsFailOnce: true });
        expect(await cluster.roll({ changesAll: true })).toEqual(new Error("the proxy gives no answer"));
        expect(cluster.events.filter((event) => event === "ready reads node2")).toHaveLength(2);
    });

    test("a node that an interrupted update keeps out of reads gets reads again first", async () => {
        const cluster = new VirtualCluster(3, { drained: ["node2"], readsLeftOut: ["node2"] });
        expect(await cluster.roll()).toBe("done");
        expect(cluster.events[0]).toBe("ready reads node2");
        expect(cluster.notServing()).toEqual(["node2"]);
    });

    test("a node that an operator has drained is replaced, and stays drained", async () => {
        const cluster = new VirtualCluster(4, { drained: ["node2"] });
        expect(await cluster.roll()).toBe("done");
        expect(cluster.events).not.toContain("ready node2");
        expect(cluster.notServing()).toEqual(["node2"]);
    });

    test("a node that an interrupted update has left out is returned to service first", async () => {
        const cluster = new VirtualCluster(4, { leftOut: ["node3"] });
        expect(await cluster.roll()).toBe("done");
        expect(cluster.events[0]).toBe("ready node3");
        expect(cluster.out()).toEqual([]);
    });

    test("requests beyond the drain timeout are aborted, with a message", async () => {
        const cluster = new VirtualCluster(3, { busy: "node1" });
        expect(await cluster.roll()).toBe("done");
        expect(cluster.said).toContain("1 request(s) still run after 20 s: they are cut off when the node stops");
    });

    test.each([0, -3600, 3600])(
        "with the engine's clock %d s ahead, a node settles for the time in its profile",
        async (engineAhead) => {
            const cluster = new VirtualCluster(3, { engineAhead });
            expect(await cluster.roll()).toBe("done");
            for (const seconds of cluster.backAfter.values()) {
                expect(seconds).toBeGreaterThanOrEqual(5);
                expect(seconds).toBeLessThan(6);
            }
        },
    );
});

test("two simultaneous rollouts behind one proxy leave each other's nodes unchanged", async () => {
    const clock = new VirtualClock();
    const subnets = { "one-nodes": "10.0.0.0/24", "two-nodes": "10.0.1.0/24" };
    const networks = ["10.0.0", "10.0.1"];
    const addresses = networks.flatMap((network) => [1, 2, 3].map((number) => `${network}.${number}`));
    const proxy = new SharedProxy(clock, subnets, addresses);
    const clusters = Object.keys(subnets).map((name, index) => {
        const nodes = [1, 2, 3].map((number) => ({ name: `node${number}`, address: `${networks[index]}.${number}` }));
        const proxies = new ProxyServers(proxy, name, { nodes, clock });
        return new VirtualCluster(3, { proxies, network: networks[index], clock });
    });
    // The second one starts while the first has a node out of service.
    const first = clusters[0]?.roll();
    while (![...proxy.states.values()].includes("maint")) {
        await clock.sleep(10);
    }
    expect(await Promise.all([first, clusters[1]?.roll()])).toEqual(["done", "done"]);
    for (const address of addresses) {
        const own = proxy.events.filter((event) => event.endsWith(` ${address}`));
        expect(own).toEqual([`drain ${address}`, `maint ${address}`, `ready ${address}`]);
    }
});
