import "../fakes/imageAtOnce";
import { rustfsProfile, StorageCluster } from "../../../components";
import { DockerEngine } from "../../../components/docker/engine";
import { hostsNamed } from "../fakes/mockSwarm";
import { mockEngine, settled, secretValue, valueOf, type RegisteredResource } from "../fakes/mockEngine";

jest.mock("../../../components/requirements/requireAll", () => ({
    // As the real one, which waits for the root keys.
    requireAll: () => jest.requireActual<typeof import("@pulumi/pulumi")>("@pulumi/pulumi").secret([]),
}));
jest.mock("../../../components/docker/isolatedGateway", () => ({ isolatedGateway: () => ({}) }));

const named = (resources: RegisteredResource[], name: string) => {
    const found = resources.filter((resource) => resource.name === name && resource.type.startsWith("docker:"));
    expect(found).toHaveLength(1);
    return found[0]?.inputs ?? {};
};

describe("a cluster of two nodes with two drives each", () => {
    let resources: RegisteredResource[];
    let cluster: StorageCluster;

    beforeAll(async () => {
        resources = await mockEngine();
        cluster = new StorageCluster("store", {
            nodeCount: 2,
            drivesPerNode: 2,
            allowDrivesOnOneDevice: true,
            subnet: "10.200.7.0/24",
            environment: { RUSTFS_REGION: "eu-central-1" },
            secretEnvironment: { RUSTFS_IDENTITY_OPENID_CLIENT_SECRET: "it's a secret" },
            memory: 512,
            cpus: 1.5,
        });
        await settled(resources);
    });

    test("has exactly these children", () => {
        const node = (number: number) =>
            [
                `StorageNode store-node${number}`,
                `Volume store-node${number}-drive1`,
                `Volume store-node${number}-drive2`,
                `VolumeFiles store-node${number}-secrets`,
                `Volume store-node${number}-secrets`,
                `RandomPassword store-node${number}-secrets-salt`,
                `Container store-node${number}-secrets-writer`,
                `Container store-node${number}`,
            ] as const;
        expect(resources.map(({ type, name }) => `${type.split(":").at(-1)} ${name}`).sort()).toEqual(
            [
                "StorageCluster store",
                "RemoteImage store-image",
                "Network store-network",
                "Credentials store-credentials",
                "RandomPassword store-credentials-access-key",
                "RandomPassword store-credentials-secret-key",
                "RandomPassword store-credentials-internode-secret",
                ...node(1),
                ...node(2),
            ].sort(),
        );
    });

    test("has an internal network of its own", () => {
        expect(named(resources, "store-network")).toMatchObject({
            name: "store-nodes",
            internal: true,
            ipamConfigs: [{ subnet: "10.200.7.0/24", gateway: "10.200.7.1", ipRange: "10.200.7.128/25" }],
        });
    });

    test("sets the contract's variables on each node, in a fixed order", () => {
        // Addresses of the proxies: not the gateway, nor a node, nor the upper half, where other containers get their
        // addresses.
        const trusted = [2, 3, 4, 5, 6, 7].flatMap((index) => [`10.200.7.${index}`, `::ffff:10.200.7.${index}`]);
        expect(named(resources, "store-node1")["envs"]).toEqual(
            [
                "RUSTFS_ADDRESS=:9000",
                "RUSTFS_BROWSER_REDIRECT_URL=",
                "RUSTFS_CONSOLE_ADDRESS=:9001",
                "RUSTFS_CONSOLE_CORS_ALLOWED_ORIGINS=",
                "RUSTFS_CONSOLE_ENABLE=true",
                "RUSTFS_DNS_CACHE_TTL_SECS=5",
                "RUSTFS_DRIVE_DISK_INFO_TIMEOUT_SECS=1",
                "RUSTFS_DURABILITY_MODE=strict",
                "RUSTFS_HEAL_TASK_TIMEOUT_SECS=604800",
                "RUSTFS_INTERNODE_CONNECT_TIMEOUT_SECS=1",
                "RUSTFS_INTERNODE_HTTP2_KEEPALIVE_INTERVAL_SECS=1",
                "RUSTFS_INTERNODE_HTTP2_KEEPALIVE_TIMEOUT_SECS=1",
                "RUSTFS_NEW_BUCKET_DURABILITY_MODE=inherit",
                "RUSTFS_OBS_LOGGER_LEVEL=error",
                "RUSTFS_OBS_LOG_DIRECTORY=/logs",
                "RUSTFS_OBS_LOG_MAX_TOTAL_SIZE_BYTES=33554432",
                "RUSTFS_OBS_LOG_STDOUT_ENABLED=true",
                "RUSTFS_REGION=eu-central-1",
                "RUSTFS_TRUSTED_PROXY_IMPLEMENTATION=legacy",
                `RUSTFS_TRUSTED_PROXY_NETWORKS=${trusted.join(",")}`,
                "RUSTFS_UNSAFE_BYPASS_DISK_CHECK=true",
                "RUSTFS_VOLUMES=http://store-pool1-node{1...2}:9000/data/drive{1...2}",
                expect.stringMatching(/^SECRETS_VERSION=[0-9a-f]{16}$/),
            ].filter((line) => line !== "RUSTFS_BROWSER_REDIRECT_URL="),
        );
    });

    test("sets each node's address, drives and limits, and publishes no port on the host", () => {
        const node = named(resources, "store-node2");
        expect(node).toMatchObject({
            name: "store-pool1-node2",
            hostname: "store-pool1-node2",
            image: "sha256:rustfs/rustfs:1.0.1",
            user: "10001:10001",
            restart: "unless-stopped",
            readOnly: true,
            capabilities: { drops: ["ALL"] },
            securityOpts: ["no-new-privileges:true"],
            memory: 512,
            cpus: "1.5",
            stopTimeout: 30,
            destroyGraceSeconds: 30,
            logDriver: "json-file",
            logOpts: { "max-size": "10m", "max-file": "3" },
            ulimits: [{ name: "nofile", soft: 20000, hard: 20000 }],
            networksAdvanced: [{ name: "store-nodes", ipv4Address: "10.200.7.11", aliases: ["store-pool1-node2"] }],
            hosts: [
                { host: "store-pool1-node1", ip: "10.200.7.10" },
                { host: "store-pool1-node2", ip: "10.200.7.11" },
            ],
            volumes: [
                { volumeName: "store-pool1-node2-drive1", containerPath: "/data/drive1" },
                { volumeName: "store-pool1-node2-drive2", containerPath: "/data/drive2" },
                { volumeName: "store-pool1-node2-secrets", containerPath: "/run/store", readOnly: true },
            ],
        });
        expect(node).not.toHaveProperty("ports");
    });

    test("has the contract's health check, with both listeners", () => {
        const { healthcheck } = named(resources, "store-node1") as { healthcheck: { tests: string[] } };
        expect(healthcheck).toMatchObject({ interval: "10s", timeout: "5s", retries: 5, startPeriod: "30s" });
        expect(healthcheck.tests.join(" ")).toContain(
            "http://127.0.0.1:9000/health/ready http://127.0.0.1:9001/rustfs/console/health",
        );
    });

    test("passes secrets in a file, quoted, and nowhere else", () => {
        const writer = named(resources, "store-node1-secrets-writer");
        const [upload] = secretValue(writer["uploads"]) as { file: string; content: string; permissions: string }[];
        expect(upload).toMatchObject({ file: "/uploads/environment", permissions: "0600" });
        expect(upload?.content).toBe(
            [
                "RUSTFS_ACCESS_KEY='generated-store-credentials-access-key'",
                "RUSTFS_IDENTITY_OPENID_CLIENT_SECRET='it'\\''s a secret'",
                "RUSTFS_RPC_SECRET='generated-store-credentials-internode-secret'",
                "RUSTFS_SECRET_KEY='generated-store-credentials-secret-key'",
                "",
            ].join("\n"),
        );
        expect(JSON.stringify(named(resources, "store-node1"))).not.toContain("generated-");
        expect(JSON.stringify(named(resources, "store-node1"))).not.toContain("a secret");
    });

    test("labels the resources that outlive the stack", () => {
        expect(named(resources, "store-node2-drive1")["labels"]).toEqual([
            { label: "docker-object-store.cluster", value: "store" },
            { label: "docker-object-store.component", value: "store" },
            { label: "docker-object-store.drive", value: "1" },
            { label: "docker-object-store.drives-per-node", value: "2" },
            { label: "docker-object-store.node", value: "2" },
            { label: "docker-object-store.nodes-in-pool", value: "2" },
            { label: "docker-object-store.pool", value: "1" },
            { label: "docker-object-store.profile", value: "rustfs" },
            { label: "docker-object-store.stack", value: "object-store/test" },
        ]);
    });

    test("returns its addresses", async () => {
        expect(await valueOf(cluster.endpoints)).toEqual({
            profileName: "rustfs",
            networkName: "store-nodes",
            subnet: "10.200.7.0/24",
            servers: [
                { name: "node1", address: "10.200.7.10" },
                { name: "node2", address: "10.200.7.11" },
            ],
            s3Port: 9000,
            consolePort: 9001,
            s3HealthPath: "/health/ready",
            consoleHealthPath: "/rustfs/console/health",
            restrictedPaths: rustfsProfile.restrictedPaths,
            proxyAddresses: [2, 3, 4, 5, 6, 7].map((index) => `10.200.7.${index}`),
        });
    });
});

test("any changed input of a container changes its label, so that the provider replaces it", async () => {
    const labelOf = async (args: object) => {
        const resources = await mockEngine();
        new StorageCluster("store", args);
        await settled(resources);
        const { labels } = named(resources, "store-node1") as { labels: { label: string; value: string }[] };
        return labels.find(({ label }) => label === "docker-object-store.inputs")?.value;
    };
    const original = await labelOf({});
    expect(original).toMatch(/^[0-9a-f]{16}$/);
    expect(await labelOf({})).toBe(original);
    expect(await labelOf({ cpus: 1 })).not.toBe(original);
    expect(await labelOf({ environment: { TZ: "UTC" } })).not.toBe(original);
});

test("configured credentials replace the generated ones, which are kept", async () => {
    const resources = await mockEngine();
    const { accessKey } = new StorageCluster("store", {
        accessKey: "given-access",
        secretKey: "given-secret",
        profile: "minio",
        image: "minio/minio:RELEASE.2025-10-15T17-29-55Z",
    });
    await settled(resources);
    expect(resources.map(({ name }) => name).filter((name) => name.startsWith("store-credentials-"))).toHaveLength(2);
    expect(await valueOf(accessKey)).toBe("given-access");
});

test("egress adds a second network to the nodes, and drives can be folders of the host", async () => {
    const resources = await mockEngine();
    new StorageCluster("store", { egress: true, drivePaths: [["/mnt/disk1"]] });
    await settled(resources);
    const networks = named(resources, "store-node1")["networksAdvanced"] as { name: string }[];
    expect(networks.map(({ name }) => name)).toEqual(["store-nodes", "store-egress"]);
    expect(named(resources, "store-egress")).not.toHaveProperty("internal");
    expect(named(resources, "store-node1-drive1")).toMatchObject({
        driver: "local",
        driverOpts: { type: "none", o: "bind", device: "/mnt/disk1" },
    });
});

const HOSTS = hostsNamed("ab");

const ONE_DRIVE = { nodeCount: 2, allowDrivesOnOneDevice: true };

test("a host that is down isn't asked for the release of the store's image", async () => {
    const asked: unknown[] = [];
    jest.spyOn(DockerEngine, "connect").mockImplementation((settings) => {
        asked.push(settings?.host);
        return Promise.reject(new Error("not in this test"));
    });
    try {
        const resources = await mockEngine();
        const image = `minio@sha256:${"0".repeat(64)}`;
        const args = { ...ONE_DRIVE, hosts: HOSTS, unreachableHosts: ["a"], allowSinglePointOfFailure: true };
        new StorageCluster("store", { ...args, profile: "minio", image });
        await settled(resources);
        expect(asked).toContain(HOSTS[1]?.dockerHost);
        expect(asked).not.toContain(HOSTS[0]?.dockerHost);
    } finally {
        jest.restoreAllMocks();
    }
});
