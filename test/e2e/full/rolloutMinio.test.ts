import { minioStore } from "../harness/stores";
import { outageSuite } from "../suites/rolloutOutage";
import { rolloutSuite } from "../suites/rollout";

describe("MinIO, a new value of restartedAt", () => rolloutSuite(minioStore, () => Promise.resolve({})));

describe("MinIO, changes that must be equal on all nodes", () => outageSuite());
