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
