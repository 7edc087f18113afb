import { minioStore } from "./harness/stores";
import { backupRecipeSuite } from "./suites/backupRecipe";

describe("backup by restic and rclone, with MinIO", () => backupRecipeSuite(minioStore));
