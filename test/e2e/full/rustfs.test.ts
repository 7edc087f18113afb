import { rustfsStore } from "../harness/stores";
import { clusterSuite } from "../suites/cluster";
import { oneNodeSuite } from "../suites/oneNode";

describe("one node of RustFS", () => oneNodeSuite(rustfsStore));

describe("a cluster of RustFS", () => clusterSuite(rustfsStore));
