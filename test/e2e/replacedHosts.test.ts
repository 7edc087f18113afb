import { minioStore } from "./harness/stores";
import { replacedHostsSuite } from "./suites/replacedHosts";

describe("three of four hosts of MinIO, replaced as docs/hosts.md says", () => replacedHostsSuite(minioStore));
