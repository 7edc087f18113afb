import type { ContainerHealth } from "../../../../components/docker/model";
import { NodeWaits } from "../../../../components/rollout/nodeWaits";
import type { RolloutDependencies } from "../../../../components/rollout/dependencies";
import { withMessageOnly } from "../../../../components/checks/problem";
import type { ProxyServer } from "../../../../components/proxyControl/proxyServers";
import { VirtualClock } from "../../fakes/virtualClock";

const place = { name: "node1", serverName: "node1", address: "10.0.0.1", drives: [] };

const limits = { profile: { settleSeconds: 0 }, readyTimeout: 10, drainTimeout: 10 };

/** A dependencies in which a node's console server has a state in its proxy. */
function worldWith(console: Pick<ProxyServer, "status" | "wrongStatus">, clock: VirtualClock): RolloutDependencies {
    const server = { proxy: "proxy", worker: "1", current: true, node: "node1", address: "10.0.0.1", running: 0 };
    return {
        clock,
        proxies: {
            list: () =>
                Promise.resolve<ProxyServer[]>([
                    { ...server, server: "s3/node1", status: "UP" },
                    { ...server, server: "console/node1", ...console },
                ]),
        },
        report: { error: (message: string) => withMessageOnly(new Error(message)) },
    } as unknown as RolloutDependencies;
}

/** Seconds until a node serves through its proxy, whose console server has a state; or the error. */
async function untilServing(console: Pick<ProxyServer, "status" | "wrongStatus">): Promise<string> {
    const clock = new VirtualClock();
    return new NodeWaits(worldWith(console, clock), limits, [place]).untilServing([place]).then(
        () => `${clock.now() / 1000} s`,
        (error: unknown) => (error as Error).message,
    );
}

describe("at the end of an update, a node that is ready", () => {
    const DOWN = /^node1: ready, but the proxy doesn't report it as UP: console\/node1 is DOWN in proxy$/;

    test.each<[string, Pick<ProxyServer, "status" | "wrongStatus">, RegExp]>([
        ["is up in the proxy", { status: "UP" }, /^0 s$/],
        ["doesn't answer the proxy", { status: "DOWN" }, DOWN],
        ["answers it that it isn't healthy", { status: "DOWN", wrongStatus: 503 }, DOWN],
        // The proxy gets the right paths next.
        ["doesn't know the path, which is another store's", { status: "DOWN", wrongStatus: 404 }, /^0 s$/],
    ])("%s", async (_, state, result) => {
        expect(await untilServing(state)).toMatch(result);
    });
});

test("while nodes are replaced, a server with another store's health path may be down: the proxy gets the right one next", async () => {
    const dependencies = worldWith({ status: "DOWN", wrongStatus: 404 }, new VirtualClock());
    await expect(new NodeWaits(dependencies, limits, [place]).untilUp([place], "not up")).resolves.toBeUndefined();
});

const SETTLE_SECONDS = 5;
const [ONE, TWO, THREE] = [1, 2, 3].map((number) => ({
    name: `node${number}`,
    serverName: `node${number}`,
    address: `10.0.0.${number}`,
    drives: [],
})) as [typeof place, typeof place, typeof place];

/** What the engine and the proxies say of a node. Default: it is in service. */
interface Said {
    /** Seconds after which it is ready. Default: 0. */
    readyAt?: number;
    /** Seconds after which it sees its peers. Default: 0. */
    seesPeersAt?: number;
    /** Seconds after which its container has started. Default: long ago. */
    startedAt?: number;
    health?: Partial<ContainerHealth>;
    servers?: Partial<ProxyServer>[];
}

/** A cluster of three nodes, and what is asked and said about it. */
class Cluster {
    readonly clock = new VirtualClock();
    readonly asked: string[] = [];
    readonly progress: string[] = [];
    readonly waits: NodeWaits;

    constructor(
        said: { [name: string]: Said } = {},
        nodes = [ONE, TWO, THREE],
        profile: { maintenancePath?: string; settleSeconds: number } = {
            maintenancePath: "/maintenance",
            settleSeconds: SETTLE_SECONDS,
        },
    ) {
        const passed = (seconds = 0) => this.clock.now() >= seconds * 1000;
        const answer = (question: string, holds: boolean) => {
            this.asked.push(question);
            return Promise.resolve({ code: holds ? 0 : 1, output: "" });
        };
        const dependencies = {
            clock: this.clock,
            engine: {
                now: () => Promise.resolve(this.clock.now()),
                checkHealth: (name: string) => answer(`ready ${name}`, passed(said[name]?.readyAt)),
                run: (name: string, command: string[]) =>
                    answer(`${command.at(-1) ?? ""} ${name}`, passed(said[name]?.seesPeersAt)),
                health: (name: string) =>
                    Promise.resolve({
                        health: "healthy",
                        state: "running",
                        lastCheck: "",
                        startedAt: (said[name]?.startedAt ?? -3600) * 1000,
                        ...said[name]?.health,
                    }),
                logTail: (name: string) => Promise.resolve(`the last line of ${name}`),
            },
            proxies: {
                list: () =>
                    Promise.resolve(
                        Object.entries(said).flatMap(([node, { servers = [] }]) =>
                            servers.map((server) => ({
                                ...{ proxy: "proxy", worker: "1", current: true, node, server: `s3/${node}` },
                                ...{ status: "UP", running: 0, ...server },
                            })),
                        ),
                    ),
            },
            report: {
                progress: (text: string) => Promise.resolve(void this.progress.push(text)),
                error: (message: string) => withMessageOnly(new Error(message)),
            },
        } as unknown as RolloutDependencies;
        this.waits = new NodeWaits(dependencies, { profile, readyTimeout: 30, drainTimeout: 20 }, nodes);
    }

    get seconds(): number {
        return this.clock.now() / 1000;
    }
}

describe("before a node is replaced", () => {
    test("every other one is asked, not the node itself", async () => {
        const cluster = new Cluster({ node1: { readyAt: Infinity } });
        expect(await cluster.waits.untilOthersReady(ONE)).toEqual([]);
        expect(cluster.asked.sort()).toEqual([
            "http://127.0.0.1:9000/maintenance node2",
            "http://127.0.0.1:9000/maintenance node3",
            "ready node2",
            "ready node3",
        ]);
        expect(cluster.seconds).toBe(0);
    });

    test.each<[string, Said]>([
        ["isn't ready", { readyAt: 3 }],
        ["doesn't see its peers", { seesPeersAt: 3 }],
        ["has just started", { startedAt: 3 - SETTLE_SECONDS }],
    ])("another one that %s is waited for", async (_, said) => {
        const cluster = new Cluster({ node3: said });
        expect(await cluster.waits.untilOthersReady(ONE)).toEqual([]);
        expect(cluster.seconds).toBe(3);
        expect(cluster.progress).toEqual(["waiting for node3 to be ready"]);
    });

    test.each<[string, Said]>([
        ["isn't ready", { readyAt: Infinity }],
        ["doesn't see its peers", { seesPeersAt: Infinity }],
        ["has just started", { startedAt: 1000 }],
    ])("another one that %s within the limit is reported, with its last lines", async (_, said) => {
        const cluster = new Cluster({ node3: said });
        expect(await cluster.waits.untilOthersReady(ONE)).toEqual([
            expect.stringMatching(/^node3 is not ready\. healthy, container running\.[^]*the last line of node3/),
        ]);
        expect(cluster.seconds).toBe(30);
        expect(cluster.progress).toEqual(Array(4).fill("waiting for node3 to be ready"));
    });

    test("peers aren't asked about where a store has no such status, or where two nodes can't do without each other", async () => {
        const blind = { node2: { seesPeersAt: Infinity } };
        const without = new Cluster(blind, [ONE, TWO, THREE], { settleSeconds: 0 });
        expect(await without.waits.untilOthersReady(ONE)).toEqual([]);
        const two = new Cluster(blind, [ONE, TWO]);
        expect(await two.waits.untilOthersReady(ONE)).toEqual([]);
        expect([...without.asked, ...two.asked].filter((question) => question.startsWith("http"))).toEqual([]);
    });
});

describe("after a node was replaced", () => {
    test("its peers and its own time to settle are waited for, at most a minute", async () => {
        const soon = new Cluster({ node1: { startedAt: 0 }, node2: { seesPeersAt: 8 } });
        await soon.waits.untilHealed([ONE]);
        expect(soon.seconds).toBe(8);
        const settling = new Cluster({ node1: { startedAt: 0 }, node2: { startedAt: 1000 } });
        await settling.waits.untilHealed([ONE]);
        expect(settling.seconds).toBe(SETTLE_SECONDS);
        const never = new Cluster({ node3: { seesPeersAt: Infinity } });
        await never.waits.untilHealed([ONE]);
        expect(never.seconds).toBe(60);
    });

    test("a single node, or none, has nobody to wait for", async () => {
        const single = new Cluster({ node1: { startedAt: 1000 } }, [ONE]);
        await single.waits.untilHealed([ONE]);
        const none = new Cluster({ node1: { seesPeersAt: Infinity } });
        await none.waits.untilHealed([]);
        await none.waits.untilServing([]);
        expect([single.seconds, none.seconds]).toEqual([0, 0]);
    });
});

test("nodes that aren't ready are those whose container is in a state, and whose check fails", async () => {
    const cluster = new Cluster({
        node1: { readyAt: Infinity, health: { health: "unhealthy" } },
        node2: { readyAt: Infinity },
        node3: { health: { health: "unhealthy" } },
    });
    const found = await cluster.waits.unready([ONE, TWO, THREE], ({ health }) => health === "unhealthy");
    expect(found).toEqual([ONE]);
});

describe("requests on a node", () => {
    test("are waited for, on all its servers and not on those of others", async () => {
        const servers = [{ running: 1 }, { server: "console/node1", running: 2 }];
        const cluster = new Cluster({ node1: { servers }, node2: { servers: [{ running: 7 }] } });
        await cluster.waits.untilIdle([ONE], 20);
        expect(cluster.seconds).toBe(20);
        expect(cluster.progress).toEqual(["3 request(s) still run after 20 s: they are cut off when the node stops"]);
        await cluster.waits.untilIdle([THREE], 20);
        expect(cluster.seconds).toBe(20);
        expect(cluster.progress).toHaveLength(1);
    });
});

describe("an operator's drain", () => {
    const [out, up, reads] = [{ status: "DRAIN" }, { status: "UP" }, "s3_read/node1"];

    test.each<[string, Partial<ProxyServer>[], boolean, boolean]>([
        ["no proxy knows the node", [], false, false],
        ["out of every backend", [out, { ...out, server: "console/node1" }], true, false],
        ["out of some backends", [out, { ...up, server: "console/node1" }], false, false],
        ["out, but not of reads", [out, { ...up, server: reads }], true, true],
        ["out of reads too", [out, { ...out, server: reads }], true, false],
        ["only out of reads", [up, { ...out, server: reads }], false, false],
        ["out, with an old worker", [out, { ...up, current: false }], true, false],
        ["out of reads, with an old worker", [out, { ...up, server: reads, current: false }], true, false],
    ])("%s", async (_, servers, isCordoned, takesReads) => {
        const { waits } = new Cluster({ node1: { servers }, node2: { servers: [up, { ...up, server: reads }] } });
        expect(await waits.isCordonedByOperator(ONE)).toBe(isCordoned);
        expect(await waits.takesReads(ONE)).toBe(takesReads);
    });
});

describe("nodes in the proxies", () => {
    test("are waited for, at most a minute; those that are down are named", async () => {
        const servers = [{ status: "DOWN" }, { status: "UP" }, { status: "DRAIN" }, { status: "DOWN", current: false }];
        const cluster = new Cluster({ node1: { servers }, node2: { servers: [{ status: "DOWN" }] } });
        await expect(cluster.waits.untilUp([ONE], "not up")).rejects.toThrow(/^not up: s3\/node1 is DOWN in proxy$/);
        expect(cluster.seconds).toBe(60);
        await expect(cluster.waits.untilUp([THREE], "not up")).resolves.toBeUndefined();
    });
});
