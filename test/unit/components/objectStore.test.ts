import * as pulumi from "@pulumi/pulumi";
import { ObjectStore } from "../../../components";
import { clusterSettings } from "../../../components/settings/clusterSettings";
import { partsOf } from "../../../components/settings/deploymentSettings";
import { outputsAwaitedByProgram } from "../../../components/pulumi/awaitedByProgram";
import { mockEngine, secretValue, settled, valueOf, type RegisteredResource } from "../fakes/mockEngine";

jest.mock("../../../components/proxy/existingProxy", () => ({
    ...jest.requireActual<object>("../../../components/proxy/existingProxy"),
    existingProxy: () => Promise.resolve({}),
}));
jest.mock("../../../components/pulumi/awaitedByProgram", () => ({
    ...jest.requireActual<object>("../../../components/pulumi/awaitedByProgram"),
    outputsAwaitedByProgram: jest.fn(),
}));
jest.mock("../../../components/requirements/requireAll", () => ({
    ...jest.requireActual<object>("../../../components/requirements/requireAll"),
    requireAll: () => [],
    isolatedGateway: () => ({}),
}));

jest.mock("../../../components/requirements/proxyAddresses", () => ({
    checkProxyAddresses: () => [],
    claimNumber: () => [],
}));

const ARGS = { s3Host: "s3.example.com", consoleHost: "console.example.com" };

test("has the args of both components", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", {
        ...ARGS,
        storeName: "objects",
        profile: "minio",
        image: "minio:20260212",
        pools: [{ nodeCount: 2 }],
        allowDrivesOnOneDevice: true,
        memory: 512,
        egress: true,
        openFiles: 4096,
        labels: { team: "storage" },
        haproxyImage: "haproxy:3.2.27",
        httpsPort: 8443,
    });
    await settled(resources);
    const named = (name: string): RegisteredResource["inputs"] =>
        resources.find((resource) => resource.name === name && resource.type.startsWith("docker:"))?.inputs ?? {};
    const node = named("store-cluster-node2");
    expect(node).toMatchObject({ name: "objects-pool1-node2", memory: 512, ulimits: [{ hard: 4096 }] });
    expect(node["envs"]).toContain("MINIO_BROWSER_REDIRECT_URL=https://console.example.com:8443");
    expect(node["networksAdvanced"]).toHaveLength(2);
    expect(node["labels"]).toContainEqual({ label: "team", value: "storage" });
    expect(named("store-front-end-image")).toMatchObject({ name: "haproxy:3.2.27" });
    expect(named("store-front-end-sockets")).toMatchObject({ name: "objects-sockets" });
});

test("reports every problem of both once, with the property paths of its own args", async () => {
    await mockEngine();
    const refused = () =>
        new ObjectStore("store", {
            ...ARGS,
            ...{ storeName: "A", haproxyImage: "haproxy:lts", openFiles: 1, memory: 1, subnet: "x" },
            ...{ publicSubnet: "x", publishAddress: "x", adminNetworks: ["x"], hstsMaxAge: -1, accessLog: "x" },
        });
    let message = "";
    try {
        refused();
    } catch (error) {
        message = (error as Error).message;
    }
    const paths = [...message.matchAll(/^ {2}- (\S+): /gm)].map(([, path]) => path);
    expect(paths.sort()).toEqual(
        [
            ...["storeName", "haproxyImage", "openFiles", "memory", "subnet"],
            ...["publicSubnet", "publishAddress", "adminNetworks[0]", "hstsMaxAge", "accessLog"],
        ].sort(),
    );
});

test("takes hostnames, ports and labels from other resources", async () => {
    const resources = await mockEngine();
    const zone = pulumi.output(Promise.resolve("example.com"));
    const store = new ObjectStore("store", {
        s3Host: pulumi.interpolate`s3.${zone}`,
        consoleHost: pulumi.interpolate`console.${zone}`,
        httpsPort: zone.apply(() => 8443),
        labels: { zone },
    });
    await settled(resources);
    const inputsOf = (type: string, name: string) =>
        resources.find((resource) => resource.type.endsWith(type) && resource.name === name)?.inputs ?? {};
    const proxy = inputsOf(":Container", "store-front-end");
    expect(proxy["ports"]).toContainEqual({ internal: 8443, external: 8443, ip: "0.0.0.0", protocol: "tcp" });
    expect(proxy["labels"]).toContainEqual({ label: "zone", value: "example.com" });
    expect(inputsOf(":CertRequest", "store-front-end-certificate-request")).toMatchObject({
        subject: { commonName: "s3.example.com" },
        dnsNames: ["s3.example.com", "console.example.com"],
    });
    const node = inputsOf(":Container", "store-cluster-node1");
    expect(node["labels"]).toContainEqual({ label: "zone", value: "example.com" });
    expect(node["envs"]).toContain("RUSTFS_CONSOLE_ADDRESS=:9001");
    expect(await valueOf(store.s3Endpoint)).toBe("https://s3.example.com:8443");
    expect(await valueOf(store.consoleUrl)).toBe("https://console.example.com:8443");
});

test("lets nodes, proxy and certificate know that buckets have hostnames", async () => {
    const resources = await mockEngine();
    const domain = pulumi.output(Promise.resolve("S3.example.com"));
    new ObjectStore("store", { ...ARGS, s3Host: domain, virtualHostBuckets: true });
    await settled(resources);
    const inputsOf = (type: string, name: string) =>
        resources.find((resource) => resource.type.endsWith(type) && resource.name === name)?.inputs ?? {};
    expect(inputsOf(":Container", "store-cluster-node1")["envs"]).toContain("RUSTFS_SERVER_DOMAINS=s3.example.com");
    expect(inputsOf(":CertRequest", "store-front-end-certificate-request")["dnsNames"]).toEqual([
        "S3.example.com",
        "console.example.com",
        "*.S3.example.com",
    ]);
    const uploads = secretValue(inputsOf(":Container", "store-front-end-configuration-writer")["uploads"]);
    expect(JSON.stringify(uploads)).toContain("acl bucket_host req.fhdr(host) -m reg ");
});

test("refuses buckets in hostnames for a store that can't read them, once", async () => {
    await mockEngine();
    const args = { ...ARGS, profile: "service", image: "service:1.0.0", virtualHostBuckets: true };
    expect(() => new ObjectStore("store", args)).toThrow(
        /:\n {2}- virtualHostBuckets: is not allowed: the profile service doesn't say how the store reads buckets from hostnames\. Leave it out$/,
    );
});

test("looks for its data under the name that its cluster writes to the volumes' labels", () => {
    const [store] = partsOf("store", ARGS).stores;
    const { cluster } = clusterSettings(store.component, store.cluster);
    expect(cluster).toMatchObject({ clusterName: "store", componentName: "store-cluster" });
    expect(cluster.nodes[0]?.drives[0]?.labels).toMatchObject({ "docker-object-store.component": "store-cluster" });
    expect(store.at("clusterName")).toBe("storeName");
});

test("an update waits for the outputs of each part, and fails with it", async () => {
    const holders: object[] = [];
    jest.mocked(outputsAwaitedByProgram).mockImplementation((holder) => void holders.push(holder));
    try {
        await mockEngine();
        const store = new ObjectStore("store", ARGS);
        const names = holders.map((holder) => (holder === store ? ["the store"] : Object.keys(holder)));
        expect(names).toContainEqual(["the store"]);
        expect(names).toContainEqual(expect.arrayContaining(["nodeName", "containerId"]));
        expect(names).toContainEqual(expect.arrayContaining(["endpoints", "secretKey"]));
        expect(names).toContainEqual(expect.arrayContaining(["s3Endpoint", "containerName"]));
    } finally {
        jest.mocked(outputsAwaitedByProgram).mockReset();
    }
});
