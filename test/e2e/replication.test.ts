import { minioStore } from "./harness/stores";
import { replicationSuite } from "./suites/replication";

describe("replication between two stacks of MinIO", () =>
    replicationSuite(minioStore, { afterReturn: 300_000, needsResync: true }));
