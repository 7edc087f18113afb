import { checkSubnet } from "../../../../components/checks/inputChecks";
import type { EngineNetwork } from "../../../../components/docker/model";
import { ipv6RoutesOf, routesOf, type HostNetwork } from "../../../../components/docker/hostRoutes";
import { checkNetworks } from "../../../../components/requirements/networkChecks";
import { checkIpv6Network } from "../../../../components/requirements/ipv6NetworkChecks";
import type { Problem } from "../../../../components/checks/problem";

const textOf = (problems: Problem[]) => problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);

describe("networks", () => {
    const engineNetwork = (name: string, subnet: string): EngineNetwork => ({
        name,
        subnet,
        gateway: "",
        internal: false,
        driver: "bridge",
        encrypted: false,
        labels: {},
    });
    const wanted = [{ name: "store-nodes", propertyPath: "subnet", subnet: "10.200.7.0/24" }];
    const route = (name: string, subnet: string): HostNetwork => ({ interface: name, subnet });

    test("that the host already reaches are refused, with the interface and the property", () => {
        expect(
            textOf(checkNetworks(wanted, [], [route("tun0", "10.0.0.0/8"), route("tun0", "10.200.0.0/16")])),
        ).toEqual([
            expect.stringMatching(
                /^subnet: "10\.200\.7\.0\/24" overlaps with 10\.200\.0\.0\/16, which this host reaches through its interface tun0: .* Set subnet to an unused network$/,
            ),
        ]);
    });

    test.each<[string, EngineNetwork[], HostNetwork[]]>([
        ["the host's are elsewhere", [], [route("eth0", "192.0.2.2/24")]],
        [
            "the network is there already",
            [engineNetwork("store-nodes", "10.200.7.0/24")],
            [route("eth0", "10.0.0.0/8")],
        ],
        [
            "it is a bridge of the Docker daemon's own, which the update replaces",
            [engineNetwork("store-nodes", "10.200.7.0/25")],
            [route("br-1", "10.200.7.1/25")],
        ],
    ])("%s: no refusal", (_name, present, ofHost) => {
        expect(checkNetworks(wanted, present, ofHost)).toEqual([]);
    });

    test("whose names others have are refused, all at once and with overlaps; their own aren't", () => {
        const owner = { propertyPath: "clusterName", label: "owner", name: "store" };
        const both = [
            ...wanted.map((one) => ({ ...one, owner })),
            {
                name: "media-nodes",
                propertyPath: "subnet",
                subnet: "10.200.8.0/24",
                owner: { ...owner, name: "media" },
            },
        ];
        const present = (labels: EngineNetwork["labels"], driver = "bridge") => [
            { ...engineNetwork("store-nodes", "10.9.0.0/24"), labels, driver },
            { ...engineNetwork("media-nodes", "10.200.7.0/24"), labels: { owner: "store" } },
        ];
        const ofMedia = expect.stringMatching(
            /^clusterName: "media" needs a Docker network media-nodes, and one of that name exists/,
        ) as string;
        expect(textOf(checkNetworks(both, present({}), []))).toEqual([
            expect.stringMatching(
                /^clusterName: "store" needs a Docker network store-nodes, and one of that name exists that isn't of this/,
            ),
            ofMedia,
        ]);
        for (const own of [present({ owner: "store" }), present({}, "overlay")]) {
            expect(textOf(checkNetworks(both, own, []))).toEqual([ofMedia]);
        }
    });

    test("of the engine are refused as before", () => {
        expect(textOf(checkNetworks(wanted, [engineNetwork("other", "10.200.0.0/16")], []))).toEqual([
            expect.stringContaining('"10.200.7.0/24" overlaps with 10.200.0.0/16 of the Docker network other'),
        ]);
    });

    test("are refused with a network that is unused", () => {
        const used = [engineNetwork("other", "10.200.0.0/16"), engineNetwork("one", "10.201.0.0/24")];
        expect(textOf(checkNetworks(wanted, used, [route("tun0", "10.201.1.0/24")]))).toEqual([
            expect.stringMatching(/Docker network other: give another, such as 10\.201\.2\.0\/24$/),
        ]);
        expect(textOf(checkNetworks(wanted, [], [route("tun0", "10.0.0.0/8")]))).toEqual([
            expect.stringMatching(/Set subnet to an unused network$/),
        ]);
        const both = [...wanted, { name: "store-public", propertyPath: "publicSubnet", subnet: "10.200.8.0/24" }];
        expect(textOf(checkNetworks(both, used, []))).toEqual([
            expect.stringMatching(/^subnet: .* such as 10\.201\.1\.0\/24$/),
            expect.stringMatching(/^publicSubnet: .* such as 10\.201\.2\.0\/24$/),
        ]);
    });

    test("are read from routes, except the default route, halves of it, and unreachable ones", () => {
        const table = [
            "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
            "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
            "tun0\t00000080\t010200C0\t0003\t0\t0\t0\t00000080\t0\t0\t0",
            "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
            "tun0\t0000C80A\t00000000\t0001\t0\t0\t0\t0000F8FF\t0\t0\t0",
            "*\t0000000A\t00000000\t0201\t0\t0\t0\t000000FF\t0\t0\t0",
            "",
        ].join("\n");
        expect(routesOf(table)).toEqual([route("eth0", "192.0.2.0/24"), route("tun0", "10.200.0.0/13")]);
    });

    test("by IPv6 are read from the kernel's routes, without loopback, link-local and default routes", () => {
        const line = (destination: string, length: string, flags: string, name: string) =>
            `${destination} ${length} ${"0".repeat(32)} 00 ${"0".repeat(32)} 00000100 00000001 00000000 ${flags} ${name}`;
        const table = [
            line("20010db8000000010000000000000000", "40", "00000001", "eth0"),
            line("fe800000000000000000000000000000", "40", "00000001", "eth0"),
            line("ff000000000000000000000000000000", "08", "00000001", "eth0"),
            line("00000000000000000000000000000000", "00", "00000003", "eth0"),
            line("00000000000000000000000000000001", "80", "80200001", "lo"),
            line("fd120000000000000000000000000000", "30", "00000201", "tun0"),
            line("fd130000000000000000000000000000", "30", "00000003", "tun0"),
        ];
        expect(ipv6RoutesOf(`${table.join("\n")}\n`)).toEqual([
            route("eth0", "2001:db8:0:1::/64"),
            route("tun0", "fd13::/48"),
        ]);
    });

    test("by IPv6 that the engine or the host has already are refused", () => {
        const network = { name: "store-public", propertyPath: "publicIpv6Subnet", subnet: "fd12:0:0:1::/64" };
        const present = { name: "other", subnet: "fd12::/48" };
        const bridge = route("br-1", "fd12::/48");
        expect(textOf(checkIpv6Network(network, [present], [bridge]))).toEqual([
            'publicIpv6Subnet: "fd12:0:0:1::/64" overlaps with fd12::/48 of the Docker network other: give another',
        ]);
        expect(textOf(checkIpv6Network(network, [], [route("eth0", "fd12::/32")]))).toEqual([
            expect.stringMatching(
                /^publicIpv6Subnet: "fd12:0:0:1::\/64" overlaps with fd12::\/32, which this host reaches through its interface eth0/,
            ),
        ]);
        const own = { name: "store-public", subnet: "fd12:0:0:1::/64" };
        expect(checkIpv6Network(network, [own], [route("br-2", own.subnet)])).toEqual([]);
    });

    test.each([
        ["10.0.0.5/24", 'subnet: "10.0.0.5/24" is an address in a network, not the network: use 10.0.0.0/24'],
        ["127.1.0.0/24", /belongs to 127\.0\.0\.0\/8, loopback\. Use a private network/],
        ["224.0.1.0/24", /belongs to 224\.0\.0\.0\/4, multicast/],
        ["0.1.0.0/24", /belongs to 0\.0\.0\.0\/8/],
        ["250.0.0.0/24", /belongs to 240\.0\.0\.0\/4/],
        ["169.254.7.0/24", /belongs to 169\.254\.0\.0\/16, link-local/],
    ])("%s is refused", (subnet, reason) => {
        expect(textOf(checkSubnet("subnet", subnet, 16, 26))).toEqual([
            typeof reason === "string" ? reason : expect.stringMatching(reason),
        ]);
    });
});
