import { minioStore, rustfsStore } from "../harness/stores";
import { severalStoresSuite } from "../suites/severalStores";

const rustfs = () => rustfsStore().config;

describe("RustFS and MinIO behind one front end", () =>
    severalStoresSuite({ own: rustfs, media: () => minioStore().config, logs: rustfs }));
