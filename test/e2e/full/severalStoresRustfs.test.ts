import { minioStore, rustfsStore } from "../harness/stores";
import { severalStoresSuite } from "../suites/severalStores";

const rustfs = () => rustfsStore().config;

describe("RustFS and MinIO behind one proxy", () =>
    severalStoresSuite({ own: rustfs, media: () => minioStore().config, logs: rustfs }));
