import { rustfsStore } from "../harness/stores";
import { virtualHostBucketsSuite } from "../suites/virtualHostBuckets";

describe("buckets in hostnames on RustFS", () => virtualHostBucketsSuite(rustfsStore));
