import * as pulumi from "@pulumi/pulumi";
import { HaproxyFrontEnd, rustfsProfile, type ClusterEndpoints } from "../../components";
import { makeCertificate } from "../certificates";
import { mockEngine, settled, secretValue, valueOf, type RegisteredResource } from "./mockEngine";

jest.mock("../../components/enginePreflight", () => ({ engineAllows: () => [] }));

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

describe("a front end with a certificate of its own", () => {
    let resources: RegisteredResource[];
    let frontEnd: HaproxyFrontEnd;

    beforeAll(async () => {
        resources = await mockEngine();
        frontEnd = new HaproxyFrontEnd("edge", { ...hosts, cluster, httpsPort: 8443, publishAddress: "127.0.0.1" });
        await settled(resources);
    });

    test("has exactly these children", () => {
        expect(resources.map(({ type, name }) => `${type.split(":").at(-1)} ${name}`).sort()).toEqual(
            [
                "HaproxyFrontEnd edge",
                "RemoteImage edge-image",
                "Network edge-network",
                "Volume edge-sockets",
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

    test("publishes two ports, and runs as nobody special", () => {
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
            ],
        });
    });

    test("hands over configuration and certificate as files: chain first, then the key", () => {
        const uploads = secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
            file: string;
            content: string;
            permissions: string;
        }[];
        expect(uploads.map(({ file, permissions }) => [file, permissions])).toEqual([
            ["/uploads/haproxy.cfg", "0600"],
            ["/uploads/servers.state", "0600"],
            ["/uploads/certificate.pem", "0600"],
            ["/uploads/version", "0600"],
        ]);
        expect(uploads[0]?.content).toContain("server node1 10.200.7.10:9000");
        expect(uploads[1]?.content).toContain("s3 1 node1 10.200.7.10 2 ");
        expect(uploads[2]?.content).toBe("certificate edge-certificate\nkey of edge-certificate-key");
    });

    test("asks for a certificate on P-256 for both hostnames, by an authority that may sign", () => {
        const inputsOf = (name: string) => resources.find((resource) => resource.name === name)?.inputs;
        expect(inputsOf("edge-certificate-key")).toMatchObject({ algorithm: "ECDSA", ecdsaCurve: "P256" });
        expect(inputsOf("edge-certificate-request")).toMatchObject({ dnsNames: [hosts.s3Host, hosts.consoleHost] });
        expect(inputsOf("edge-certificate-ca")).toMatchObject({ isCaCertificate: true });
    });

    test("tells its URLs, with the port where it is not the usual one", async () => {
        expect(await valueOf(frontEnd.s3Endpoint)).toBe("https://s3.example.com:8443");
        expect(await valueOf(frontEnd.consoleUrl)).toBe("https://console.example.com:8443");
        expect(await valueOf(frontEnd.caCertificate)).toBe("authority");
    });
});

test("a given certificate is served as it is, and none is made", async () => {
    const { certificate, key } = await makeCertificate([hosts.s3Host, hosts.consoleHost]);
    const resources = await mockEngine();
    const frontEnd = new HaproxyFrontEnd("edge", { ...hosts, cluster, certificatePem: certificate + key });
    await settled(resources);
    const uploads = secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
        content: string;
    }[];
    expect(uploads[2]?.content).toBe(certificate + key);
    expect(resources.filter(({ type }) => type.startsWith("tls:"))).toEqual([]);
    expect(await valueOf(frontEnd.caCertificate)).toBe("");
});

test("a given certificate that doesn't fit stops everything before a child exists", async () => {
    const { certificate, key } = await makeCertificate([hosts.s3Host]);
    const resources = await mockEngine();
    expect(() => new HaproxyFrontEnd("edge", { ...hosts, cluster, certificatePem: certificate + key })).toThrow(
        pulumi.InputPropertiesError,
    );
    await settled(resources);
    expect(resources.map(({ name }) => name)).toEqual(["edge"]);
});
