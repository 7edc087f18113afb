import { randomInt } from "node:crypto";
import type { ChaosTarget } from "./chaosTarget";
import { UNDONE_AFTER_STARTS, type Disturbance } from "./disturbance";

/** Kills HAProxy's master, and its worker with it. Nothing is served until the engine has started it again. */
export const proxyKilled: Disturbance = {
    name: "kill -9 of the proxy's master",
    run: (target) => target.signal(target.proxy.container, "KILL"),
    expected: { servedWithin: 15 },
};

/** Restarts every container of the deployment, one after the other, each once the previous one is healthy again. */
export const restartedInTurn: Disturbance = {
    name: "every container restarted, in a random order, one after the other",
    run: async (target) => {
        for (const container of inRandomOrder(target)) {
            await target.host.docker.getContainer(container).restart();
            await target.untilWhole(120);
        }
    },
    expected: UNDONE_AFTER_STARTS,
};

/** The effect of a restart of the host, which starts the containers in any order. */
export const startedInAnyOrder: Disturbance = {
    name: "every container stopped at once, then started in a random order",
    run: async (target) => {
        const containers = inRandomOrder(target).map((name) => target.host.docker.getContainer(name));
        await Promise.all(containers.map((container) => container.stop()));
        for (const container of containers) {
            await container.start();
        }
    },
    expected: UNDONE_AFTER_STARTS,
};

/** The nodes and the proxy, shuffled. Prints the order, so that a failure can be reproduced. */
function inRandomOrder({ nodes, proxy }: ChaosTarget): string[] {
    const left = [...nodes, proxy.container];
    const order: string[] = [];
    while (left.length > 0) {
        order.push(...left.splice(randomInt(left.length), 1));
    }
    console.log(`in this order: ${order.join(", ")}`);
    return order;
}
