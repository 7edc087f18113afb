import { minioStore } from "./harness/stores";
import { severalStoresSuite } from "./suites/severalStores";

const minio = () => minioStore().config;

describe("several stores of MinIO behind one front end", () =>
    severalStoresSuite({ own: minio, media: minio, logs: minio }));
