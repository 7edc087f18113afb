import { rustfsStore } from "../harness/stores";
import { oneHostSuite } from "../suites/oneHost";

describe("docs/start/one-host.md, with RustFS", () => oneHostSuite(rustfsStore, "/health/ready"));
