import { minioStore } from "./harness/stores";
import { oneHostSuite } from "./suites/oneHost";

describe("docs/start/one-host.md, with MinIO", () => oneHostSuite(minioStore, "/minio/health/cluster"));
