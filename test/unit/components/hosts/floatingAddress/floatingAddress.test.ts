import "../../../fakes/noHostAsked";
import { ObjectStore, type FloatingAddressArgs, type ObjectStoreArgs } from "../../../../../components";
import { renderKeepalivedConfig } from "../../../../../components/hosts/floatingAddress/keepalivedConfig";
import { ProxyTurns } from "../../../../../components/hosts/floatingAddress/proxyOrder";
import { checkDeployment } from "../../../../../components/deployment";
import { partsOf } from "../../../../../components/settings/deploymentSettings";
import * as pulumi from "@pulumi/pulumi";
import { HOSTS } from "../../../fakes/threeHosts";
import { mockEngine, settled, valueOf, type RegisteredResource } from "../../../fakes/mockEngine";

const FLOATING: FloatingAddressArgs = { address: "10.0.0.100", image: "registry.example.com/keepalived:2.3.4" };

const ARGS: ObjectStoreArgs = {
    s3Host: "s3.example.com",
    consoleHost: "console.example.com",
    hosts: HOSTS,
    nodeCount: 3,
    floatingAddress: FLOATING,
};

describe("the checks of a floating address", () => {
    const problemsOf = (args: Partial<ObjectStoreArgs>, floating: Partial<FloatingAddressArgs> = {}) => {
        const all = { ...ARGS, ...args, floatingAddress: { ...FLOATING, ...floating } };
        const { problems } = checkDeployment(all, partsOf("store", all));
        return problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);
    };

    beforeAll(() => mockEngine());

    test("accept a free address of the hosts' network", () => {
        expect(problemsOf({})).toEqual([]);
        expect(problemsOf({ publishAddress: "0.0.0.0" }, { routerId: 255 })).toEqual([]);
    });

    test.each<[string, Partial<ObjectStoreArgs>, Partial<FloatingAddressArgs>, RegExp]>([
        [
            "a name",
            {},
            { address: "store.example.com" },
            /^floatingAddress.address: "store.example.com" is not an IPv4 address: give a free/,
        ],
        ["IPv6", {}, { address: "fd00::1" }, /^floatingAddress.address: "fd00::1" is not an IPv4 address/],
        ["loopback", {}, { address: "127.0.0.2" }, /it belongs to 127.0.0.0\/8, loopback: give a free/],
        [
            "a host's own address",
            {},
            { address: "10.0.0.2" },
            /^floatingAddress.address: "10.0.0.2" is hosts\[1\].address, which stays/,
        ],
        [
            "an address of the node network",
            { subnet: "10.201.0.0/24" },
            { address: "10.201.0.9" },
            /^floatingAddress.address: "10.201.0.9" belongs to 10.201.0.0\/24, the node network, which no client reaches/,
        ],
        [
            "an address of a public network",
            { publicSubnet: "10.202.0.0/24" },
            { address: "10.202.0.9" },
            /^floatingAddress.address: "10.202.0.9" belongs to 10.202.0.0\/24, the public network of host a, which/,
        ],
        ["one proxy", { frontEndHosts: ["b"] }, {}, /^floatingAddress: "10.0.0.100" needs two proxies at least/],
        [
            "ports on another address",
            { publishAddress: "10.0.0.1" },
            {},
            /^publishAddress: "10.0.0.1" is not allowed with floatingAddress/,
        ],
        [
            "an image without a version",
            {},
            { image: "keepalived" },
            /^floatingAddress.image: "keepalived" names no version/,
        ],
        [
            "the PROXY protocol",
            { trustedProxies: ["10.0.0.9/32"], proxyProtocol: "required" },
            {},
            /^proxyProtocol: and floatingAddress exclude each other/,
        ],
        ["no image", {}, { image: undefined }, /^floatingAddress.image: is missing: give an image with keepalived/],
        [
            "a router's number",
            {},
            { routerId: 256 },
            /^floatingAddress.routerId: 256 is not allowed: give an integer from 1 to 255/,
        ],
    ])("refuse %s", (_, args, floating, problem) => {
        expect(problemsOf(args, floating)).toEqual([expect.stringMatching(problem)]);
    });

    test("refuse one host", () => {
        expect(problemsOf({ hosts: undefined, nodeCount: 1 })).toEqual([
            'floatingAddress: "10.0.0.100" needs hosts: give at least 2 there, or remove floatingAddress',
        ]);
    });
});

test("keepalived's configuration for one of three hosts", () => {
    const [a, b, c] = HOSTS.map(({ name, address }) => ({ name, address }));
    if (a === undefined || b === undefined || c === undefined) {
        throw new Error("there are three hosts");
    }
    const text = renderKeepalivedConfig({
        address: "10.0.0.100",
        routerId: 100,
        host: b,
        hosts: [a, b, c],
        check: "/usr/bin/check",
        atEnd: "/usr/bin/end",
    });
    const lines = text.split("\n").map((line) => line.trim());
    expect(lines).toEqual(
        expect.arrayContaining([
            "vrrp_version 3",
            "nopreempt",
            "state BACKUP",
            "interface INTERFACE",
            "virtual_router_id 100",
            "priority 190",
            "advert_int 0.5",
            "unicast_src_ip 10.0.0.2",
            "10.0.0.100/32 dev INTERFACE",
            'script "/usr/bin/check"',
            'shutdown_script "/usr/bin/end"',
        ]),
    );
    expect(lines.slice(lines.indexOf("unicast_peer {") + 1).slice(0, 3)).toEqual(["10.0.0.1", "10.0.0.3", "}"]);
});

describe("a store with a floating address", () => {
    let resources: RegisteredResource[];
    const containers = () => resources.filter(({ type }) => type === "docker:index/container:Container");

    beforeAll(async () => {
        resources = await mockEngine();
        new ObjectStore("store", ARGS);
        await settled(resources);
    });

    test("has keepalived on each host with a proxy, with no more rights than it needs", () => {
        const found = containers().filter(({ name }) => name.endsWith("-keepalived"));
        expect(found.map(({ inputs }) => inputs["name"])).toEqual([
            "store-a-keepalived",
            "store-b-keepalived",
            "store-c-keepalived",
        ]);
        for (const { inputs } of found) {
            expect(inputs).toMatchObject({
                image: "sha256:registry.example.com/keepalived:2.3.4",
                networkMode: "host",
                readOnly: true,
                restart: "unless-stopped",
                capabilities: { adds: ["CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_SETGID"], drops: ["ALL"] },
                securityOpts: ["no-new-privileges:true"],
            });
            expect(inputs["ports"]).toBeUndefined();
        }
    });

    test("gives each the checks of its own host's proxy", () => {
        const [, second] = containers().filter(({ name }) => name.endsWith("-keepalived"));
        const environment = (second?.inputs["envs"] as string[]).join("\n");
        expect(environment).toContain("HOST_ADDRESS=10.0.0.2\n");
        expect(environment).toContain("check.pl 10.0.0.2 80 ");
        expect(environment).toContain("virtual_router_id 100\n");
    });
});

test("a store without one has no keepalived, and the same containers as before", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", { ...ARGS, floatingAddress: undefined });
    await settled(resources);
    expect(resources.filter(({ name }) => name.includes("keepalived"))).toEqual([]);
});

describe("the turns of proxies", () => {
    /** Runs the turns of three hosts. Returns the order in which they began. */
    async function orderWith(holders: string[]): Promise<string[]> {
        await mockEngine(false);
        const turns = new ProxyTurns(["a", "b", "c"], () => Promise.resolve(holders));
        const begun: string[] = [];
        const ends = ["a", "b", "c"].map((name) => {
            const turn = turns.turnOf(name).apply(async () => {
                begun.push(`${name} begins`);
                await new Promise((resolve) => setTimeout(resolve, 10));
                begun.push(`${name} ends`);
            });
            turns.endWith(name, turn);
            return turn;
        });
        await valueOf(pulumi.all(ends));
        return begun;
    }

    test.each([
        [[], ["a", "b", "c"]],
        [["a"], ["b", "c", "a"]],
        [["c"], ["a", "b", "c"]],
        [
            ["a", "b"],
            ["c", "a", "b"],
        ],
    ])("with the address on %j: in the order %j, one after the other", async (holders, order) => {
        expect(await orderWith(holders)).toEqual(order.flatMap((name) => [`${name} begins`, `${name} ends`]));
    });
});
