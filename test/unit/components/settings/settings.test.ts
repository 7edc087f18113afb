import * as pulumi from "@pulumi/pulumi";
import { minioProfile, serviceProfile, StorageCluster } from "../../../../components";
import { checkProxy, type ProxyArgsWithoutCluster } from "../../../../components/settings/proxySettings";
import type { StorageClusterArgs } from "../../../../components/args/storageClusterArgs";
import { clusterSettings } from "../../../../components/settings/clusterSettings";
import type { DockerEngine } from "../../../../components/docker/engine";
import type { LaterRequirements, Requirements } from "../../../../components/requirements/requirement";
import { requirementsOf } from "../../../../components/settings/requirements";
import { problemsWith } from "../../fakes/askedEngines";
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

    describe("refuse a later pool that is too small for the first one's parity", () => {
        const pools = [
            { nodeCount: 4, drivesPerNode: 2 },
            { nodeCount: 2, drivesPerNode: 3 },
        ];
        const args = { profile: "minio", pools, allowDrivesOnOneDevice: true };

        test("of MinIO, which would not start", () => {
            expect(pathsOf(args)).toEqual(["pools[1].nodeCount"]);
            expect(reasonsOf(args)).toEqual([
                "has erasure sets of 6 drives. minio uses the parity of the first pool, 4 drives, for all pools, and " +
                    "doesn't start with erasure sets of fewer than 8: give this pool more nodes or drives",
            ]);
        });

        test("but not the other way round, nor with a parity of the user's", () => {
            expect(pathsOf({ ...args, pools: [...pools].reverse() })).toEqual([]);
            expect(pathsOf({ ...args, environment: { MINIO_STORAGE_CLASS_STANDARD: "EC:2" } })).toEqual([]);
        });

        test("and not for RustFS, which decides it for each pool", () => {
            expect(pathsOf({ ...args, profile: "rustfs" })).toEqual([]);
        });
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

describe("a proxy's args", () => {
    const good: ProxyArgsWithoutCluster = { s3Host: "s3.example.com", consoleHost: "console.example.com" };
    const paths = (args: Partial<ProxyArgsWithoutCluster>) =>
        checkProxy("edge", { ...good, ...args }).map(({ propertyPath }) => propertyPath);

    test("need only the two hostnames", () => {
        expect(paths({})).toEqual([]);
    });

    test.each([
        "",
        "-s3.example.com",
        "s3..example.com",
        "s3_1.example.com",
        "https://s3",
        "s3:9000",
        "a b",
        "1.2.3.4",
        "::1",
        "x".repeat(64),
    ])("refuse the hostname %p", (s3Host) => {
        expect(paths({ s3Host })).toEqual(["s3Host"]);
    });

    test("refuse a name that no container can have", () => {
        expect(paths({ frontEndName: "My_Edge" })).toEqual(["frontEndName"]);
    });

    test("refuse equal hostnames that only differ in case", () => {
        expect(paths({ consoleHost: "S3.Example.COM" })).toEqual(["consoleHost"]);
    });

    test.each([0, -1, 70000, 1.5])("refuse the port %p", (httpPort) => {
        expect(paths({ httpPort })).toEqual(["httpPort"]);
    });

    test("refuse equal ports, configured or by default", () => {
        expect(paths({ httpPort: 8080, httpsPort: 8080 })).toEqual(["httpsPort"]);
        expect(paths({ httpPort: 443 })).toEqual(["httpsPort"]);
    });

    test("refuse an invalid address, and an image without a version", () => {
        expect(paths({ publishAddress: "localhost", image: "haproxy:latest" })).toEqual(["publishAddress", "image"]);
    });

    test.each([
        "haproxy:lts",
        "haproxy:3",
        "haproxy:3.2",
        "haproxy:3.2-alpine",
        "haproxy:3.2.26-alpine",
        "haproxy:3.1.5",
        "haproxy:3.4.7",
    ])("refuse the image %s, which isn't pinned, or isn't HAProxy 3.2 on Debian", (image) => {
        expect(paths({ image })).toEqual(["image"]);
    });

    test.each([
        "haproxy:3.2.26",
        "mirror:5000/haproxy:3.2.26-bookworm",
        `haproxy@sha256:${"0123".repeat(16)}`,
        "edge:20260801",
        "own/haproxy:3.2-forky-2",
        "own/edge:1.4",
    ])("accept the image %s", (image) => {
        expect(paths({ image })).toEqual([]);
    });

    test("refuse invalid networks, and those that contain a gateway of the proxy's own", () => {
        const reasons = (args: Partial<ProxyArgsWithoutCluster>) =>
            checkProxy("edge", { ...good, publicSubnet: "10.9.0.0/24", ...args }, ["10.8.0.0/24"]).map(
                ({ propertyPath, reason }) => `${propertyPath}: ${reason}`,
            );
        expect(reasons({ adminNetworks: ["10.9.0.128/25", "fd00::/8", "192.0.2.7/32"] })).toEqual([]);
        expect(reasons({ adminNetworks: ["10.9.0.7", "10.9.0.0/33", "here/8"] })).toEqual([
            'adminNetworks[0]: "10.9.0.7" is not a network: give one such as 10.20.0.0/16',
            'adminNetworks[1]: "10.9.0.0/33" is not a network: give one such as 10.20.0.0/16',
            'adminNetworks[2]: "here/8" is not a network: give one such as 10.20.0.0/16',
        ]);
        expect(reasons({ consoleNetworks: [] })).toEqual([expect.stringContaining("consoleNetworks: is empty")]);
        expect(reasons({ adminNetworks: ["0.0.0.0/0"], consoleNetworks: ["10.9.0.0/24", "10.8.0.1/32"] })).toEqual([
            expect.stringContaining('adminNetworks[0]: "0.0.0.0/0" holds 10.9.0.1, the gateway'),
            expect.stringContaining('adminNetworks[0]: "0.0.0.0/0" holds 10.8.0.1, the gateway'),
            expect.stringContaining('consoleNetworks[0]: "10.9.0.0/24" holds 10.9.0.1, the gateway'),
            expect.stringContaining('consoleNetworks[1]: "10.8.0.1/32" holds 10.8.0.1, the gateway'),
        ]);
    });

    test("refuse networks of proxies that many clients share, and a PROXY protocol without proxies", () => {
        const reasons = (args: { [name: string]: unknown }) =>
            checkProxy("edge", { ...good, publicSubnet: "10.9.0.0/24", ...args }, ["10.8.0.0/24"]).map(
                ({ propertyPath, reason }) => `${propertyPath}: ${reason}`,
            );
        const proxyProtocol = "required";
        expect(reasons({ trustedProxies: ["10.9.0.7/32", "fd00::/8"], proxyProtocol })).toEqual([]);
        expect(reasons({ trustedProxies: ["10.9.0.0/24"] })).toEqual([
            expect.stringContaining('trustedProxies[0]: "10.9.0.0/24" holds 10.9.0.1, the gateway'),
        ]);
        // Then only processes of the Docker host connect, and the gateway is one of them.
        expect(reasons({ trustedProxies: ["10.9.0.0/24"], publishAddress: "127.0.0.1" })).toEqual([]);
        expect(reasons({ trustedProxies: ["lb"], proxyProtocol: "v2" })).toEqual([
            'trustedProxies[0]: "lb" is not a network: give one such as 10.20.0.0/16',
            'proxyProtocol: "v2" is not known: give one of required',
        ]);
        expect(reasons({ trustedProxies: [] })).toEqual([expect.stringContaining("trustedProxies: is empty")]);
        expect(reasons({ proxyProtocol })).toEqual([
            expect.stringContaining("proxyProtocol: needs trustedProxies: name the networks"),
        ]);
    });

    test("refuse an invalid IPv6 network, and what excludes it", () => {
        const reasons = (args: Partial<ProxyArgsWithoutCluster>) =>
            checkProxy("edge", { ...good, ...args }).map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);
        const publicIpv6Subnet = "fd12:3456:789a::/64";
        expect(reasons({ publicIpv6Subnet })).toEqual([]);
        expect(reasons({ publicIpv6Subnet: "2001:db8:0:1::/64", publishIpv6Address: "2001:db8::5" })).toEqual([]);
        for (const subnet of ["fd12::1/64", "fd12::/32", "fd12::/120", "10.0.0.0/24", "fd12:", "fd12::/x", "::/64"]) {
            expect(reasons({ publicIpv6Subnet: subnet })).toEqual([
                expect.stringContaining(`publicIpv6Subnet: "${subnet}" is not allowed: give an IPv6 network`),
            ]);
        }
        expect(reasons({ publicIpv6Subnet: "fe80:0:0:1::/64" })).toEqual([
            expect.stringContaining("is reserved for other uses"),
        ]);
        expect(reasons({ publicIpv6Subnet: "fd12:3456:789a:1::/48" })).toEqual([
            expect.stringContaining(
                "is an address in a network, not the network: its bits after the first 48 must be 0",
            ),
        ]);
        expect(reasons({ publishIpv6Address: "::1" })).toEqual([
            expect.stringContaining("publishIpv6Address: needs publicIpv6Subnet"),
        ]);
        expect(
            reasons({
                publicIpv6Subnet,
                publishIpv6Address: "0.0.0.0",
                publishAddress: "::",
                publicNetworkName: "own",
            }),
        ).toEqual([
            expect.stringContaining("publicIpv6Subnet: "),
            expect.stringContaining('publishIpv6Address: "0.0.0.0" is not an IPv6 address'),
            expect.stringContaining('publishAddress: "::" is not an IPv4 address'),
        ]);
        expect(reasons({ publicIpv6Subnet, adminNetworks: ["fd12:3456:789a::/64"] })).toEqual([
            expect.stringContaining('adminNetworks[0]: "fd12:3456:789a::/64" holds fd12:3456:789a::1, the gateway'),
        ]);
    });

    test("refuse buckets in hostnames that collide, or that no certificate covers", () => {
        const reasons = (args: Partial<ProxyArgsWithoutCluster>) =>
            checkProxy("edge", { ...good, virtualHostBuckets: true, ...args }).map(
                ({ propertyPath, reason }) => `${propertyPath}: ${reason}`,
            );
        expect(reasons({})).toEqual([]);
        expect(reasons({ s3Host: "s3" })).toEqual([
            expect.stringContaining("virtualHostBuckets: needs an S3 hostname with a dot"),
        ]);
        const services = [
            { name: "app", hostname: "APP.s3.example.com", networkName: "n", servers: [{ host: "a", port: 80 }] },
        ];
        expect(reasons({ consoleHost: "console.s3.example.com", services })).toEqual([
            expect.stringContaining('consoleHost: "console.s3.example.com" is below "s3.example.com"'),
            expect.stringContaining('services[0].hostname: "APP.s3.example.com" is below "s3.example.com"'),
        ]);
        const acme = { termsAgreed: true };
        expect(reasons({ certificate: { acme } })).toEqual([
            expect.stringMatching(
                /^certificate\.acme\.directoryUrl: no CA issues a certificate for \*\.s3\.example\.com by HTTP-01, .*set certificate\.acme\.dns/,
            ),
        ]);
        expect(reasons({ certificate: { acme: { ...acme, dns: { provider: "route53" } } } })).toEqual([]);
    });

    test("refuse an unknown kind of access log", () => {
        expect(paths({ accessLog: "xml" })).toEqual(["accessLog"]);
    });

    test("refuse a public network of a wrong size, and invalid limits", () => {
        expect(
            paths({ publicSubnet: "10.9.0.0/30", hstsMaxAge: -1, maxConnectionsPerAddress: 0, hardStopAfter: 59 }),
        ).toEqual(["publicSubnet", "hstsMaxAge", "maxConnectionsPerAddress", "hardStopAfter"]);
    });
});

describe("hostnames, ports and labels that other resources provide", () => {
    const later = (value: string) => pulumi.output(Promise.resolve(value));
    const at = (propertyPath: string) => propertyPath;
    const ofProxy = (args: ProxyArgsWithoutCluster) =>
        requirementsOf({ clusters: [], proxies: [{ name: "edge", host: undefined, args, at }] });
    const isLater = (one: Requirements["then"][number]): one is LaterRequirements => typeof one !== "function";
    /** Publishes 80 and 443 already. */
    const taken: Partial<DockerEngine> = {
        publishedPorts: () =>
            Promise.resolve([80, 443].map((port) => ({ container: "other", address: "0.0.0.0", port }))),
    };

    test("aren't checked until they are known", async () => {
        const args = { s3Host: later("s3.example.com"), consoleHost: later("-"), httpPort: pulumi.output(0) };
        expect(checkProxy("edge", { ...args, labels: pulumi.output({ "": "" }) })).toEqual([]);
        const now = ofProxy(args).filter((one) => !isLater(one));
        expect(await problemsWith(now, new Map([[undefined, taken]]))).toEqual([
            expect.stringMatching(/^httpsPort: 443 /),
        ]);
    });

    test("are checked together with all others once they are known", async () => {
        const problems = await problemsWith(
            ofProxy({
                s3Host: later("s3.example.com"),
                consoleHost: "S3.example.com",
                httpPort: pulumi.output(0),
                httpsPort: pulumi.output(8443),
                labels: { "-": later("x") },
                services: [
                    { name: "app", hostname: later("-"), networkName: "app", servers: [{ host: "a", port: 1 }] },
                ],
            }),
            new Map([[undefined, taken]]),
        );
        expect(problems.map((line) => line.split(": ")[0])).toEqual([
            "services[0].hostname",
            "consoleHost",
            'labels["-"]',
            "httpPort",
        ]);
    });

    test("are compared with the engine once they are known", async () => {
        const args = { s3Host: "s3.example.com", consoleHost: "console.example.com", httpPort: pulumi.output(80) };
        expect(await problemsWith(ofProxy({ ...args, httpsPort: 8443 }), new Map([[undefined, taken]]))).toEqual([
            expect.stringMatching(/^httpPort: 80 /),
        ]);
    });

    test("what follows from other args is asked although one has a problem: all is said at once", async () => {
        const args = { s3Host: "s3.example.com", consoleHost: "console.example.com", httpPort: 0 };
        const problems = checkProxy("edge", args);
        const proxies = [{ name: "edge", host: undefined, args, at, problems }];
        expect(problems.map(({ propertyPath }) => propertyPath)).toEqual(["httpPort"]);
        expect(await problemsWith(requirementsOf({ clusters: [], proxies }), new Map([[undefined, taken]]))).toEqual([
            expect.stringMatching(/^httpsPort: 443 /),
        ]);
    });

    test("secret ones aren't shown when they are refused", async () => {
        const secret = pulumi.secret("hunter2 secret");
        const problems = await problemsWith(
            ofProxy({ s3Host: secret, consoleHost: secret }),
            new Map([[undefined, {}]]),
        );
        expect(problems).toHaveLength(3);
        expect(JSON.stringify(problems)).not.toContain("hunter2");
        expect(problems[0]).toContain("[secret] is not a hostname");
    });

    test("plain ones are checked at once, and not later", () => {
        expect(ofProxy({ s3Host: "s3.example.com", consoleHost: "console.example.com" }).filter(isLater)).toEqual([]);
    });

    test("labels of a cluster are checked once they are known", async () => {
        const cluster = { labels: { team: later("storage"), "-": later("x") } };
        const ofLabels = requirementsOf({ clusters: [{ component: "store", cluster, at }], proxies: [] }).filter(
            (one) => isLater(one) && one.before.length === 0,
        );
        expect(await problemsWith(ofLabels, new Map([[undefined, {}]]))).toEqual([
            expect.stringMatching(/^labels\["-"\]: /),
        ]);
    });
});
