import { minioStore } from "../harness/stores";
import { hostsSuite } from "../hosts/hostsSuite";

describe("MinIO over four hosts under load", () => hostsSuite(minioStore));
