import { minioStore } from "../harness/stores";
import { outageSuite } from "../suites/rolloutOutage";
import { rolloutSuite } from "../suites/rollout";

describe("MinIO, another restartedAt", () => rolloutSuite(minioStore, () => Promise.resolve({})));

describe("MinIO, changes that nodes can't differ in", () => outageSuite());
