import { rustfsStore } from "../harness/stores";
import { bucketDurabilitySuite } from "../suites/bucketDurability";
import { bucketsSuite } from "../suites/buckets";

describe("buckets, policies and access keys on RustFS", () => bucketsSuite(rustfsStore, bucketDurabilitySuite));
