import { minioStore } from "../harness/stores";
import { startOrderRuns } from "../suites/startOrderRuns";

describe("MinIO: the proxy starts after every node's first healthy event", () => startOrderRuns(minioStore));
