import { engineSuite } from "./fullSuite";
import { minioStore } from "../harness/stores";

describe("a cluster of MinIO under load", () => engineSuite(minioStore));
