import { minioStore } from "./harness/stores";
import { replacedHostsSuite } from "./suites/replacedHosts";

describe("three of four hosts of MinIO, replaced as docs/how-to/replace-a-host.md says", () =>
    replacedHostsSuite(minioStore, 3000));
