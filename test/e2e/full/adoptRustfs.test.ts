import { composeContainers } from "../../unit/tools/adopt/composeFile";
import { runContainer } from "../../unit/tools/adopt/runLine";
import { minioStore, rustfsStore } from "../harness/stores";
import { adoptSuite, KEYS } from "../suites/adopt";

const { accessKeyId: user, secretAccessKey: password } = KEYS;

// The built image has no entry point. This is what the official one starts for two dots: every drive, and the variable beside it.
describe("npm run adopt: RustFS's own compose file, with two dots", () =>
    adoptSuite({
        store: rustfsStore,
        shapes: (place) =>
            composeContainers(
                `
services:
  rustfs:
    image: rustfs/rustfs:latest
    command: rustfs /data/rustfs0 /data/rustfs1 /data/rustfs2 /data/rustfs3
    user: "0:0"
    environment:
      - RUSTFS_VOLUMES=/data/rustfs{0..3}
      - RUSTFS_ADDRESS=0.0.0.0:9000
      - RUSTFS_CONSOLE_ADDRESS=0.0.0.0:9001
      - RUSTFS_CONSOLE_ENABLE=true
      - RUSTFS_UNSAFE_BYPASS_DISK_CHECK=true
      - RUSTFS_ACCESS_KEY=${user}
      - RUSTFS_SECRET_KEY=${password}
      - RUSTFS_OBS_LOGGER_LEVEL=info
    volumes:
      - rustfs_data_0:/data/rustfs0
      - rustfs_data_1:/data/rustfs1
      - rustfs_data_2:/data/rustfs2
      - rustfs_data_3:/data/rustfs3
    restart: unless-stopped
`,
                place,
            ),
        expected: ({ project }) => ({
            nodeCount: 1,
            drivesPerNode: 4,
            volumeNames: [[0, 1, 2, 3].map((drive) => `${project}_rustfs_data_${drive}`)],
            allowDrivesOnOneDevice: true,
        }),
    }));

describe("npm run adopt: RustFS with MinIO's variables", () =>
    adoptSuite({
        store: rustfsStore,
        shapes: (place) => [
            runContainer(
                `docker run -d --name rustfs --user 0:0 -v data:/data -e MINIO_ROOT_USER=${user} -e MINIO_ROOT_PASSWORD=${password} \
                    rustfs/rustfs:latest rustfs --console-enable /data`,
                place,
            ),
        ],
        options: ({ project }) => `--container ${project}-rustfs`,
        expected: ({ project }) => ({ nodeCount: 1, drivesPerNode: 1, volumeNames: [[`${project}-data`]] }),
    }));

describe("npm run adopt: MinIO that was started by hand, and RustFS on its drives", () =>
    adoptSuite({
        store: minioStore,
        shapes: (place) => [
            runContainer(
                `docker run -d --name minio -v one:/data1 -v two:/data2 -v three:/data3 -v four:/data4 -e MINIO_ROOT_USER=${user} \
                    -e MINIO_ROOT_PASSWORD=${password} minio/minio minio server /data{1...4}`,
                place,
            ),
        ],
        options: ({ project }) => `--container ${project}-minio`,
        expected: ({ project }) => ({
            nodeCount: 1,
            drivesPerNode: 4,
            volumeNames: [["one", "two", "three", "four"].map((drive) => `${project}-${drive}`)],
        }),
        next: rustfsStore,
    }));
