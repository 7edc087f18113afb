import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderHaproxyConfig, type HaproxyConfigArgs } from "../../components/haproxyConfig";
import { minioProfile, serviceProfile } from "../../components/serviceProfile";

const cluster = {
    profileName: "service",
    networkName: "store-nodes",
    subnet: "10.200.7.0/24",
    s3Port: 9000,
    consolePort: 9001,
    s3HealthPath: "/health/ready",
    consoleHealthPath: "/service/console/health",
    restrictedPaths: serviceProfile.restrictedPaths,
};
const node = (number: number) => ({ name: `node${number}`, address: `10.200.7.${9 + number}` });
const base: HaproxyConfigArgs = {
    s3Host: "S3.example.com",
    consoleHost: "console.example.com",
    certificate: { file: "certificate.pem", notAfter: "2027-01-01T00:00:00Z" },
    httpsPort: 443,
    cluster: { ...cluster, servers: [node(1)] },
    adminNetworks: [],
    consoleNetworks: [],
    maxConnectionsPerAddress: 5000,
};

test("one node, usual port: the whole file", () => {
    expect(renderHaproxyConfig(base)).toBe(readFileSync(join(__dirname, "oneNode.haproxy.cfg"), "utf8"));
});

test("a cluster: every node in both backends, each with a cookie value of its own", () => {
    const servers = [node(1), node(2)];
    const text = renderHaproxyConfig({ ...base, cluster: { ...cluster, servers } });
    expect(text).toContain(`    server node1 10.200.7.10:9000
    server node2 10.200.7.11:9000
`);
    expect(text).toContain("cookie service_console insert indirect nocache httponly secure");
    expect(text).toContain(`    server node1 10.200.7.10:9001 cookie node1
    server node2 10.200.7.11:9001 cookie node2
`);
});

test("another port stands in redirects", () => {
    const text = renderHaproxyConfig({ ...base, httpsPort: 8443 });
    expect(text).toContain("location https://%[var(txn.host)]:8443%[pathq]");
});

test("networks that are let in stand in the rules", () => {
    const text = renderHaproxyConfig({
        ...base,
        adminNetworks: ["10.1.0.0/16", "fd00::/8"],
        consoleNetworks: ["10.2.0.0/16"],
    });
    expect(text).toContain("acl admin_network src 10.1.0.0/16 fd00::/8\n");
    expect(text).toContain("if admin_path s3_host !admin_network\n");
    expect(text).toContain("acl console_network src 10.2.0.0/16\n");
    expect(text).toContain("http-request deny deny_status 403 if console_host !console_network\n");
});

test("HSTS is sent where it is wished for, with every answer", () => {
    const text = renderHaproxyConfig({ ...base, hstsMaxAge: 31536000 });
    expect(text).toContain('http-after-response set-header Strict-Transport-Security "max-age=31536000"\n');
});

test("a store whose console needs no admin path has all of them closed there too", () => {
    const text = renderHaproxyConfig({
        ...base,
        cluster: { ...cluster, servers: [node(1)], restrictedPaths: minioProfile.restrictedPaths },
    });
    expect(text).toMatch(/acl closed_console_path var\(txn.path\) -m reg '\^\(\?:\/minio\/admin\/\|\/minio\/kms\/\|/);
});
