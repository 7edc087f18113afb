import { rustfsStore } from "../harness/stores";
import { adminSuite } from "../suites/admin";

describe("npm run admin on RustFS", () => adminSuite(rustfsStore));
