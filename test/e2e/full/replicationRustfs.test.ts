import { rustfsStore } from "../harness/stores";
import { replicationSuite } from "../suites/replication";

describe("replication between two stacks of RustFS", () =>
    replicationSuite(rustfsStore, { afterReturn: 300_000, needsResync: false }));
