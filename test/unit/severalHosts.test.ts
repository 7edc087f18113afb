import { ObjectStore, type ObjectStoreArgs, type StoreHost } from "../../components";
import { HostEngines, type HostEngine } from "../../components/engine/hostEngines";
import { checkParts, demandsOfParts, partsOf } from "../../components/objectStoreParts";
import { socketPathOf } from "../../components/store/storeHosts";
import { mockEngine, settled, type RegisteredResource } from "./mockEngine";

jest.mock("../../components/preflight/enginePreflight", () => ({
    ...jest.requireActual<object>("../../components/preflight/enginePreflight"),
    engineAllows: () => [],
}));

jest.mock("../../components/preflight/proxyAddresses", () => ({
    checkProxyAddresses: () => [],
    claimNumber: () => [],
}));

const HOSTS: StoreHost[] = ["a", "b", "c"].map((name, place) => ({
    name,
    dockerHost: `ssh://ops@${name}.example.com`,
    address: `10.0.0.${place + 1}`,
}));

const ARGS: ObjectStoreArgs = {
    s3Host: "s3.example.com",
    consoleHost: "console.example.com",
    hosts: HOSTS,
    nodeCount: 3,
};

describe("a store over three hosts", () => {
    let resources: RegisteredResource[];

    beforeAll(async () => {
        resources = await mockEngine();
        new ObjectStore("store", { ...ARGS, nodeCount: 6, allowDrivesOnOneDevice: true, egress: true });
        await settled(resources);
    });

    const ofType = (type: string) => resources.filter((resource) => resource.type === type);
    const named = (type: string, name: string) => ofType(type).find((resource) => resource.name === name)?.inputs ?? {};

    test("has one provider for each host, named by the host", () => {
        expect(ofType("pulumi:providers:docker").map(({ name, inputs }) => [name, inputs["host"]])).toEqual(
            HOSTS.map(({ name, dockerHost }) => [`store-host-${name}`, dockerHost]),
        );
    });

    test("has the images and the network for outgoing connections on each host", () => {
        const images = ofType("docker:index/remoteImage:RemoteImage").map(({ name }) => name);
        expect(images.filter((name) => name.startsWith("store-cluster")).sort()).toEqual(
            ["a", "b", "c"].map((host) => `store-cluster-image-${host}`),
        );
        expect(ofType("docker:index/network:Network").map(({ name }) => name)).toEqual(
            expect.arrayContaining(["a", "b", "c"].map((host) => `store-cluster-egress-${host}`)),
        );
    });

    test("has one internal network, which is encrypted", () => {
        expect(named("docker:index/network:Network", "store-cluster-network")).toMatchObject({
            driver: "overlay",
            attachable: true,
            internal: true,
            options: { encrypted: "" },
        });
    });

    test("has a proxy on each host, with an address of its own, and one certificate for all", () => {
        const proxies = ofType("docker:index/container:Container").filter(({ name }) =>
            /^store-front-end-[abc]$/.test(name),
        );
        expect(proxies.map(({ inputs }) => inputs["name"])).toEqual([
            "store-a-proxy",
            "store-b-proxy",
            "store-c-proxy",
        ]);
        expect(ofType("tls:index/locallySignedCert:LocallySignedCert").map(({ name }) => name)).toEqual([
            "store-front-end-certificate",
        ]);
    });
});

describe("the watchdogs of a store over three hosts", () => {
    const watchdogsOf = async (args: Partial<ObjectStoreArgs> = {}) => {
        const resources = await mockEngine();
        new ObjectStore("store", { ...ARGS, ...args });
        await settled(resources);
        return resources
            .filter(({ type, name }) => type === "docker:index/container:Container" && name.includes("-watchdog-"))
            .map(({ inputs }) => inputs);
    };

    test("are one on each host, with its engine's socket, without a network, a port or a capability", async () => {
        const watchdogs = await watchdogsOf({ frontEndHosts: ["a"], haproxyImage: "haproxy:3.2.1" });
        expect(watchdogs.map(({ name }) => name)).toEqual(["a", "b", "c"].map((host) => `store-${host}-watchdog`));
        for (const watchdog of watchdogs) {
            expect(watchdog).toMatchObject({
                networkMode: "none",
                readOnly: true,
                capabilities: { drops: ["ALL"] },
                restart: "unless-stopped",
                mounts: [{ type: "bind", source: "/var/run/docker.sock", target: "/engine.sock" }],
            });
            expect(watchdog).not.toHaveProperty("ports");
            expect(watchdog).not.toHaveProperty("volumes");
        }
    });

    test("watch the store's nodes and the host's own proxy", async () => {
        const [, second] = await watchdogsOf();
        expect((second?.["command"] as string[]).slice(1)).toEqual([
            "docker-object-store.cluster=store",
            "docker-object-store.front-end=store-b",
        ]);
    });

    test("don't exist if they aren't wanted", async () => {
        expect(await watchdogsOf({ watchdog: false })).toEqual([]);
    });
});

test.each([
    [{}, "/var/run/docker.sock"],
    [{ dockerHost: "unix:///run/user/1000/docker.sock" }, "/run/user/1000/docker.sock"],
    [{ dockerHost: "ssh://ops@a.example.com:22/srv/docker.sock" }, "/srv/docker.sock"],
    [{ dockerHost: "tcp://a.example.com:2376" }, "/var/run/docker.sock"],
    [{ dockerHost: "unix:///tmp/forwarded.sock", socketPath: "/run/docker.sock" }, "/run/docker.sock"],
])("%j: the engine's socket on the host is %s", (host, expected) => {
    expect(socketPathOf({ name: "a", dockerHost: "ssh://a.example.com", address: "10.0.0.1", ...host })).toBe(expected);
});

test("durations are written as the engine reports them: otherwise every update finds a difference", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", ARGS);
    await settled(resources);
    const checks = resources.flatMap(({ inputs }) => (inputs["healthcheck"] as { [key: string]: unknown }) ?? []);
    const durations = checks.flatMap(({ interval, timeout, startPeriod }) => [interval, timeout, startPeriod]);
    expect(durations.length).toBeGreaterThan(12);
    expect(durations.filter((text) => !/^(\d+m)?[1-5]?\d(\.\d+)?s$/.test(String(text)))).toEqual([]);
});

test("the overlay isn't encrypted if that is allowed", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", { ...ARGS, unencryptedOverlay: true });
    await settled(resources);
    expect(resources.find(({ name }) => name === "store-cluster-network")?.inputs["options"]).toEqual({});
});

describe("requirements on the hosts", () => {
    const demandsOf = (args: Partial<ObjectStoreArgs>) =>
        demandsOfParts(partsOf("store", { ...ARGS, ...args })).ofHosts;

    test("each has those of its own nodes, and of a proxy if it has one", async () => {
        await mockEngine();
        const drivePaths = [["/mnt/1"], ["/mnt/2"], ["/mnt/3"]];
        const ofHosts = demandsOf({ drivePaths, frontEndHosts: ["c"] });
        const found = [...(ofHosts ?? [])].map(([host, { drives, ports, proxyName }]) => ({
            host,
            drives: drives?.folders.map(({ path }) => path),
            ports: ports?.length,
            proxyName,
        }));
        expect(found).toEqual([
            { host: "a", drives: ["/mnt/1"], ports: undefined, proxyName: undefined },
            { host: "b", drives: ["/mnt/2"], ports: undefined, proxyName: undefined },
            { host: "c", drives: ["/mnt/3"], ports: 2, proxyName: "store-c-proxy" },
        ]);
    });

    test("the number of a host's proxy doesn't depend on the other proxies", () => {
        const { frontEnds } = partsOf("store", { ...ARGS, frontEndHosts: ["c", "b"] });
        expect(frontEnds.map(({ host, args }) => [host, args.proxyNumber])).toEqual([
            ["c", 3],
            ["b", 2],
        ]);
    });

    test("the same folder on two hosts is two drives", async () => {
        await mockEngine();
        const drivePaths = [["/mnt/disk"], ["/mnt/disk"], ["/mnt/disk"]];
        expect(checkParts(partsOf("store", { ...ARGS, drivePaths }))).toEqual([]);
    });
});

test.each<[Partial<ObjectStoreArgs>, RegExp]>([
    [{ nodeCount: 4 }, /allowDrivesOnOneDevice: 2 drives of one host would be on one device/],
    [{ nodeCount: 4, allowDrivesOnOneDevice: true }, /hosts: without host "a" pool 1 reads but doesn't write/],
    [{ dockerHost: "unix:///docker.sock" }, /dockerHost: and hosts exclude each other/],
    [{ proxyNumber: 2 }, /proxyNumber: and hosts exclude each other/],
    [{ certificate: { acme: { termsAgreed: true } } }, /certificate\.acme: and hosts exclude each other/],
    [{ frontEndHosts: ["d"] }, /frontEndHosts\[0\]: "d" is not the name of a host/],
    [{ hosts: undefined, unencryptedOverlay: true }, /unencryptedOverlay: needs hosts/],
    [{ hosts: undefined, watchdog: true }, /watchdog: true needs hosts/],
    [{ unreachableHosts: ["d"] }, /unreachableHosts\[0\]: "d" is not the name of a host/],
    [{ unreachableHosts: ["a", "b", "c"] }, /unreachableHosts: names every host/],
    [{ nodeCount: 1e10 }, /nodeCount: 10000000000 is not allowed/],
    [{ hosts: [], nodeCount: 1 }, /hosts: 0 hosts are not allowed/],
])("%j is refused", async (args, message) => {
    await mockEngine();
    const problems = checkParts(partsOf("store", { ...ARGS, ...args }));
    expect(problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`)).toContainEqual(
        expect.stringMatching(message),
    );
});

test("a layout that doesn't survive the loss of a host can be allowed", async () => {
    await mockEngine();
    const args = { ...ARGS, nodeCount: 4, allowDrivesOnOneDevice: true, allowSinglePointOfFailure: true };
    expect(checkParts(partsOf("store", args))).toEqual([]);
});

describe("the engines of several hosts", () => {
    const asked: string[] = [];
    const engineWith = (host: string, ...containers: string[]): HostEngine =>
        ({
            containers: () => Promise.resolve(containers.map((name) => ({ name, id: `id-of-${name}` }))),
            health: (container: string) => {
                asked.push(`${host} ${container}`);
                return Promise.resolve({
                    state: containers.some((name) => container.endsWith(name)) ? "running" : "gone",
                });
            },
            now: () => Promise.resolve(host === "a" ? 1 : 2),
        }) as unknown as HostEngine;
    let engines: HostEngines;

    beforeEach(() => {
        asked.length = 0;
        engines = new HostEngines(
            new Map([
                ["a", engineWith("a", "node1")],
                ["b", engineWith("b", "node2")],
            ]),
        );
    });

    test("list the containers of all, and then ask the one that has a container", async () => {
        expect((await engines.containers("label")).map(({ name }) => name)).toEqual(["node1", "node2"]);
        expect(await engines.health("id-of-node2")).toEqual({ state: "running" });
        expect(asked).toEqual(["b id-of-node2"]);
    });

    test("find a container that was created meanwhile, and remember where", async () => {
        await engines.health("node2");
        await engines.health("node2");
        expect(asked.filter((question) => question === "a node2")).toHaveLength(1);
    });

    test("a container that is nowhere is gone", async () => {
        expect(await engines.health("node3")).toEqual({ state: "gone" });
    });

    test("have clocks of their own", async () => {
        expect([await engines.now("node1"), await engines.now("node2")]).toEqual([1, 2]);
    });
});
