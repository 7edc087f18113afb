import { rustfsStore } from "../harness/stores";
import { backupRecipeSuite } from "../suites/backupRecipe";

describe("backup by restic and rclone, with RustFS", () => backupRecipeSuite(rustfsStore));
