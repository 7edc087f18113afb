import { rustfsStore } from "../harness/stores";
import { rotationSuite } from "../suites/rotation";

describe("keys of RustFS, whose nodes share a separate secret, are rotated", () =>
    rotationSuite(rustfsStore, { nodeCount: 3, allowedChanges: ["rootKeyChange"], rolls: true }));
