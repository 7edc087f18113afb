import { rustfsStore } from "../harness/stores";
import { clientsSuite } from "../suites/clients";

describe("real clients on RustFS", () => clientsSuite(rustfsStore));
