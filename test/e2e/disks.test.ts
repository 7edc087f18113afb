import { minioStore } from "./harness/stores";
import { disksSuite } from "./suites/disks";

describe.each([1, 3] as const)("disks, as the documents replace, move and add them, on %d node(s) of MinIO", (nodes) =>
    disksSuite(minioStore, nodes),
);
