import { randomInt } from "node:crypto";
import type { ChaosTarget } from "./chaosTarget";
import { UNDONE_AFTER_STARTS, type Disturbance } from "./disturbance";

/** HAProxy's master ends at once, and its worker with it; nobody serves until the engine has started it again. */
export const proxyKilled: Disturbance = {
    name: "kill -9 of the proxy's master",
    run: (target) => target.signal(target.proxy.container, "KILL"),
    expected: { servedWithin: 15 },
};

/** Every container of the deployment is restarted, one after the other, each once the one before is back. */
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

/** What a restart of the host does, and one that starts things in an order of its own. */
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

/** The nodes and the proxy, shuffled; the order is printed, for whoever has to see it again. */
function inRandomOrder({ nodes, proxy }: ChaosTarget): string[] {
    const left = [...nodes, proxy.container];
    const order: string[] = [];
    while (left.length > 0) {
        order.push(...left.splice(randomInt(left.length), 1));
    }
    console.log(`in this order: ${order.join(", ")}`);
    return order;
}
