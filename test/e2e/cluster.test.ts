import { minioStore } from "./harness/stores";
import { clusterSuite } from "./suites/cluster";

describe("a cluster of MinIO", () => clusterSuite(minioStore));
