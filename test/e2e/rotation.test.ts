import { minioStore } from "./harness/stores";
import { rotationSuite } from "./suites/rotation";

describe("keys of MinIO, whose nodes trust each other by the root keys, are rotated", () =>
    rotationSuite(minioStore, { nodeCount: 2, allowedChanges: ["rootKeyChange", "outage"], rolls: false }));
