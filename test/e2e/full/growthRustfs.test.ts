import { rustfsStore } from "../harness/stores";
import { growthSuite } from "../suites/growth";

describe("RustFS grows by a pool: four nodes, then four more", () =>
    growthSuite(rustfsStore, [{ nodeCount: 4 }, { nodeCount: 4 }]));
