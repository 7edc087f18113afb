import { minioStore } from "./harness/stores";
import { differentialSuite } from "./suites/differential";

describe("random requests to edge and node of MinIO", () => differentialSuite(minioStore));
