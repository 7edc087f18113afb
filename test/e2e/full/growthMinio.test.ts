import { minioStore } from "../harness/stores";
import { growthSuite } from "../suites/growth";

describe("MinIO grows by a pool: four nodes, then four more", () =>
    growthSuite(minioStore, [{ nodeCount: 4 }, { nodeCount: 4 }]));
