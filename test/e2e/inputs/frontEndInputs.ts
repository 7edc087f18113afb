import { X509Certificate } from "node:crypto";
import type { HaproxyFrontEndArgs } from "../../../components";
import type { TestCertificate } from "../../certificates";
import type { InputsOf } from "./input";
import { CONSOLE_HOSTS, S3_HOSTS, type Materials } from "./materials";
import { testedEngine } from "../harness/testRun";

/** Every property of a proxy's args. */
export function frontEndInputs(given: () => Materials): InputsOf<HaproxyFrontEndArgs> {
    return {
        cluster: { divided: { into: "clusterInputs and profileInputs" } },
        s3Host: {
            shown: {
                first: () => S3_HOSTS[0],
                changed: () => S3_HOSTS[1],
                shown: (deployed) => deployed.routed(S3_HOSTS),
                expected: (hostname) => [hostname],
                replaces: [],
                round: "loaded",
            },
        },
        consoleHost: {
            shown: {
                first: () => CONSOLE_HOSTS[0],
                changed: () => CONSOLE_HOSTS[1],
                shown: (deployed) => deployed.routed(CONSOLE_HOSTS),
                expected: (hostname) => [hostname],
                replaces: [],
                round: "loaded",
            },
        },
        stores: {
            divided: { into: "the properties of its short form here; several are another test's (composition)" },
        },
        services: { divided: { into: "composition" } },
        virtualHostBuckets: { divided: { into: "virtualHostBuckets.test.ts" } },
        publicIpv6Subnet: { divided: { into: "ipv6.test.ts" } },
        publishIpv6Address: { divided: { into: "ipv6.test.ts" } },
        publicNetworkName: { divided: { into: "composition" } },
        httpPort: {
            shown: {
                first: () => given().httpPorts[0],
                changed: () => given().httpPorts[1],
                shown: async (deployed) => (await deployed.published())[8080]?.port,
                expected: (port) => port,
                replaces: ["proxy"],
                round: "args",
            },
        },
        httpsPort: {
            shown: {
                first: () => given().httpsPorts[0],
                changed: () => given().httpsPorts[1],
                shown: async (deployed) => (await deployed.published())[8443]?.port,
                expected: (port) => port,
                replaces: ["proxy"],
                round: "args",
            },
        },
        publishAddress: {
            shown: {
                first: () => "127.0.0.1",
                changed: () => "127.0.0.2",
                shown: async (deployed) => Object.values(await deployed.published()).map(({ address }) => address),
                expected: (address) => [address, address],
                replaces: ["proxy"],
                round: "args",
            },
        },
        certificate: {
            shown: {
                first: () => undefined,
                changed: () => ({ pem: pemOf(given().certificates[0]) }),
                shown: async (deployed) => (await deployed.certificate()).issuer,
                expected: (source) =>
                    source === undefined
                        ? "CN=front-end-certificate CA"
                        : new X509Certificate(pemOf(given().certificates[0])).issuer,
                replaces: [],
                round: "profile",
            },
        },
        image: {
            shown: {
                first: () => given().proxyImages[0],
                changed: () => given().proxyImages[1],
                shown: async (deployed) => (await deployed.proxy()).Image,
                expected: (image, deployed) => deployed.imageId(image),
                replaces: ["proxy"],
                round: "args",
            },
        },
        frontEndName: {
            shown: {
                first: () => given().clusterName,
                changed: () => `${given().clusterName}-2`,
                shown: async (deployed) => (await deployed.proxy()).Name,
                expected: (name) => `/${name}-proxy`,
                replaces: ["proxy"],
                round: "args",
                // The previous container holds these until it is removed.
                besides: ({ proxy, ...desired }) => ({
                    ...desired,
                    proxy: {
                        ...proxy,
                        httpPort: given().httpPorts[1],
                        httpsPort: given().httpsPorts[1],
                        publicSubnet: given().publicSubnets[1],
                    },
                }),
            },
        },
        openFiles: {
            shown: {
                first: () => 4096,
                changed: () => 5000,
                shown: async (deployed) => (await deployed.proxy()).HostConfig.Ulimits,
                expected: (limit) => [{ Name: "nofile", Soft: limit, Hard: limit }],
                replaces: ["proxy"],
                round: "args",
            },
        },
        publicSubnet: {
            shown: {
                first: () => given().publicSubnets[0],
                changed: () => given().publicSubnets[1],
                shown: (deployed) => deployed.subnet("public"),
                expected: (subnet) => subnet,
                replaces: ["proxy"],
                round: "args",
            },
        },
        adminNetworks: {
            shown: {
                first: () => ["10.1.0.0/16"],
                changed: () => ["10.2.0.0/16", "10.3.0.0/16"],
                shown: (deployed) => deployed.configured("acl admin_network src "),
                expected: (networks = []) => [networks.join(" ")],
                replaces: [],
                round: "loaded",
            },
        },
        consoleNetworks: {
            shown: {
                first: () => undefined,
                changed: () => ["10.4.0.0/16"],
                shown: (deployed) => deployed.configured("acl console_network src "),
                expected: (networks) => (networks === undefined ? [] : [networks.join(" ")]),
                replaces: [],
                round: "profile",
            },
        },
        trustedProxies: {
            shown: {
                first: () => undefined,
                changed: () => ["10.5.0.0/16", "10.6.0.0/16"],
                shown: async (deployed) => [...new Set(await deployed.configured("acl trusted_proxy src "))],
                expected: (networks) => (networks === undefined ? [] : [networks.join(" ")]),
                replaces: [],
                round: "loaded",
            },
        },
        move: {
            shown: {
                first: () => undefined,
                changed: () => ({ to: ["127.0.0.1:9"] }),
                shown: async (deployed) =>
                    (await deployed.configured("server front-end1 ")).map((server) => server.split(" ")[0]),
                expected: (move) => move?.to ?? [],
                replaces: [],
                round: "loaded",
            },
        },
        proxyProtocol: {
            divided: { into: "trustedProxies.test.ts: with it, this test's own requests would be refused" },
        },
        hstsMaxAge: {
            shown: {
                first: () => 300,
                changed: () => 600,
                shown: async (deployed) => {
                    const { headers } = await deployed.ask(deployed.desired.proxy.s3Host, "/");
                    return headers["strict-transport-security"];
                },
                expected: (seconds) => `max-age=${seconds}`,
                replaces: [],
                round: "loaded",
            },
        },
        proxyNumber: {
            hidden: {
                changed: () => 2,
                because: "the profile trusts no address: test/unit/components/haproxyFrontEnd.test.ts",
            },
        },
        maxConnectionsPerAddress: {
            shown: {
                first: () => 400,
                changed: () => 500,
                shown: (deployed) => deployed.configured("tcp-request connection reject if { sc0_conn_cur gt "),
                expected: (limit) => [`${limit} }`, `${limit} }`],
                replaces: [],
                round: "loaded",
            },
        },
        hardStopAfter: {
            shown: {
                first: () => 3600,
                changed: () => 7200,
                shown: (deployed) => deployed.configured("hard-stop-after "),
                expected: (seconds) => [`${seconds}s`],
                replaces: [],
                round: "loaded",
            },
        },
        accessLog: {
            shown: {
                first: () => "text",
                changed: () => "json",
                shown: async (deployed) =>
                    (await deployed.configured("log-format ")).map((format) => format.slice(0, 5)),
                expected: (accessLog) => [accessLog === "json" ? '"%{+j' : '"%ci:'],
                replaces: [],
                round: "loaded",
            },
        },
        retainCertificates: {
            shown: {
                first: () => true,
                changed: () => false,
                shown: (deployed) => deployed.isProtected("front-end-certificate-ca"),
                expected: (retained) => retained,
                replaces: [],
                round: "loaded",
            },
        },
        labels: {
            shown: {
                first: () => ({ team: "one" }),
                changed: () => ({ team: "two" }),
                shown: async (deployed) => (await deployed.proxy()).Config.Labels["team"],
                expected: (labels) => labels?.["team"],
                replaces: ["proxy"],
                round: "args",
            },
        },
        readyTimeout: { hidden: { changed: () => 90, because: "it is a limit of the update's own" } },
        dockerHost: {
            hidden: {
                changed: testedEngine,
                because: "it is the Docker daemon itself, here the same one by its name",
            },
        },
    };
}

function pemOf({ certificate, issuer, key }: TestCertificate): string {
    return certificate + issuer + key;
}
