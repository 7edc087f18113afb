import { rustfsStore } from "../harness/stores";
import { replacedHostsSuite } from "../suites/replacedHosts";

describe("three of four hosts of RustFS, replaced as docs/hosts.md says", () => replacedHostsSuite(rustfsStore));
