import { composeContainers } from "../unit/tools/adopt/composeFile";
import { runContainer } from "../unit/tools/adopt/runLine";
import { minioStore } from "./harness/stores";
import { adoptSuite, KEYS } from "./suites/adopt";

const { accessKeyId: user, secretAccessKey: password } = KEYS;

describe("npm run adopt: MinIO that docker run has started, by an image whose tag moves", () =>
    adoptSuite({
        store: minioStore,
        shapes: (place) => [
            runContainer(
                `docker run -d --name minio --restart always -p 9000:9000 -p 9001:9001 -v data:/data -e MINIO_ROOT_USER=${user} \
                    -e MINIO_ROOT_PASSWORD=${password} -e TZ=Europe/Berlin store:latest minio server /data --console-address ":9001"`,
                place,
            ),
        ],
        options: ({ project }) => `--container ${project}-minio`,
        refused: ({ project }) => [
            [`--container ${project}-nimio`, /there is no container .*-nimio/],
            [`--store minio --volume ${project}-dtaa < /dev/null`, /root keys are missing/],
            [`--store minio --volume ${project}-dtaa <<< $'${user}\\n${password}'`, /there is no volume .*-dtaa/],
            [`--store minio --volume ${project}-data <<< $'${user}\\n${password}'`, /name the store by --container/],
        ],
        expected: ({ project }) => ({
            nodeCount: 1,
            drivesPerNode: 1,
            volumeNames: [[`${project}-data`]],
            environment: { TZ: "Europe/Berlin" },
        }),
    }));

describe("npm run adopt: MinIO of a compose file, with several drives below one folder, a shell, secrets in files, and an application", () =>
    adoptSuite({
        store: minioStore,
        shapes: (place) =>
            composeContainers(
                `
services:
  minio:
    image: minio/minio:latest
    entrypoint: sh
    command: -c 'mkdir -p /data/1/shop && exec minio server /data/{1...4} --console-address ":9001"'
    environment:
      MINIO_ROOT_USER_FILE: /run/secrets/user
      MINIO_ROOT_PASSWORD_FILE: /run/secrets/password
      MINIO_SERVER_URL: http://minio:9000
      MINIO_LOGGER_WEBHOOK_ENABLE_1: "off"
      MINIO_LOGGER_WEBHOOK_ENDPOINT_1: http://user:hidden@127.0.0.1:1/
      MINIO_API_REQUESTS_MAX: 400
    env_file: "UID=1000"
    volumes: [./data:/data]
    secrets: [user, password]
    restart: unless-stopped
  app:
    image: example/app
    command: sleep 3600
    environment: {MINIO_ADDRESS: "minio:9000", MINIO_ROOT_USER: other, MINIO_VOLUMES: /data}
`,
                place,
            ),
        files: (root) => ({ [`${root}/srv/secrets/user`]: user, [`${root}/srv/secrets/password`]: `${password}\n` }),
        refused: ({ project }) => [
            [`--compose ${project}`, /MINIO_SERVER_URL has the hostname minio.*--s3-host/],
            [`--compose ${project}-`, /no container of the compose project/],
            [`--compose ${project} --s3-host s3.localhost --config httpsPort=0`, /httpsPort/],
        ],
        options: ({ project }) => `--compose ${project} --s3-host s3.localhost`,
        expected: ({ project, root }) => ({
            nodeCount: 1,
            drivesPerNode: 4,
            drivePaths: [[1, 2, 3, 4].map((drive) => `${root}/srv/${project}/data/${drive}`)],
            s3Host: "s3.localhost",
            allowDrivesOnOneDevice: true,
            egress: true,
            environment: { MINIO_API_REQUESTS_MAX: "400" },
        }),
        said: [
            "UID: belongs to the shell",
            "several drives are on one device",
            "egress: is true because of MINIO_LOGGER_WEBHOOK",
        ],
    }));

describe("npm run adopt: MinIO's own compose file of four nodes", () =>
    adoptSuite({
        store: minioStore,
        shapes: (place) =>
            composeContainers(
                `
x-minio-common: &minio-common
  image: quay.io/minio/minio
  command: minio server --console-address ":9001" http://minio{1...4}/data{1...2}
  environment:
    MINIO_ROOT_USER: ${user}
    MINIO_ROOT_PASSWORD: ${password}
services:
${[1, 2, 3, 4].map((node) => `  minio${node}: {<<: *minio-common, hostname: minio${node}, volumes: [data${node}-1:/data1, data${node}-2:/data2]}`).join("\n")}
`,
                place,
            ),
        expected: ({ project }) => ({
            nodeCount: 4,
            drivesPerNode: 2,
            volumeNames: [1, 2, 3, 4].map((node) => [1, 2].map((drive) => `${project}_data${node}-${drive}`)),
        }),
    }));

describe("npm run adopt: MinIO that no container has, by its drives", () =>
    adoptSuite({
        store: minioStore,
        shapes: (place) => [
            runContainer(
                `docker run -v /mnt/a:/a -v /mnt/b:/b -e MINIO_ROOT_USER=${user} -e MINIO_ROOT_PASSWORD=${password} store minio server /a /b`,
                place,
            ),
        ],
        // In the wrong order: the drives themselves say which one is the first.
        options: ({ root }) =>
            `--store minio --image ${minioStore().config["image"]} --path ${root}/mnt/b --path ${root}/mnt/a --config allowDrivesOnOneDevice=true`,
        input: `${user} ${password}`,
        expected: ({ root }) => ({ nodeCount: 1, drivesPerNode: 2, drivePaths: [[`${root}/mnt/a`, `${root}/mnt/b`]] }),
    }));
