import { minioStore } from "./harness/stores";
import { backupSuite } from "./suites/backup";

describe("a backup of MinIO", () => backupSuite(minioStore, { nodeCount: 1, drivesPerNode: 1, onFolders: false }));
