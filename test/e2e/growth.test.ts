import { minioStore } from "./harness/stores";
import { growthSuite } from "./suites/growth";

describe("MinIO grows by a pool: two nodes, then two more", () =>
    growthSuite(minioStore, [{ nodeCount: 2 }, { nodeCount: 2 }]));
