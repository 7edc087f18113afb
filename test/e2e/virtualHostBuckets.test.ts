import { minioStore } from "./harness/stores";
import { virtualHostBucketsSuite } from "./suites/virtualHostBuckets";

describe("buckets in hostnames on MinIO", () => virtualHostBucketsSuite(minioStore));
