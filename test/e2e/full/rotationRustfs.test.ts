import { rustfsStore } from "../harness/stores";
import { rotationSuite } from "../suites/rotation";

describe("keys of RustFS, whose nodes have a secret of their own between them, are rotated", () =>
    rotationSuite(rustfsStore, { nodeCount: 3, allowedChanges: ["rootKeyChange"], rolls: true }));
