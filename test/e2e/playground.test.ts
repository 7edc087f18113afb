import { playgroundSuite } from "./suites/playground";

describe("the playground with MinIO", () => playgroundSuite("minio"));
