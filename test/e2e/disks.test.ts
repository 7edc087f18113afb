import { minioStore } from "./harness/stores";
import { disksSuite } from "./suites/disks";

describe("disks, as the documents replace, move and add them, with MinIO", () => disksSuite(minioStore));
