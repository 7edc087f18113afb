import { minioStore } from "./harness/stores";
import { adoptSuite } from "./suites/adopt";

describe("npm run adopt: MinIO that was started by hand", () =>
    adoptSuite({
        store: minioStore,
        drivesOn: "volumes",
        started: {
            command: ["minio", "server", "/data{1...4}", "--console-address", ":9001"],
            environment: {
                MINIO_ROOT_USER: "root-of-the-store",
                MINIO_ROOT_PASSWORD: "a-secret-by-hand",
                TZ: "Europe/Berlin",
            },
        },
    }));

describe("npm run adopt: MinIO that was started by hand on folders of the host", () =>
    adoptSuite({
        store: minioStore,
        drivesOn: "folders",
        started: {
            command: ["minio", "server", "/data{1...4}"],
            environment: { MINIO_ROOT_USER: "root-of-the-store", MINIO_ROOT_PASSWORD: "a-secret-by-hand" },
        },
    }));
