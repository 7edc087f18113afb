import { createServer, type AddressInfo } from "node:net";
import { checkContainerLimits } from "../../../../components/args/containerLimits";
import { checkSubnet } from "../../../../components/checks/inputChecks";
import type { EngineInfo, EngineNetwork, FolderMount, PublishedPort } from "../../../../components/docker/model";
import { checkDriveFolders } from "../../../../components/requirements/drivePathChecks";
import { hostId } from "../../../../components/docker/hostIds";
import { LABELS } from "../../../../components/naming/labels";
import { checkLimits, limitsWithoutEffect } from "../../../../components/requirements/limitChecks";
import { ipv6RoutesOf, routesOf, type HostNetwork } from "../../../../components/docker/hostRoutes";
import { checkNetworks } from "../../../../components/requirements/networkChecks";
import { checkIpv6Network } from "../../../../components/requirements/ipv6NetworkChecks";
import { checkPorts } from "../../../../components/requirements/portChecks";
import type { Problem } from "../../../../components/checks/problem";
import { localHost } from "../../../../components/docker/localHost";
import { ENGINE_INFO as ENGINE } from "../../fakes/askedEngines";
import { mockHost, type HostContent } from "../../fakes/mockHost";

const wantedAt = (paths: string[]) => ({
    folders: paths.map((path, index) => ({ propertyPath: `drivePaths[0][${index}]`, path })),
    allowOneDevice: true,
    clusterName: "new",
    stackName: "project/stack",
    formatFile: ".rustfs.sys/format.json",
});
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

describe("ports", () => {
    const wanted = (publishAddress: string) => ({
        ports: [{ propertyPath: "httpsPort", port: 443 }],
        publishAddress,
        addressProperty: publishAddress.includes(":") ? "publishIpv6Address" : "publishAddress",
        proxyName: "store-proxy",
    });
    const own = (address: string): PublishedPort => ({ container: "store-proxy", address, port: 443 });
    const refusals = async (publishAddress: string, published: PublishedPort[], ...listeners: string[]) =>
        textOf(await checkPorts(wanted(publishAddress), published, mockHost({ listeners })));

    test("an address that doesn't belong to this host is refused, also while the proxy publishes the port on another one", async () => {
        const expected = [
            expect.stringMatching(
                /^publishAddress: "198\.51\.100\.1" is not an address of this host: use one of 127\.0\.0\.1, 192\.0\.2\.2,/,
            ),
        ];
        expect(await refusals("198.51.100.1", [])).toEqual(expected);
        expect(await refusals("198.51.100.1", [own("0.0.0.0")], "0.0.0.0:443")).toEqual(expected);
    });

    test("a port that another program uses on a newly added address is refused", async () => {
        const published = [own("127.0.0.1")];
        const listeners = ["127.0.0.1:443", "192.0.2.2:443"];
        const expected = [
            "httpsPort: 443 is taken by another program on 192.0.2.2: stop that program, or set another port",
        ];
        expect(await refusals("0.0.0.0", published, ...listeners)).toEqual(expected);
        expect(await refusals("192.0.2.2", published, ...listeners)).toEqual(expected);
    });

    test.each([
        ["127.0.0.1", "127.0.0.1"],
        ["127.0.0.1", "0.0.0.0"],
        ["0.0.0.0", "127.0.0.1"],
        ["0.0.0.0", "0.0.0.0"],
    ])("from %s to %s, without another user of the port, is no conflict", async (before, after) => {
        expect(await refusals(after, [own(before)], `${before}:443`)).toEqual([]);
    });

    test("every IPv6 address is no IPv4 address", async () => {
        const other = { container: "other", address: "0.0.0.0", port: 443 };
        expect(await refusals("::", [other])).toEqual([]);
        expect(await refusals("::", [{ ...other, address: "2001:db8::1" }])).toEqual([
            "httpsPort: 443 is taken by the container other: stop that one, or give another port",
        ]);
        expect(await refusals("2001:db8::2", [])).toEqual([
            expect.stringMatching(/^publishIpv6Address: "2001:db8::2" is not an address of this host: use one of /),
        ]);
    });

    test("a host without IPv6 is refused", async () => {
        const host = { ...mockHost({}), refusalToListen: () => Promise.resolve("EAFNOSUPPORT") };
        expect(textOf(await checkPorts(wanted("::"), [], host))).toEqual([
            expect.stringMatching(/^publishIpv6Address: "::" can't be listened on: this host has no IPv6/),
        ]);
    });

    test("of this host are tested for IPv4 and IPv6 alone", async () => {
        const other = createServer();
        const port = await new Promise<number>((resolve) =>
            other.listen(0, "0.0.0.0", () => resolve((other.address() as AddressInfo).port)),
        );
        expect(await localHost.refusalToListen(port, "0.0.0.0")).toBe("EADDRINUSE");
        expect(await localHost.refusalToListen(port, "::")).toBeUndefined();
        await new Promise((resolve) => other.close(resolve));
    });

    test("another container's port is refused, also on a remote host", async () => {
        const published = [{ container: "other", address: "0.0.0.0", port: 443 }];
        const problems = await checkPorts(wanted("127.0.0.1"), published);
        expect(textOf(problems)).toEqual([
            "httpsPort: 443 is taken by the container other: stop that one, or give another port",
        ]);
    });
});

describe("limits", () => {
    test.each([0.001, 0, -1, NaN, 0.1 + 0.2])("%s CPUs are refused", (cpus) => {
        expect(checkContainerLimits({ cpus })).toHaveLength(1);
    });

    test("that the engine and its kernel don't support are refused", async () => {
        const host = mockHost({ files: { "/proc/sys/fs/nr_open": "4096\n" } });
        expect(textOf(await checkLimits({ cpus: 64, openFiles: 20000 }, ENGINE, host))).toEqual([
            "cpus: 64 is not allowed: the Docker daemon has 2 CPUs. Give a number from 0.01 to 2",
            expect.stringMatching(/^openFiles: 20000 is not allowed: this host's kernel allows 4096/),
        ]);
        expect(await checkLimits({ cpus: 2, openFiles: 4096 }, ENGINE, host)).toEqual([]);
        expect(await checkLimits({ openFiles: 20000 }, ENGINE)).toEqual([]);
    });

    test("without an effect are named: those that are set, and that the engine can't limit", () => {
        const limits = { memory: 512, cpus: 1, openFiles: 4096 };
        expect(limitsWithoutEffect(limits, ENGINE)).toEqual([]);
        const none = { ...ENGINE, limitsMemory: false, limitsCpus: false, hasControlGroups: false };
        expect(limitsWithoutEffect(limits, none)).toEqual(["memory", "cpus"]);
        expect(limitsWithoutEffect(limits, { ...none, limitsCpus: true })).toEqual(["memory"]);
        expect(limitsWithoutEffect({ openFiles: 4096 }, none)).toEqual([]);
    });

    test("of CPUs are refused where control groups lack them, and the engine would refuse the container", async () => {
        const undelegated = { ...ENGINE, limitsCpus: false };
        expect(limitsWithoutEffect({ cpus: 1 }, undelegated)).toEqual([]);
        expect(textOf(await checkLimits({ cpus: 1 }, undelegated))).toEqual([
            expect.stringMatching(/^cpus: 1 is not allowed: .* delegate the controller cpu/),
        ]);
        expect(await checkLimits({ memory: 512 }, undelegated)).toEqual([]);
        expect(await checkLimits({ cpus: 1 }, { ...undelegated, hasControlGroups: false })).toEqual([]);
    });
});

describe("folders of drives", () => {
    const HOST: HostContent = {
        folders: {
            "/": { entries: ["mnt"] },
            "/home": { entries: [] },
            "/mnt": { entries: ["a"] },
            "/mnt/a": { entries: ["lost+found"] },
            "/mnt/a/b": { entries: [] },
            "/mnt/b": { entries: [".rustfs.sys", "bucket"] },
            "/mnt/photos": { entries: ["2024"] },
            "/mnt/pictures": { entries: ["2024", "2025", "2026", "index"] },
            "/mnt/other": { entries: [".rustfs.sys"] },
            "/var/lib/docker": { entries: [] },
            "/var/lib/docker/drives": { entries: [] },
            "/usr/local/drive": { entries: [] },
        },
        links: { "/mnt/link": "/mnt/a", "/drives/system": "/home" },
    };
    const volumes = [
        { name: "store-pool1-node1-drive1", labels: { [LABELS.cluster]: "store" }, hostPath: "/mnt/photos" },
        { name: "other-pool1-node1-drive1", labels: { [LABELS.cluster]: "other" }, hostPath: "/mnt/other" },
    ];
    const refusals = async (
        paths: string[],
        more: Partial<typeof ENGINE> = {},
        elsewhere = false,
        mounts: FolderMount[] = [],
    ) => {
        return textOf(
            await checkDriveFolders(
                wantedAt(paths),
                { ...ENGINE, ...more },
                volumes,
                mounts,
                elsewhere ? undefined : mockHost(HOST),
            ),
        );
    };

    test.each(["/", "/home", "/mnt", "/mnt/.", "/usr/local/drive"])("%s is a system folder", async (path) => {
        expect(await refusals([path])).toEqual([expect.stringContaining(`"${path}"`)]);
        expect(await refusals([path])).toEqual([expect.stringContaining("is a folder of the system")]);
        expect(await refusals([path], {}, true)).toEqual([expect.stringContaining("is a folder of the system")]);
    });

    test("a system folder behind a link is detected", async () => {
        expect(await refusals(["/drives/system"])).toEqual([
            expect.stringContaining('"/drives/system" (/home) is a folder of the system'),
        ]);
    });

    test("inside and above the engine's data folder", async () => {
        expect(await refusals(["/var/lib/docker/drives"])).toEqual([
            expect.stringContaining("the Docker daemon's own data"),
        ]);
        expect(await refusals(["/mnt/a"], { dataFolder: "/mnt/a/docker" })).toEqual([
            expect.stringContaining("the Docker daemon's own data folder"),
        ]);
    });

    test("files that no store wrote", async () => {
        expect(await refusals(["/mnt/pictures"])).toEqual([
            expect.stringMatching(
                /"\/mnt\/pictures" holds 4 file\(s\) that no store wrote \("2024", "2025", "2026" …\)/,
            ),
        ]);
    });

    test("one folder inside another, and the same one through a link", async () => {
        expect(await refusals(["/mnt/a", "/mnt/a/b"])).toEqual([
            expect.stringMatching(/^drivePaths\[0\]\[1\]: .*overlap, since one contains the other/),
        ]);
        expect(await refusals(["/mnt/a/b", "/mnt/a"])).toEqual([
            expect.stringContaining("overlap, since one contains the other"),
        ]);
        expect(await refusals(["/mnt/a", "/mnt/link"])).toEqual([
            expect.stringContaining('"/mnt/link" (/mnt/a) is the same folder as "/mnt/a" of drivePaths[0][0]'),
        ]);
        expect(await refusals(["/mnt/x/y", "/mnt/x"], {}, true)).toEqual([
            expect.stringContaining("overlap, since one contains the other"),
        ]);
    });

    test("the drive of another store of the same deployment, through a link", async () => {
        const ofOtherStores = [{ propertyPath: "drivePaths[0][0]", path: "/mnt/a" }];
        const wanted = { ...wantedAt(["/mnt/link"]), ofOtherStores };
        expect(textOf(await checkDriveFolders(wanted, ENGINE, volumes, [], mockHost(HOST)))).toEqual([
            expect.stringContaining('"/mnt/link" (/mnt/a) is the same folder as "/mnt/a" of drivePaths[0][0]'),
        ]);
        expect(await checkDriveFolders({ ...wanted, ofOtherStores: [] }, ENGINE, volumes, [], mockHost(HOST))).toEqual(
            [],
        );
    });

    test("another stack's drive", async () => {
        expect(await refusals(["/mnt/other"])).toEqual([
            expect.stringContaining("the folder of the volume other-pool1-node1-drive1"),
        ]);
    });

    test.each([
        ["itself", "/mnt/b", "/mnt/b"],
        ["a folder above it", "/mnt/a/b", "/mnt/a"],
        ["a folder in it", "/mnt/b", "/mnt/b/bucket"],
        ["itself, behind a link", "/mnt/link", "/mnt/a"],
        ["itself, by a link", "/mnt/link", "/mnt/link"],
    ])("a running container has %s", async (_, path, mounted) => {
        const mounts = [{ container: "minio", path: mounted }];
        for (const elsewhere of [false, true]) {
            const found = await refusals([path], {}, elsewhere, mounts);
            // Links are resolved on this host only.
            expect(found).toEqual(
                elsewhere && path !== mounted && path === "/mnt/link"
                    ? []
                    : [expect.stringContaining("is in use by minio: stop that first")],
            );
        }
    });

    test("a running container with a folder of the system, or of another drive, is none's store", async () => {
        const mounts = ["/", "/mnt", "/mnt/a/c"].map((path) => ({ container: "agent", path }));
        expect(await refusals(["/mnt/b", "/mnt/a/b"], {}, false, mounts)).toEqual([]);
    });

    test("empty folders, new disks and folders with a store's data are accepted", async () => {
        expect(await refusals(["/mnt/a", "/mnt/b"])).toEqual([]);
    });

    test("if the cluster already has a drive there, nothing is checked again", async () => {
        const wanted = { ...wantedAt(["/mnt/photos/"]), clusterName: "store" };
        const mounts = [{ container: "store-pool1-node1", path: "/mnt/photos" }];
        expect(await checkDriveFolders(wanted, ENGINE, volumes, mounts, mockHost(HOST))).toEqual([]);
    });
});

describe("users and groups of containers on the host", () => {
    const ROOTLESS = { rootless: true, dataFolder: "/home/me/.local/share/docker" };
    const ROOTLESS_ELSEWHERE = { rootless: true, dataFolder: "/home/ldap/docker" };
    const UNSEEN = { rootless: true, dataFolder: "/home/you/docker" };
    const REMAPPED = { remapsUsers: true, dataFolder: "/var/lib/docker/165536.231072" };
    const files = {
        "/etc/passwd": "root:x:0:0::/root:/bin/sh\nme:x:1000:100::/home/me:/bin/sh\n",
        "/etc/subuid": "me:100000:65536\n",
        "/etc/subgid": "me:300000:65536\n",
    };
    const folders = {
        [ROOTLESS.dataFolder]: { owner: 1000, group: 100 },
        [ROOTLESS_ELSEWHERE.dataFolder]: { owner: 70000, group: 70000 },
    };

    test.each<[string, Partial<EngineInfo>, (number | undefined)[]]>([
        ["a Docker daemon of root's", {}, [10001, 0, 10001, 0]],
        ["a rootless one", ROOTLESS, [110000, 1000, 310000, 100]],
        ["one that remaps users", REMAPPED, [175537, 165536, 241073, 231072]],
        ["one that can't be seen into", UNSEEN, [undefined, undefined, undefined, undefined]],
    ])("%s", async (_name, engine, expected) => {
        const host = mockHost({ folders, files });
        const found = (["user", "group"] as const).flatMap((kind) =>
            [10001, 0].map((id) => hostId(kind, id, { ...ENGINE, ...engine }, host)),
        );
        expect(await Promise.all(found)).toEqual(expected);
    });

    test.each<[string, Partial<EngineInfo>, number, number, string | undefined]>([
        ["root's", {}, 0, 0, undefined],
        ["a rootless one's, of its own user", ROOTLESS, 1000, 100, undefined],
        ["a rootless one's, of its containers", ROOTLESS, 110000, 310000, undefined],
        ["a rootless one's, of root", ROOTLESS, 0, 0, "1000:100"],
        ["a rootless one's, of its own user and root's group", ROOTLESS, 1000, 0, "1000:100"],
        ["one's that remaps users, of its containers", REMAPPED, 175537, 241073, undefined],
        ["one's that remaps users, of root", REMAPPED, 0, 0, "165536:231072"],
        ["one's that remaps users, of root's group", REMAPPED, 165536, 0, "165536:231072"],
        ["a rootless one's, whose subordinate users are elsewhere", ROOTLESS_ELSEWHERE, 1001, 1001, undefined],
        ["one's that can't be seen into", UNSEEN, 1000, 1000, undefined],
    ])("a drive's folder on an engine: %s", async (_name, engine, owner, group, needed) => {
        const host = mockHost({ folders: { ...folders, "/mnt/a": { owner, group, entries: [] } }, files });
        const problems = await checkDriveFolders(wantedAt(["/mnt/a"]), { ...ENGINE, ...engine }, [], [], host);
        const refusal = expect.stringMatching(
            new RegExp(
                `^drivePaths\\[0\\]\\[0\\]: "/mnt/a" belongs to user ${owner} and group ${group}, .* sudo chown ${needed} "/mnt/a"$`,
            ),
        ) as string;
        expect(textOf(problems)).toEqual(needed === undefined ? [] : [refusal]);
    });
});
