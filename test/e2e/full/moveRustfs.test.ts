import { rustfsStore } from "../harness/stores";
import { OwnHosts } from "../move/ownHosts";
import { moveSuite } from "../suites/move";

describe("RustFS, from one host to three", () =>
    moveSuite(rustfsStore, (store) => OwnHosts.create(store, 3, { nodeCount: "3" })));
