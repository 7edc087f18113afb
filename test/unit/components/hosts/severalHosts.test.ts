import { type AcmeArgs, ObjectStore, type ObjectStoreArgs, type StoreHost } from "../../../../components";
import { CLIENT_IN_TURN_SCRIPT } from "../../../../components/certificate/acmeScripts";
import { DockerEngine } from "../../../../components/docker/engine";
import { HostEngines, type HostEngine } from "../../../../components/docker/hosts";
import { checkDeployment } from "../../../../components/deployment";
import { partsOf } from "../../../../components/settings/deploymentSettings";
import { requirementsOf } from "../../../../components/settings/requirements";
import { socketPathOf } from "../../../../components/args/hostArgs";
import { problemsWith } from "../../fakes/askedEngines";
import { mockEngine, secretValue, settled, valueOf, type RegisteredResource } from "../../fakes/mockEngine";

jest.mock("../../../../components/proxy/existingProxy", () => ({
    ...jest.requireActual<object>("../../../../components/proxy/existingProxy"),
    existingProxy: () => Promise.resolve({}),
}));
jest.mock("../../../../components/requirements/requireAll", () => ({
    ...jest.requireActual<object>("../../../../components/requirements/requireAll"),
    requireAll: () => [],
}));

jest.mock("../../../../components/requirements/proxyAddresses", () => ({
    checkProxyAddresses: () => [],
    claimNumber: () => [],
}));

const HOSTS: StoreHost[] = ["a", "b", "c"].map((name, index) => ({
    name,
    dockerHost: `ssh://ops@${name}.example.com`,
    address: `10.0.0.${index + 1}`,
}));

const ARGS: ObjectStoreArgs = {
    s3Host: "s3.example.com",
    consoleHost: "console.example.com",
    hosts: HOSTS,
    nodeCount: 3,
};

const problemsOf = (args: ObjectStoreArgs) =>
    checkDeployment(args, partsOf("store", args)).problems.map(
        ({ propertyPath, reason }) => `${propertyPath}: ${reason}`,
    );

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
        expect(proxies.map(({ inputs }) => inputs["name"]).sort()).toEqual([
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
                restart: "always",
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
    const durations = resources.flatMap(({ inputs }) => {
        const check = inputs["healthcheck"] as { [key: string]: unknown } | undefined;
        return check === undefined ? [] : [check["interval"], check["timeout"], check["startPeriod"]];
    });
    expect(durations.length).toBeGreaterThan(12);
    expect(durations.filter((text) => !/^(\d+m)?[1-5]?\d(\.\d+)?s$/.test(String(text)))).toEqual([]);
});

describe("a certificate by ACME for the proxies of three hosts", () => {
    let resources: RegisteredResource[];
    let store: ObjectStore;

    const deploy = async (args: Partial<ObjectStoreArgs> = {}, acme: Partial<AcmeArgs> = {}) => {
        const engine: Partial<DockerEngine> = {
            readFile: (id, path) =>
                Promise.resolve(
                    path.endsWith("/values") && id.endsWith("-b-acme-deployer") ? "not_after 1900000000\n" : undefined,
                ),
        };
        jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
        resources = await mockEngine();
        const certificate = {
            acme: { termsAgreed: true, directoryUrl: "https://ca.example.com/directory", ...acme },
        };
        store = new ObjectStore("store", { ...ARGS, frontEndHosts: ["c", "a", "b"], certificate, ...args });
        await settled(resources);
    };

    const container = (name: string) =>
        resources.find((one) => one.type === "docker:index/container:Container" && one.name === name)?.inputs ?? {};
    const uploads = (host: string) =>
        secretValue(container(`store-front-end-${host}-configuration-writer`)["uploads"]) as {
            file: string;
            content: string;
        }[];
    const upload = (host: string, file: string) =>
        uploads(host).find((one) => one.file === `/uploads/${file}`)?.content ?? "";

    test("is ordered by clients that take turns, in the order of frontEndHosts", async () => {
        await deploy();
        for (const host of ["a", "b", "c"]) {
            expect(container(`store-front-end-${host}-acme-client`)["command"]).toEqual([CLIENT_IN_TURN_SCRIPT]);
            const exchange = container(`store-front-end-${host}-acme-exchange`);
            expect(exchange).toMatchObject({
                name: `store-${host}-exchange`,
                user: "99:99",
                networkMode: "none",
                readOnly: true,
                capabilities: { drops: ["ALL"] },
            });
            expect(exchange["envs"]).toEqual(expect.arrayContaining(["FRONT_ENDS=c a b", `FRONT_END=${host}`]));
        }
    });

    test("is one for all of them: the same order, and the same response by which a proxy is recognised", () => {
        const valuesOf = (name: string) =>
            ["a", "b", "c"].map((host) =>
                (container(`store-front-end-${host}-acme-client`)["envs"] as string[]).find((text) =>
                    text.startsWith(`${name}=`),
                ),
            );
        expect(new Set(valuesOf("ORDER")).size).toBe(1);
        expect(new Set(valuesOf("SELF_CHECK")).size).toBe(1);
        expect(valuesOf("SELF_CHECK")[0]).toMatch(/^SELF_CHECK=[0-9a-f]{32}$/);
    });

    test("each proxy has a fixed address, and reaches the others only with the key that they share", () => {
        const pem = upload("a", "peers.pem");
        expect(pem).toContain("key of store-front-end-peers-key");
        for (const host of ["a", "b", "c"]) {
            expect(upload(host, "peers.pem")).toBe(pem);
            const networks = container(`store-front-end-${host}`)["networksAdvanced"] as { ipv4Address?: string }[];
            const own = networks.at(-1)?.ipv4Address ?? "";
            expect(own).toMatch(/^10\.\d+\.\d+\.[2-4]$/);
            const others = ["a", "b", "c"].filter((other) => other !== host);
            for (const other of others) {
                expect(upload(host, "haproxy.cfg")).toMatch(
                    new RegExp(
                        `server peer-${other} [0-9.]+:8405 ssl crt /run/certificate/peers.pem ca-file /run/certificate/peers.pem verify required`,
                    ),
                );
            }
            expect(upload(host, "haproxy.cfg")).not.toContain(`server peer-${host} `);
            expect(upload(host, "haproxy.cfg")).not.toContain(` ${own}:8405`);
        }
        expect(
            JSON.stringify(resources.filter(({ name }) => /acme-(client|deployer|exchange)$/.test(name))),
        ).not.toContain("key of store");
    });

    test("of a host that is away nothing is read, and the time of its expiry is that of another one", async () => {
        await deploy({ unreachableHosts: ["c", "a"] });
        expect(await valueOf(store.certificateNotAfter)).toBe("2030-03-17T17:46:40.000Z");
    });

    test("by DNS-01, every client has the credentials, and the proxies pass on no challenges but the certificate", async () => {
        const dns = { provider: "duckdns", secretEnvironment: { DUCKDNS_TOKEN: "the token" } };
        await deploy({}, { dns });
        for (const host of ["a", "b", "c"]) {
            expect(upload(host, "acme.environment")).toContain("DUCKDNS_TOKEN='the token'\n");
            const configuration = upload(host, "haproxy.cfg");
            expect(configuration).toContain("default_backend acme_exchange");
            expect(configuration).not.toContain("acme-challenge");
            expect(configuration).not.toContain("acme_own");
            expect(configuration).not.toContain("backend acme\n");
        }
    });

    test("is in volumes of which the first proxy's are protected; the others have copies", () => {
        const { proxies } = partsOf("store", { ...ARGS, frontEndHosts: ["c", "a"] });
        expect(proxies.map(({ host, args }) => [host, args.retainCertificates])).toEqual([
            ["c", undefined],
            ["a", false],
        ]);
    });
});

test("without ACME the proxies of several hosts have no key of their own, and no port for each other", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", ARGS);
    await settled(resources);
    expect(resources.filter(({ name }) => /peers|exchange/.test(name))).toEqual([]);
    const writer = resources.find(({ name }) => name === "store-front-end-a-configuration-writer");
    expect(JSON.stringify(secretValue(writer?.inputs["uploads"]))).not.toContain("8405");
});

test("the overlay isn't encrypted if that is allowed", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", { ...ARGS, unencryptedOverlay: true });
    await settled(resources);
    expect(resources.find(({ name }) => name === "store-cluster-network")?.inputs["options"]).toEqual({});
});

describe("requirements on the hosts", () => {
    test("each has those of its own nodes, and of a proxy if it has one", async () => {
        await mockEngine();
        const args = { ...ARGS, drivePaths: [["/mnt/1"], ["/mnt/2"], ["/mnt/3"]], frontEndHosts: ["c"] };
        const names = HOSTS.map(({ name }) => name);
        const then = requirementsOf({ ...checkDeployment(args, partsOf("store", args)).planned, hosts: names });
        const taken = ["/mnt/1", "/mnt/2", "/mnt/3"].map((path) => ({ path, container: "other" }));
        const answers: Partial<DockerEngine> = {
            folderMounts: () => Promise.resolve(taken),
            publishedPorts: () => Promise.resolve([{ container: "other", address: "0.0.0.0", port: 443 }]),
        };
        const problems = await problemsWith(then, new Map(names.map((name) => [name, answers])));
        expect(problems).toEqual([
            expect.stringMatching(/^drivePaths\[0\]\[0\]: host a: "\/mnt\/1" /),
            expect.stringMatching(/^drivePaths\[1\]\[0\]: host b: "\/mnt\/2" /),
            expect.stringMatching(/^drivePaths\[2\]\[0\]: host c: "\/mnt\/3" /),
            expect.stringMatching(/^httpsPort: host c: 443 /),
        ]);
    });

    test("the number of a host's proxy doesn't depend on the other proxies", () => {
        const { proxies } = partsOf("store", { ...ARGS, frontEndHosts: ["c", "b"] });
        expect(proxies.map(({ host, args }) => [host, args.proxyNumber])).toEqual([
            ["c", 3],
            ["b", 2],
        ]);
    });

    test("the same folder on two hosts is two drives", async () => {
        await mockEngine();
        const drivePaths = [["/mnt/disk"], ["/mnt/disk"], ["/mnt/disk"]];
        expect(problemsOf({ ...ARGS, drivePaths })).toEqual([]);
    });
});

test.each<[Partial<ObjectStoreArgs>, RegExp]>([
    [{ nodeCount: 4 }, /allowDrivesOnOneDevice: 2 drives of one host would be on one device/],
    [{ nodeCount: 4, allowDrivesOnOneDevice: true }, /hosts: without host "a" pool 1 reads but doesn't write/],
    [{ dockerHost: "unix:///docker.sock" }, /dockerHost: and hosts exclude each other/],
    [{ proxyNumber: 2 }, /proxyNumber: and hosts exclude each other/],
    [{ frontEndHosts: ["d"] }, /frontEndHosts\[0\]: "d" is not the name of a host/],
    [{ hosts: undefined, unencryptedOverlay: true }, /unencryptedOverlay: needs hosts/],
    [{ hosts: undefined, watchdog: true }, /watchdog: true needs hosts/],
    [{ unreachableHosts: ["d"] }, /unreachableHosts\[0\]: "d" is not the name of a host/],
    [{ unreachableHosts: ["a", "b", "c"] }, /unreachableHosts: names every host/],
    [{ nodeCount: 1e10 }, /nodeCount: 10000000000 is not allowed/],
    [{ hosts: [], nodeCount: 1 }, /hosts: 0 hosts are not allowed/],
])("%j is refused", async (args, message) => {
    await mockEngine();
    expect(problemsOf({ ...ARGS, ...args })).toContainEqual(expect.stringMatching(message));
});

test("of hosts that are all down nothing is asked, and a mistake in a bucket doesn't hide what concerns the data", () => {
    const planned = (args: Partial<ObjectStoreArgs>) => {
        const all = { ...ARGS, ...args };
        return checkDeployment(all, partsOf("store", all)).planned;
    };
    expect(planned({ unreachableHosts: ["a", "b", "c"] }).clusters).toEqual([]);
    const asked = (args: Partial<ObjectStoreArgs>) => requirementsOf(planned(args)).length;
    expect(asked({ buckets: { "-": {} } })).toBe(asked({}));
    expect(asked({ nodeCount: 0 })).toBe(asked({}) - 1);
});

test("a layout that doesn't survive the loss of a host can be allowed", async () => {
    await mockEngine();
    const args = { ...ARGS, nodeCount: 4, allowDrivesOnOneDevice: true, allowSinglePointOfFailure: true };
    expect(problemsOf(args)).toEqual([]);
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
