import { rustfsStore } from "../harness/stores";
import { remoteStateSuite } from "../suites/remoteState";

describe("a stack whose state is in a bucket of another store, RustFS", () => remoteStateSuite(rustfsStore));
