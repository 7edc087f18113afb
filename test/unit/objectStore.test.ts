import { ObjectStore } from "../../components";
import { mockEngine, settled, type RegisteredResource } from "./mockEngine";

jest.mock("../../components/preflight/enginePreflight", () => ({
    bothDemands: () => ({}),
    engineAllows: () => [],
    isolatedGateway: () => ({}),
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
