import "../fakes/imageAtOnce";
import "../fakes/noHostAsked";
import * as pulumi from "@pulumi/pulumi";
import { DockerEngine } from "../../../components/docker/engine";
import { HaproxyFrontEnd } from "../../../components";
import { checkBucketDomainsOfClusters } from "../../../components/settings/bucketHosts";
import { makeCertificate } from "../../certificates";
import { ContainerProbe } from "../../../components/requirements/containerTrialStart";
import { StoreProxy } from "../../../components/proxy/deployProxy";
import { mockEngine, settled, secretValue, valueOf, type RegisteredResource } from "../fakes/mockEngine";
import { hosts, cluster, containers } from "../fakes/frontEndParts";

describe("a proxy with its own certificate", () => {
    let resources: RegisteredResource[];
    let proxy: HaproxyFrontEnd;

    beforeAll(async () => {
        resources = await mockEngine();
        proxy = new HaproxyFrontEnd("edge", { ...hosts, cluster, httpsPort: 8443, publishAddress: "127.0.0.1" });
        await settled(resources);
    });

    test("has exactly these children", () => {
        expect(resources.map(({ type, name }) => `${type.split(":").at(-1)} ${name}`).sort()).toEqual(
            [
                "HaproxyFrontEnd edge",
                "RemoteImage edge-image",
                "Network edge-network",
                "Volume edge-sockets",
                "Volume edge-acme-volume",
                "Volume edge-certificate-volume",
                "SelfSignedCertificate edge-certificate",
                "PrivateKey edge-certificate-ca-key",
                "SelfSignedCert edge-certificate-ca",
                "PrivateKey edge-certificate-key",
                "CertRequest edge-certificate-request",
                "LocallySignedCert edge-certificate",
                "VolumeFiles edge-configuration",
                "Volume edge-configuration",
                "RandomPassword edge-configuration-salt",
                "Container edge-configuration-writer",
                "Container edge",
            ].sort(),
        );
    });

    test("fails at a node that is gone before the contract's limit, so that another one is tried", () => {
        expect(containers(resources)["edge"]).toMatchObject({ sysctls: { "net.ipv4.tcp_syn_retries": "1" } });
    });

    test("publishes two ports, and runs as an unprivileged user", () => {
        expect(containers(resources)["edge"]).toMatchObject({
            name: "edge-proxy",
            image: "sha256:haproxy:3.2.26",
            user: "99:99",
            readOnly: true,
            capabilities: { drops: ["ALL"] },
            securityOpts: ["no-new-privileges:true"],
            restart: "unless-stopped",
            stopSignal: "SIGUSR1",
            networksAdvanced: [{ name: "edge-public" }, { name: "store-nodes" }],
            ports: [
                { internal: 8080, external: 80, ip: "127.0.0.1", protocol: "tcp" },
                { internal: 8443, external: 8443, ip: "127.0.0.1", protocol: "tcp" },
            ],
            volumes: [
                { volumeName: "edge-configuration", containerPath: "/usr/local/etc/haproxy", readOnly: true },
                { volumeName: "edge-sockets", containerPath: "/run/haproxy" },
                { volumeName: "edge-certificate", containerPath: "/run/certificate", readOnly: true },
            ],
        });
    });

    test("passes configuration and certificate as files: the chain first, then the key", () => {
        const uploads = secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
            file: string;
            content: string;
            permissions: string;
        }[];
        expect(uploads.map(({ file, permissions }) => [file, permissions])).toEqual([
            ["/uploads/haproxy.cfg", "0600"],
            ["/uploads/servers.state", "0600"],
            ["/uploads/certificate.pem", "0600"],
            ["/uploads/endHangingRequests.lua", "0600"],
            ["/uploads/keepStartedNodesOut.lua", "0600"],
            ["/uploads/version", "0600"],
        ]);
        expect(uploads[0]?.content).toContain("server node1 10.200.7.10:9000");
        expect(uploads[1]?.content).toContain("s3 1 node1 10.200.7.10 2 ");
        expect(uploads[2]?.content).toBe("certificate edge-certificate\nkey of edge-certificate-key");
    });

    test("requests a certificate on P-256 for both hostnames, by a CA that may sign", () => {
        const inputsOf = (name: string) => resources.find((resource) => resource.name === name)?.inputs;
        expect(inputsOf("edge-certificate-key")).toMatchObject({ algorithm: "ECDSA", ecdsaCurve: "P256" });
        expect(inputsOf("edge-certificate-request")).toMatchObject({ dnsNames: [hosts.s3Host, hosts.consoleHost] });
        expect(inputsOf("edge-certificate-ca")).toMatchObject({ isCaCertificate: true });
    });

    test("returns its URLs, with the port if it isn't the standard one", async () => {
        expect(await valueOf(proxy.s3Endpoint)).toBe("https://s3.example.com:8443");
        expect(await valueOf(proxy.consoleUrl)).toBe("https://console.example.com:8443");
        expect(await valueOf(proxy.caCertificate)).toBe("ca");
    });
});

test("a configured certificate is served unchanged, and the CA is kept for a later change back", async () => {
    const { certificate, key } = await makeCertificate([hosts.s3Host, hosts.consoleHost]);
    const resources = await mockEngine();
    const proxy = new HaproxyFrontEnd("edge", { ...hosts, cluster, certificate: { pem: certificate + key } });
    await settled(resources);
    const uploads = secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
        content: string;
    }[];
    expect(uploads[2]?.content).toBe(certificate + key);
    expect(resources.map(({ name }) => name)).toContain("edge-certificate-ca");
    expect(await valueOf(proxy.caCertificate)).toBe("");
});

test.each([
    [13, 1],
    [15, 0],
])("a configured certificate that expires in %i days causes %i warnings", async (days, warnings) => {
    const { certificate, key } = await makeCertificate([hosts.s3Host, hosts.consoleHost], -1, days);
    const resources = await mockEngine();
    const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue();
    new HaproxyFrontEnd("edge", { ...hosts, cluster, certificate: { pem: certificate + key } });
    await settled(resources);
    expect(warn.mock.calls.filter(([text]) => text.startsWith("the configured certificate expires at"))).toHaveLength(
        warnings,
    );
    warn.mockRestore();
});

test("a configured certificate that doesn't match is refused before any child is created", async () => {
    const { certificate, key } = await makeCertificate([hosts.s3Host]);
    const resources = await mockEngine();
    expect(() => new HaproxyFrontEnd("edge", { ...hosts, cluster, certificate: { pem: certificate + key } })).toThrow(
        pulumi.InputPropertiesError,
    );
    await settled(resources);
    expect(resources.map(({ name }) => name)).toEqual(["edge"]);
});

test("buckets in hostnames need a cluster that reads them", () => {
    const args = { stores: [{ ...hosts, cluster, virtualHostBuckets: true }] };
    const problemsWith = (bucketDomains?: string[]) =>
        checkBucketDomainsOfClusters(args, [
            { s3Host: "S3.example.com", virtualHostBuckets: true, cluster: { ...cluster, bucketDomains } },
        ]);
    expect(problemsWith(["s3.example.com"])).toEqual([]);
    const reason =
        'needs a cluster that reads buckets from hostnames: set bucketDomains of its StorageCluster to ["S3.example.com"]';
    for (const bucketDomains of [undefined, ["s3.example.org"]]) {
        expect(problemsWith(bucketDomains)).toEqual([{ propertyPath: "stores[0].virtualHostBuckets", reason }]);
    }
    const withoutHostnames = (bucketDomains?: string[]) =>
        checkBucketDomainsOfClusters(args, [{ s3Host: "s3.example.com", cluster: { ...cluster, bucketDomains } }]);
    expect(withoutHostnames()).toEqual([]);
    expect(withoutHostnames(["s3.example.com"])).toEqual([]);
    expect(withoutHostnames(["s3.example.org"])).toEqual([
        {
            propertyPath: "stores[0].s3Host",
            reason: '"s3.example.com" is not in the bucketDomains of its StorageCluster, which would take it for a bucket: add it there',
        },
    ]);
});

test("a proxy has the address that the nodes trust, by its number; without trusted addresses, any", async () => {
    const resources = await mockEngine();
    const proxyAddresses = ["10.200.7.2", "10.200.7.3"];
    new HaproxyFrontEnd("first", { ...hosts, cluster: { ...cluster, proxyAddresses } });
    new HaproxyFrontEnd("second", { ...hosts, cluster: { ...cluster, proxyAddresses }, proxyNumber: 2 });
    new HaproxyFrontEnd("third", { ...hosts, cluster });
    await settled(resources);
    const joined = ["first", "second", "third"].map((name) => containers(resources)[name]?.["networksAdvanced"]);
    expect(joined).toEqual([
        [{ name: "first-public" }, { name: "store-nodes", ipv4Address: "10.200.7.2" }],
        [{ name: "second-public" }, { name: "store-nodes", ipv4Address: "10.200.7.3" }],
        [{ name: "third-public" }, { name: "store-nodes" }],
    ]);
});

test("its network, whose replacement replaces the proxy, waits until the next proxy's files are written", async () => {
    const engine = { containers: () => Promise.resolve([]) } as unknown as DockerEngine;
    const connected = jest
        .spyOn(DockerEngine, "connect")
        .mockResolvedValueOnce(engine)
        .mockReturnValue(new Promise(() => undefined));
    jest.spyOn(ContainerProbe.prototype, "passed").mockResolvedValue();
    try {
        const resources = await mockEngine(false);
        new HaproxyFrontEnd("edge", { ...hosts, cluster, publicSubnet: "10.200.9.0/24" });
        await settled(resources);
        const names = resources.map(({ name }) => name);
        expect(names).toContain("edge-configuration-writer");
        expect(connected).toHaveBeenCalled();
        expect(names).not.toContain("edge-network");
    } finally {
        jest.restoreAllMocks();
    }
});

describe("before the nodes are healthy", () => {
    afterEach(() => jest.restoreAllMocks());

    test("the files and the network of a proxy that doesn't exist yet are made, but not the proxy", async () => {
        const { before, after } = await registered([]);
        expect(before).toEqual(expect.arrayContaining(["Container edge-configuration-writer", "Network edge-network"]));
        expect(before).not.toContain("Container edge");
        expect(after).toContain("Container edge");
    });

    test("nothing is written for a proxy that runs", async () => {
        const proxy = { name: "edge-proxy", labels: {}, networks: ["store-nodes"] };
        const { before, after } = await registered([proxy]);
        expect(before).not.toContain("Container edge-configuration-writer");
        expect(before).not.toContain("Container edge");
        expect(after).toEqual(expect.arrayContaining(["Container edge-configuration-writer", "Container edge"]));
    });

    test("nothing is written if the engine doesn't say whether the proxy exists", async () => {
        const { before } = await registered(undefined);
        expect(before).not.toContain("Container edge-configuration-writer");
    });

    /** The resources of an update that are registered before the endpoints are known, and at its end. */
    async function registered(proxies: object[] | undefined): Promise<{ before: string[]; after: string[] }> {
        const containers = jest.fn().mockResolvedValue(proxies ?? []);
        if (proxies === undefined) {
            containers.mockRejectedValueOnce(new Error("no answer"));
        }
        const engine = {
            containers,
            ending: () => Promise.resolve({ code: 0, finishedAt: 0 }),
            health: () => Promise.resolve({ health: "healthy", state: "running", lastCheck: "" }),
            nodeNetworks: () => Promise.resolve([]),
            join: () => Promise.resolve(),
        } as unknown as DockerEngine;
        jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine);
        jest.spyOn(ContainerProbe.prototype, "passed").mockResolvedValue();
        const resources = await mockEngine(false);
        let allHealthy: () => void = () => undefined;
        const healthy = new Promise<void>((resolve) => (allHealthy = resolve));
        const endpoints = pulumi.output(healthy.then(() => cluster));
        const stores = [{ ...hosts, cluster: endpoints }];
        const context = { host: {}, allowed: pulumi.output([]), earlyEndpoints: [pulumi.output(cluster)] };
        new StoreProxy("edge", { stores, publicSubnet: "10.200.9.0/24" }, context);
        await settled(resources);
        const named = () => resources.map(({ type, name }) => `${type.split(":").at(-1)} ${name}`);
        const before = named();
        allHealthy();
        await settled(resources);
        return { before, after: named() };
    }
});
