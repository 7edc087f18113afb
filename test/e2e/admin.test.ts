import { minioStore } from "./harness/stores";
import { adminSuite } from "./suites/admin";

describe("npm run admin on MinIO", () => adminSuite(minioStore));
