import { checkProxy, type ProxyArgsWithoutCluster } from "../../../../components/settings/proxySettings";

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
