import * as pulumi from "@pulumi/pulumi";
import { DockerEngine } from "../../../components/docker/engine";
import { HaproxyFrontEnd, rustfsProfile, type ClusterEndpoints } from "../../../components";
import { checkBucketDomainsOfClusters } from "../../../components/settings/bucketHosts";
import { checkAcme, DEFAULT_LEGO_IMAGE, resolveAcme } from "../../../components/certificate/acmeSettings";
import { missingProvider } from "../../../components/certificate/dnsProviderProbe";
import { makeCertificate } from "../../certificates";
import { ContainerProbe } from "../../../components/requirements/containerTrialStart";
import type { ExistingProxy } from "../../../components/proxy/existingProxy";
import { StoreProxy } from "../../../components/proxy/deployProxy";
import { mockEngine, settled, secretValue, valueOf, type RegisteredResource } from "../fakes/mockEngine";

// In an update, an image waits for an engine: test/unit/components/docker/remoteImage.test.ts.
jest.mock("../../../components/docker/remoteImage", () => {
    const { RemoteImage } = jest.requireActual<typeof import("@pulumi/docker")>("@pulumi/docker");
    return {
        remoteImage: (name: string, image: string, _connect: unknown, opts: object) =>
            new RemoteImage(name, { name: image, keepLocally: true }, opts),
    };
});
jest.mock("../../../components/proxy/existingProxy", () => ({
    ...jest.requireActual<object>("../../../components/proxy/existingProxy"),
    existingProxy: () => mockExistingProxy(),
}));
const mockExistingProxy = jest.fn<Promise<ExistingProxy>, []>(() => Promise.resolve({}));
jest.mock("../../../components/requirements/requireAll", () => ({ requireAll: () => [] }));
jest.mock("../../../components/requirements/proxyAddresses", () => ({
    checkProxyAddresses: () => [],
    claimNumber: () => [],
}));

const cluster: ClusterEndpoints = {
    profileName: "rustfs",
    networkName: "store-nodes",
    subnet: "10.200.7.0/24",
    servers: [{ name: "node1", address: "10.200.7.10" }],
    s3Port: 9000,
    consolePort: 9001,
    s3HealthPath: "/health/ready",
    consoleHealthPath: "/rustfs/console/health",
    restrictedPaths: rustfsProfile.restrictedPaths,
};
const hosts = { s3Host: "s3.example.com", consoleHost: "console.example.com" };
const containers = (resources: RegisteredResource[]) =>
    Object.fromEntries(
        resources.filter(({ type }) => type.endsWith(":Container")).map(({ name, inputs }) => [name, inputs]),
    );

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

describe("a proxy with a certificate by ACME", () => {
    const acme = {
        termsAgreed: true,
        email: "operations@example.com",
        directoryUrl: "https://ca.example.com/directory",
        externalAccountBinding: { keyId: "customer-7", hmacKey: "c2VjcmV0" },
        nameServers: ["192.0.2.53"],
        keyType: "rsa3072",
        preflight: false,
        checkInterval: 600,
        retryInterval: 60,
        reissuedAt: "today",
    };
    let resources: RegisteredResource[];

    beforeAll(async () => {
        const engine: Partial<DockerEngine> = { readFile: () => Promise.resolve(undefined) };
        jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
        resources = await mockEngine();
        new HaproxyFrontEnd("edge", { ...hosts, cluster, publicSubnet: "10.200.9.0/24", certificate: { acme } });
        await settled(resources);
    });

    test("has a client that reaches the CA, and a loader without network access", () => {
        const { "edge-acme-client": client, "edge-acme-deployer": deployer } = containers(resources);
        expect(client).toMatchObject({
            name: "edge-acme",
            image: "sha256:goacme/lego:v4.35.2",
            user: "99:99",
            readOnly: true,
            capabilities: { drops: ["ALL"] },
            dns: ["192.0.2.53"],
            networksAdvanced: [{ name: "edge-public", ipv4Address: "10.200.9.254" }],
            volumes: [
                { volumeName: "edge-acme", containerPath: "/var/lib/acme" },
                { volumeName: "edge-configuration", readOnly: true },
            ],
        });
        expect(client).not.toHaveProperty("ports");
        expect(deployer).toMatchObject({
            name: "edge-certificate",
            user: "99:99",
            networkMode: "none",
            readOnly: true,
        });
    });

    test("has the client's image before anything is changed", () => {
        const names = resources.map(({ name }) => name);
        expect(names).toContain("edge-acme-image");
        expect(names.indexOf("edge-acme-image")).toBeLessThan(names.indexOf("edge-configuration-writer"));
    });

    test("has every setting in the place where the client reads it", () => {
        expect(containers(resources)["edge-acme-client"]?.["envs"]).toEqual(
            expect.arrayContaining([
                "CHECK_INTERVAL=600",
                "DIRECTORY_URL=https://ca.example.com/directory",
                "EMAIL=operations@example.com",
                "HOSTNAMES=s3.example.com console.example.com",
                "KEY_TYPE=rsa3072",
                "PREFLIGHT=false",
                "RETRY_INTERVAL=60",
                "SECRETS=/usr/local/etc/haproxy/current",
                expect.stringMatching(/^SELF_CHECK=[0-9a-f]{32}$/),
                "ORDER=https://ca.example.com/directory rsa3072 s3.example.com console.example.com today",
            ]),
        );
    });

    test("keeps the account's secrets in a file that isn't in the container's description", () => {
        const uploads = secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
            file: string;
            content: string;
        }[];
        expect(uploads.find(({ file }) => file === "/uploads/acme.environment")?.content).toBe(
            "ACME_TEXTS_TO_REMOVE='c2VjcmV0'\nLEGO_EAB_HMAC='c2VjcmV0'\nLEGO_EAB_KID='customer-7'\n",
        );
        expect(JSON.stringify(containers(resources)["edge-acme-client"])).not.toContain("c2VjcmV0");
    });

    test("lets challenges pass on port 80, and redirects everything else to HTTPS", () => {
        const [configuration] = secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
            content: string;
        }[];
        expect(configuration?.content).toContain("use_backend acme if { path_beg /.well-known/acme-challenge/ }");
        expect(configuration?.content).toContain("%[pathq] unless { path_beg /.well-known/acme-challenge/ }");
        expect(configuration?.content).toContain("server acme 10.200.9.254:8402");
        expect(configuration?.content).toContain("ssl crt /run/certificate/current/certificate.pem");
    });

    test("refuses what no CA would accept, with all problems at once", () => {
        const wrong = {
            termsAgreed: false,
            email: "nobody",
            directoryUrl: "http://ca.example.com/directory",
            keyType: "dsa1024",
            externalAccountBinding: { keyId: "", hmacKey: "not base64url" },
            nameServers: ["ns1.example.com"],
            retryInterval: 0,
            reissuedAt: "today\nagain",
        };
        const given = { s3Host: "s3.localhost", consoleHost: "console.example.com", cluster };
        const refusal = () => new HaproxyFrontEnd("edge", { ...given, certificate: { acme: wrong } });
        for (const part of [
            "certificate.acme.termsAgreed: is not true",
            "certificate.acme.directoryUrl: no CA issues a certificate for s3.localhost",
            'certificate.acme.email: "nobody" is not an address',
            'certificate.acme.directoryUrl: "http://ca.example.com/directory" is not an https URL',
            'certificate.acme.keyType: "dsa1024" is not known: give one of ec256',
            "certificate.acme.externalAccountBinding.keyId: is empty",
            "certificate.acme.externalAccountBinding.hmacKey: is not base64url",
            'certificate.acme.nameServers[0]: "ns1.example.com" is not an IP address',
            "certificate.acme.retryInterval: 0 is not allowed",
            'certificate.acme.reissuedAt: "today\\nagain" has a line break',
        ]) {
            expect(refusal).toThrow(part);
        }
    });

    test("refuses a DNS-01 challenge that can't work, with all problems at once and without a value", () => {
        const dns = {
            provider: "route35",
            environment: { lower: "a", AWS_REGION: "eu", ORDER: "b", LEGO_DEBUG_DNS_API_HTTP_CLIENT: "true" },
            secretEnvironment: { AWS_REGION: "hidden", PATH: "hidden", LEGO_EAB_KID: "hidden" },
            propagationWait: 0,
        };
        const given = { ...hosts, cluster, certificate: { acme: { termsAgreed: true, preflight: true, dns } } };
        let message = "";
        try {
            new HaproxyFrontEnd("edge", given);
        } catch (error) {
            message = (error as Error).message;
        }
        for (const part of [
            'certificate.acme.dns.provider: "route35" is not a DNS provider of the ACME client: did you mean route53?',
            'certificate.acme.dns.environment["lower"]: is not the name of a variable',
            "certificate.acme.dns.environment.AWS_REGION: is in secretEnvironment too",
            "certificate.acme.dns.environment.ORDER: is set by the component itself",
            "certificate.acme.dns.environment.LEGO_DEBUG_DNS_API_HTTP_CLIENT: makes the client print credentials",
            "certificate.acme.dns.secretEnvironment.PATH: is set by",
            "certificate.acme.dns.secretEnvironment.LEGO_EAB_KID: is set by",
            "certificate.acme.dns.propagationWait: 0 is not allowed",
            "certificate.acme.preflight: checks port 80",
        ]) {
            expect(message).toContain(part);
        }
        expect(message).not.toContain("hidden");
    });

    test.each([
        ["manual", undefined, '"manual" asks a person at each renewal'],
        ["Route53", undefined, '"Route53" is not the code of a DNS provider'],
        ["of-a-later-release", undefined, "is not a DNS provider of the ACME client: give one of https://"],
        ["of-a-later-release", "registry.example.com/lego:v4.99.0", undefined],
    ])("a DNS provider %s with the image %s", (provider, image, refusal) => {
        const acmeArgs = { termsAgreed: true, dns: { provider }, image };
        const found = checkAcme(acmeArgs, ["s3.example.com"]).map(({ reason }) => reason);
        expect(found).toEqual(refusal === undefined ? [] : [expect.stringContaining(refusal)]);
    });

    test("refuses two kinds of certificate at once", () => {
        const given = { ...hosts, cluster, certificate: { pem: "one", acme } };
        expect(() => new HaproxyFrontEnd("edge", given)).toThrow(
            "certificate: pem and acme are set: set only one of them",
        );
    });
});

describe("a proxy with a certificate by DNS-01", () => {
    const acme = {
        termsAgreed: true,
        externalAccountBinding: { keyId: "customer-7", hmacKey: "c2VjcmV0" },
        dns: {
            provider: "httpreq",
            environment: { HTTPREQ_ENDPOINT: "https://dns.example.com" },
            secretEnvironment: { HTTPREQ_PASSWORD: "it's a/secret", HTTPREQ_USERNAME: "eve" },
            propagationWait: 20,
        },
    };
    let resources: RegisteredResource[];

    beforeAll(async () => {
        const engine: Partial<DockerEngine> = { readFile: () => Promise.resolve(undefined) };
        jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
        resources = await mockEngine();
        const known = { ...cluster, bucketDomains: [hosts.s3Host] };
        const given = { ...hosts, cluster: known, publicSubnet: "10.200.9.0/24", virtualHostBuckets: true };
        new HaproxyFrontEnd("edge", { ...given, certificate: { acme } });
        await settled(resources);
    });

    const uploads = () =>
        secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
            file: string;
            content: string;
        }[];

    test("orders the wildcard name too, and asks port 80 nothing before", () => {
        expect(containers(resources)["edge-acme-client"]?.["envs"]).toEqual(
            expect.arrayContaining([
                "DNS_PROVIDER=httpreq",
                "HOSTNAMES=s3.example.com console.example.com *.s3.example.com",
                "PREFLIGHT=false",
                "PROPAGATION_WAIT=20",
            ]),
        );
    });

    test("has credentials only in the file that the client reads, with the texts that messages must not have", () => {
        expect(uploads().find(({ file }) => file === "/uploads/acme.environment")?.content).toBe(
            [
                "ACME_TEXTS_TO_REMOVE='it%27s%20a%2Fsecret\nit%27s+a%2Fsecret\nit'\\''s a/secret\nc2VjcmV0'",
                "HTTPREQ_ENDPOINT='https://dns.example.com'",
                "HTTPREQ_PASSWORD='it'\\''s a/secret'",
                "HTTPREQ_USERNAME='eve'",
                "LEGO_EAB_HMAC='c2VjcmV0'",
                "LEGO_EAB_KID='customer-7'",
                "",
            ].join("\n"),
        );
        expect(JSON.stringify(resources.filter(({ name }) => name !== "edge-configuration-writer"))).not.toMatch(
            /a\/secret|c2VjcmV0/,
        );
    });

    test("redirects every request on port 80, challenges too", () => {
        const [configuration] = uploads();
        expect(configuration?.content).toContain("%[pathq]\n");
        expect(configuration?.content).not.toContain("acme");
        expect(configuration?.content).toContain("ssl crt /run/certificate/current/certificate.pem");
    });
});

test.each([
    ["a client that has the provider", undefined, "built/lego:4", []],
    [
        "a client that hasn't",
        "lego ends with exit code 1 in it",
        "built/lego:4",
        [
            {
                propertyPath: "certificate.acme.dns.provider",
                reason: expect.stringContaining(
                    '"httpreq" is not a DNS provider of the ACME client in the configured image (lego ends with exit code 1 in it)',
                ) as string,
            },
        ],
    ],
    ["the default client, which is not asked", "not asked", DEFAULT_LEGO_IMAGE, []],
])("before an update, %s", async (_, refusal, image, problems) => {
    const asked = jest.fn(() => Promise.resolve(refusal));
    const settings = { dns: { provider: "httpreq" }, image };
    const found = await missingProvider(settings, { image: "sha256:id", owner: "edge" }, { oneShots: { try: asked } });
    expect(found).toEqual(problems);
    expect(asked).toHaveBeenCalledTimes(image === DEFAULT_LEGO_IMAGE ? 0 : 1);
});

test.each([
    ["dev", "https://acme-staging-v02.api.letsencrypt.org/directory"],
    ["team-test", "https://acme-staging-v02.api.letsencrypt.org/directory"],
    ["production", "https://acme-v02.api.letsencrypt.org/directory"],
    ["device", "https://acme-v02.api.letsencrypt.org/directory"],
])("a stack with the name %s orders from %s by default", (stack, directory) => {
    expect(resolveAcme({ termsAgreed: true }, stack).directoryUrl).toBe(directory);
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
