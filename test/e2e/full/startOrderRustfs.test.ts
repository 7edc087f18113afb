import { rustfsStore } from "../harness/stores";
import { startOrderRuns } from "../suites/startOrderRuns";

describe("RustFS: the proxy starts after every node's first healthy event", () => startOrderRuns(rustfsStore));
