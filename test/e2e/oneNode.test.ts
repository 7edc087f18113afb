import { minioStore } from "./harness/stores";
import { oneNodeSuite } from "./suites/oneNode";

describe("one node of MinIO", () => oneNodeSuite(minioStore));
