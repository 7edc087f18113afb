import { fromMinioSuite } from "../suites/fromMinio";

describe("RustFS takes over one drive of MinIO", () =>
    fromMinioSuite({ nodeCount: 1, drivesPerNode: 1, objects: 20_000 }));

describe("RustFS takes over four drives of MinIO", () =>
    fromMinioSuite({ nodeCount: 1, drivesPerNode: 4, objects: 2000 }));

describe("RustFS takes over four nodes of MinIO with two drives each", () =>
    fromMinioSuite({ nodeCount: 4, drivesPerNode: 2, objects: 3000, users: 60 }));

describe("RustFS takes over two pools of two nodes of MinIO", () =>
    fromMinioSuite({ nodeCount: 2, drivesPerNode: 2, pools: 2, objects: 300, users: 20 }));
