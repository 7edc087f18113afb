import { minioStore } from "./harness/stores";
import { SameEngine } from "./move/sameEngine";
import { moveSuite } from "./suites/move";

describe("MinIO, from one drive to four", () =>
    moveSuite(minioStore, (store) => SameEngine.create(store, { drivesPerNode: "4" })));
