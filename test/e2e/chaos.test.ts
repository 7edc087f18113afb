import { chaosSuite } from "./chaos/chaosSuite";
import { STALE_AFTER_A_START, type Disturbance } from "./chaos/disturbance";
import { restartRequested } from "./chaos/plannedChanges";
import { storeKilled } from "./chaos/storeFaults";
import { minioStore } from "./harness/stores";

/** One fault and one planned change under one load, for the sake of time; test/e2e/chaos has each by itself. */
const killedThenRestarted: Disturbance = {
    name: "kill -9 of a store's process, then pulumi up: restartedAt",
    run: async (target) => {
        await storeKilled.run(target);
        await target.untilWhole(90);
        await restartRequested.run(target);
    },
    expected: { failedWithRetries: 0, ...STALE_AFTER_A_START },
};

describe("a cluster of MinIO under load", () =>
    chaosSuite({
        store: minioStore,
        // With three nodes MinIO may undo a delete that one of them missed (docs/chaos.md).
        config: { nodeCount: "4", drivesPerNode: "1" },
        disturbances: [killedThenRestarted],
        quiet: { before: 2, after: 2 },
    }));
