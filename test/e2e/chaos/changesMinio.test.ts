import { changesSuite } from "./fullSuite";
import { minioStore } from "../harness/stores";

describe("a cluster of MinIO under load", () => changesSuite(minioStore));
