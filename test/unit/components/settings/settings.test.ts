import * as pulumi from "@pulumi/pulumi";
import { minioProfile, serviceProfile, StorageCluster } from "../../../../components";
import type { StorageClusterArgs } from "../../../../components/args/storageClusterArgs";
import { clusterSettings } from "../../../../components/settings/clusterSettings";
import { checkStorageCluster } from "../../../../components/settings/clusterChecks";

const pathsOf = (args: StorageClusterArgs) =>
    checkStorageCluster("store", args).map(({ propertyPath }) => propertyPath);
const reasonsOf = (args: StorageClusterArgs) => checkStorageCluster("store", args).map(({ reason }) => reason);

describe("a cluster's args", () => {
    test("need nothing", () => {
        expect(checkStorageCluster("store", {})).toEqual([]);
    });

    test.each([0, -1, 1.5, 65, Number.NaN])("refuse nodeCount %p, and show it", (nodeCount) => {
        expect(pathsOf({ nodeCount })).toEqual(["nodeCount"]);
        expect(reasonsOf({ nodeCount })).toEqual([`${nodeCount} is not allowed: give an integer from 1 to 64`]);
    });

    test("refuse a number of drives that the store can't erasure-code", () => {
        expect(reasonsOf({ drivesPerNode: 17, allowDrivesOnOneDevice: true })).toEqual([
            expect.stringContaining("17 drives, of which rustfs can't form erasure sets of 2 to 16 drives"),
        ]);
    });

    test("refuse two drives for a store that needs another number", () => {
        const customProfile = { ...serviceProfile, name: "strict", image: "strict:1", minimumDrivesPerSet: 4 };
        expect(pathsOf({ customProfile, drivesPerNode: 2, allowDrivesOnOneDevice: true })).toEqual(["drivesPerNode"]);
    });

    test("refuse several drives on one device, unless it is explicitly allowed", () => {
        expect(pathsOf({ nodeCount: 4 })).toEqual(["allowDrivesOnOneDevice"]);
        expect(pathsOf({ nodeCount: 4, allowDrivesOnOneDevice: true })).toEqual([]);
    });

    test("refuse folders that aren't absolute paths, duplicates, or too few", () => {
        expect(pathsOf({ nodeCount: 2, drivePaths: [["/mnt/a"], ["/mnt/a/"]] })).toEqual(["drivePaths[1][0]"]);
        expect(pathsOf({ nodeCount: 2, drivePaths: [["mnt/a"], ["/mnt/b"]] })).toEqual(["drivePaths[0][0]"]);
        expect(pathsOf({ nodeCount: 2, drivePaths: [["/mnt/a"]] })).toEqual(["drivePaths"]);
        expect(pathsOf({ nodeCount: 2, drivePaths: [["/mnt/a"], ["/mnt/b"]] })).toEqual([]);
    });

    test("refuse an unknown profile, and name the known ones", () => {
        expect(reasonsOf({ profile: "ceph" })).toEqual(['"ceph" is not known: give one of service, rustfs, minio']);
        expect(reasonsOf({ profile: "RustSF" })).toEqual([
            '"RustSF" is not known (did you mean rustfs?): give one of service, rustfs, minio',
        ]);
    });

    test("refuse an invalid custom profile", () => {
        const customProfile = {
            ...serviceProfile,
            name: "My Store",
            user: "root",
            s3HealthPath: "health",
            command: [],
        };
        expect(pathsOf({ customProfile, image: "store:1.2" })).toEqual([
            "customProfile.name",
            "customProfile.user",
            "customProfile.command",
            "customProfile.s3HealthPath",
        ]);
    });

    test("refuse two profiles, and one without an image", () => {
        expect(pathsOf({ profile: "minio", customProfile: minioProfile })).toEqual(["profile"]);
        expect(pathsOf({ profile: "service" })).toEqual(["image"]);
    });

    test.each([
        "store",
        "store:latest",
        "registry:5000/store",
        "store:lts",
        "store:alpine",
        "store:4",
        "store:v4",
        "store:4-alpine3.20",
    ])("refuse the image %s, which isn't pinned to a version", (image) => {
        expect(pathsOf({ image })).toEqual(["image"]);
    });

    test.each([
        "store:1.2",
        "registry:5000/store:1.2",
        `store@sha256:${"0123".repeat(16)}`,
        `store:lts@sha256:${"0123".repeat(16)}`,
        "store:20260212",
        "store:RELEASE.2025-09-07T16-13-09Z",
    ])("accept the image %s", (image) => {
        expect(pathsOf({ image })).toEqual([]);
    });

    test("the variables that conflict with a profile are those with its name as prefix, unless it lists others", () => {
        const withoutList = { ...minioProfile };
        delete withoutList.conflictingVariables;
        const environment = { MINIO_CONFIG_ENV_FILE: "/x" };
        expect(pathsOf({ customProfile: withoutList, environment })).toEqual(["environment.MINIO_CONFIG_ENV_FILE"]);
        expect(pathsOf({ customProfile: { ...minioProfile, conflictingVariables: [] }, environment })).toEqual([]);
        const wrong: unknown[] = ["MINIO_*", 5, [5], ["A-B"]];
        for (const conflictingVariables of wrong as string[][]) {
            const customProfile = { ...minioProfile, conflictingVariables };
            expect(pathsOf({ customProfile, environment: { FOO: "1" } })).toEqual([
                "customProfile.conflictingVariables",
            ]);
        }
    });

    test("refuse MINIO_SERVER_URL, with which nobody can sign in to MinIO's console, and say why", () => {
        const environment = { MINIO_SERVER_URL: "https://s3.example.com" };
        for (const args of [{ environment }, { secretEnvironment: environment }]) {
            expect(reasonsOf({ profile: "minio", ...args })).toEqual([
                expect.stringMatching(
                    /^makes MinIO's console sign in through that URL, which nodes can't reach.*: remove it/,
                ),
            ]);
        }
        expect(pathsOf({ profile: "rustfs", environment })).toEqual([]);
    });

    test("refuse MinIO's names for what the component sets for RustFS, which RustFS would take for its own", () => {
        const names = [
            "MINIO_ROOT_USER",
            "MINIO_ROOT_PASSWORD_FILE",
            "MINIO_ACCESS_KEY",
            "MINIO_SECRET_KEY",
            "MINIO_VOLUMES",
        ];
        const environment = Object.fromEntries(names.map((name) => [name, "value"]));
        expect(pathsOf({ profile: "rustfs", environment })).toEqual(names.map((name) => `environment.${name}`));
        expect(pathsOf({ profile: "rustfs", environment: { MINIO_REGION: "eu-1" } })).toEqual([]);
    });

    test("refuse keys that are too short or contain spaces, without showing them", () => {
        const args = { accessKey: "ab", secretKey: "with a space", internodeSecret: "short" };
        expect(pathsOf(args)).toEqual(["accessKey", "secretKey", "internodeSecret"]);
        expect(reasonsOf(args).join()).not.toMatch(/"|with a space|short:/);
    });

    test("refuse a secret between nodes for a store that doesn't use one", () => {
        expect(pathsOf({ profile: "minio", internodeSecret: "a-long-enough-secret" })).toEqual(["internodeSecret"]);
    });

    test("refuse log levels that don't exist", () => {
        expect(pathsOf({ logLevel: "loud" })).toEqual(["logLevel"]);
        expect(pathsOf({ profile: "minio", logLevel: "error" })).toEqual(["logLevel"]);
        expect(pathsOf({ logLevel: "debug" })).toEqual([]);
    });

    test("refuse domains of buckets that no store reads, and those that are below each other", () => {
        const bucketDomains = ["s3.example.com", "s3.example.org"];
        expect(reasonsOf({ bucketDomains })).toEqual([]);
        expect(pathsOf({ bucketDomains: ["s3", "a b.c", "eu.s3.example.com", "S3.example.com"] })).toEqual([
            "bucketDomains[0]",
            "bucketDomains[1]",
            "bucketDomains[3]",
        ]);
        expect(reasonsOf({ bucketDomains: ["s3.example.com", "eu.S3.example.com"] })).toEqual([
            expect.stringContaining('"eu.S3.example.com" and "s3.example.com" are the same or below each other'),
        ]);
        expect(pathsOf({ profile: "service", image: "service:1.0.0", bucketDomains })).toEqual(["bucketDomains"]);
        const environment = { RUSTFS_SERVER_DOMAINS: "s3.example.com" };
        expect(pathsOf({ environment })).toEqual([]);
        expect(pathsOf({ environment, bucketDomains })).toEqual(["environment.RUSTFS_SERVER_DOMAINS"]);
    });

    test("refuse environment variables that the component sets, and invalid names", () => {
        expect(pathsOf({ environment: { RUSTFS_ADDRESS: ":1" }, secretEnvironment: { "a b": "c" } })).toEqual([
            "environment.RUSTFS_ADDRESS",
            'secretEnvironment["a b"]',
        ]);
    });

    test.each([
        ["rustfs", "RUSTFS_ACCESS_KEY_FILE"],
        ["rustfs", "RUSTFS_RPC_SECRET_FILE"],
        ["rustfs", "RUSTFS_TLS_PATH"],
        ["rustfs", "PATH"],
        ["rustfs", "LD_PRELOAD"],
        ["rustfs", "UID"],
        ["minio", "_secrets"],
        ["rustfs", "HEALTH_QUESTION"],
        ["rustfs", "SECRETS_VERSION"],
        ["minio", "MINIO_ROOT_USER_FILE"],
        ["minio", "MINIO_CONFIG_ENV_FILE"],
        ["minio", "MINIO_SECRET_KEY"],
    ])(
        "refuse for %s the variable %s, which overrides a setting of the component, in both environments",
        (profile, name) => {
            expect(pathsOf({ profile, environment: { [name]: "x" } })).toEqual([`environment.${name}`]);
            expect(pathsOf({ profile, secretEnvironment: { [name]: "x" } })).toEqual([`secretEnvironment.${name}`]);
        },
    );

    test("accept variables of the store that override no such setting", () => {
        const environment = { MINIO_KMS_SECRET_KEY: "key", MINIO_BROWSER_SESSION_DURATION: "1h", SSL_CERT_FILE: "/ca" };
        expect(pathsOf({ profile: "minio", environment })).toEqual([]);
        const additionalTrustedCertificates = pulumi.output("PEM");
        expect(pathsOf({ profile: "minio", environment, additionalTrustedCertificates })).toEqual([
            "environment.SSL_CERT_FILE",
        ]);
    });

    test("refuse one variable in both environments, and values that aren't text, without showing them", () => {
        const environment = { A: "a", B: { nested: "value" }, C: pulumi.output("later") } as unknown as {
            [name: string]: string;
        };
        const secretEnvironment = { A: "hidden", D: ["value"] } as unknown as { [name: string]: string };
        expect(pathsOf({ environment, secretEnvironment })).toEqual([
            "environment.B",
            "secretEnvironment.D",
            "environment.A",
        ]);
        expect(reasonsOf({ environment, secretEnvironment }).join()).not.toMatch(/hidden|"value"|object Object/);
    });

    test("refuse labels with values that aren't text, by path", () => {
        const labels = { team: { name: "storage" }, cost: 7, owner: "us" } as unknown as { [name: string]: string };
        expect(checkStorageCluster("store", { labels })).toEqual([
            { propertyPath: 'labels["team"]', reason: "is not text: put it in quotes" },
            { propertyPath: 'labels["cost"]', reason: "is not text: put it in quotes" },
        ]);
    });

    test("say what is allowed for folders and volumes, with an example", () => {
        expect(reasonsOf({ drivePaths: [["mnt/a"]] })).toEqual([
            '"mnt/a" is not an absolute path: give that of a folder on the Docker host, such as /mnt/disk1',
        ]);
        expect(reasonsOf({ volumeNames: [["a b"]] })).toEqual([
            expect.stringMatching(/^"a b" is not the name of a Docker volume: .* such as store-data1/),
        ]);
    });

    test.each(["10.0.0.0", "10.0.0.0/8", "10.0.0.0/30", "fd00::/64", "300.0.0.0/24"])(
        "refuse the subnet %s",
        (subnet) => {
            expect(pathsOf({ subnet })).toEqual(["subnet"]);
        },
    );

    test("refuse a subnet that is too small for the nodes", () => {
        const args = { subnet: "10.0.0.0/26", allowDrivesOnOneDevice: true };
        expect(pathsOf({ ...args, nodeCount: 22 })).toEqual([]);
        expect(pathsOf({ ...args, nodeCount: 24 })).toEqual(["subnet"]);
    });

    test("refuse names that no node can have, and invalid limits", () => {
        expect(pathsOf({ clusterName: "My_Store", memory: 1, cpus: 0, readyTimeout: 1, openFiles: 10 })).toEqual([
            "clusterName",
            "memory",
            "cpus",
            "openFiles",
            "readyTimeout",
        ]);
    });

    test("are refused with every problem at once, by path", () => {
        let failure: unknown;
        try {
            new StorageCluster("store", { nodeCount: 0, profile: "ceph", accessKey: "a" });
        } catch (error) {
            failure = error;
        }
        expect(failure).toBeInstanceOf(pulumi.InputPropertiesError);
        const message = (failure as Error).message;
        expect(message).toMatch(/profile: .*\n.*nodeCount: .*\n.*accessKey: /);
    });

    test("are not changed when they are resolved", () => {
        const args = Object.freeze({ nodeCount: 4, allowDrivesOnOneDevice: true });
        expect(clusterSettings("store", args).topology.nodes).toHaveLength(4);
        expect(args).toEqual({ nodeCount: 4, allowDrivesOnOneDevice: true });
    });
});
