import { Deployment } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import type { Store } from "../harness/stores";

/** One start of a deployment from nothing, observed through the engine's own events. */
export async function expectProxyStartsLast(store: Store, nodeCount: number, parallel: number): Promise<void> {
    const drives = nodeCount === 1 ? "1" : "2";
    const deployment = await Deployment.create({
        ...store.config,
        nodeCount: String(nodeCount),
        drivesPerNode: drives,
    });
    const recording = await new DockerHost().recordEvents(deployment.clusterName);
    try {
        await deployment.up(parallel);
        const { nodeNames } = await deployment.outputs();
        const events = recording.stop();
        const first = (container: string, action: string) => {
            const event = events.find((other) => other.container === container && other.action === action);
            if (event === undefined) {
                throw new Error(`${container} had no event ${action}`);
            }
            return event.time;
        };
        const start = first(`${deployment.clusterName}-proxy`, "start");
        expect(nodeNames).toHaveLength(nodeCount);
        for (const node of nodeNames) {
            expect(start).toBeGreaterThan(first(node, "health_status: healthy"));
        }
    } finally {
        recording.stop();
        await deployment.remove();
    }
}
