import { minioStore, rustfsStore } from "../harness/stores";
import { adoptSuite } from "../suites/adopt";

const DRIVES = "/data{1...4}";

describe("npm run adopt: RustFS that was started by hand", () =>
    adoptSuite({
        store: rustfsStore,
        drivesOn: "volumes",
        started: {
            command: ["rustfs", "--console-enable", DRIVES],
            environment: {
                RUSTFS_ACCESS_KEY: "root-of-the-store",
                RUSTFS_SECRET_KEY: "a-secret-by-hand",
                RUSTFS_UNSAFE_BYPASS_DISK_CHECK: "true",
            },
            user: "0:0",
        },
    }));

describe("npm run adopt: MinIO that was started by hand, and RustFS on its drives", () =>
    adoptSuite({
        store: minioStore,
        drivesOn: "volumes",
        started: {
            command: ["minio", "server", DRIVES],
            environment: { MINIO_ROOT_USER: "root-of-the-store", MINIO_ROOT_PASSWORD: "a-secret-by-hand" },
        },
        next: rustfsStore,
    }));
