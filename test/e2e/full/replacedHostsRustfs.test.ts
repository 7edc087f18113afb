import { rustfsStore } from "../harness/stores";
import { replacedHostsSuite } from "../suites/replacedHosts";

describe("three of four hosts of RustFS, replaced as docs/how-to/replace-a-host.md says", () =>
    replacedHostsSuite(rustfsStore, 500));
