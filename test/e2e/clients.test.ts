import { minioStore } from "./harness/stores";
import { clientsSuite } from "./suites/clients";

describe("real clients on MinIO", () => clientsSuite(minioStore));
