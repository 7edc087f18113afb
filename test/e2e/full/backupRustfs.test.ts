import { rustfsStore } from "../harness/stores";
import { backupSuite } from "../suites/backup";

describe("a backup of a cluster of RustFS", () =>
    backupSuite(rustfsStore, { nodeCount: 4, drivesPerNode: 2, onFolders: true }));
