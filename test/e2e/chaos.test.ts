import { chaosSuite } from "./chaos/chaosSuite";
import { restartRequested } from "./chaos/plannedChanges";
import { storeKilled } from "./chaos/storeFaults";
import { minioStore } from "./harness/stores";

/** One fault and one planned change, with the expectations for each. test/e2e/chaos has all of them. */
describe("a cluster of MinIO under load", () =>
    chaosSuite({
        store: minioStore,
        // With three nodes, MinIO may undo a delete that one of them missed (docs/contributing/fault-tests.md).
        config: { nodeCount: "4", drivesPerNode: "1" },
        disturbances: [storeKilled, restartRequested],
        // A node that was killed finds its peers' drives within 17 s (docs/contributing/fault-tests.md). The planned change starts after
        // that.
        quiet: { before: 20, after: 2 },
    }));
