import { minioStore } from "./harness/stores";
import { bucketsSuite } from "./suites/buckets";

describe("buckets, policies and access keys on MinIO", () => bucketsSuite(minioStore));
