import { checkProxyHosts, checkStoreHosts } from "../../../../../components/hosts/placement/hostListChecks";
import type { StoreHost } from "../../../../../components/args/hostArgs";
import { PROXY_COUNT } from "../../../../../components/store/topology";

const checkHosts = (hosts: StoreHost[] | undefined, frontEndHosts?: string[]) => [
    ...(hosts === undefined ? [] : checkStoreHosts(hosts)),
    ...checkProxyHosts(hosts, frontEndHosts),
];

const hostsOf = (count: number): StoreHost[] =>
    Array.from({ length: count }, (_, index) => ({
        name: `host${index + 1}`,
        dockerHost: `ssh://root@host${index + 1}.example.com`,
        address: `10.0.0.${index + 1}`,
    }));

const textOf = (hosts: StoreHost[] | undefined, frontEndHosts?: string[]) =>
    checkHosts(hosts, frontEndHosts).map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);

/** Problems of two hosts, the second one with these properties. */
const withSecond = (properties: { [property in keyof StoreHost]?: unknown }) =>
    textOf(hostsOf(2).map((host, index) => (index === 1 ? ({ ...host, ...properties } as StoreHost) : host)));

test.each<[string, StoreHost[] | undefined, string[] | undefined]>([
    ["no hosts", undefined, undefined],
    ["two", hostsOf(2), undefined],
    ["as many as there can be proxies", hostsOf(PROXY_COUNT), undefined],
    ["64, with proxies on some", hostsOf(64), ["host64", "host1"]],
    ["one proxy", hostsOf(3), ["host2"]],
])("%s: no problem", (_name, hosts, frontEndHosts) => {
    expect(textOf(hosts, frontEndHosts)).toEqual([]);
});

test.each([
    [0, /^hosts: 0 hosts are not allowed: give at least 2, .*; for one host leave hosts out$/],
    [1, /^hosts: 1 host is not allowed: give at least 2, each such as \{ name: "a", .*; for one host leave hosts out$/],
])("%i host(s) are too few", (count, problem) => {
    expect(textOf(hostsOf(count))).toEqual([expect.stringMatching(problem)]);
});

test("more than 64 hosts are too many", () => {
    expect(textOf(hostsOf(65), ["host1"])).toEqual(["hosts: 65 hosts are not allowed: give 2 to 64, such as 4"]);
});

test.each(["", "A", "1a", "-a", "a-", "a_b", "a.b", "a".repeat(21), undefined])("the name %j is refused", (name) => {
    expect(withSecond({ name })).toEqual([
        `hosts[1].name: ${name === undefined ? "undefined" : `"${name}"`} is not allowed: lower-case letters, digits ` +
            "and hyphens, 20 characters at most, a letter first and no hyphen last, such as rack1-a",
    ]);
});

test.each(["a", "rack1-a", "a".repeat(20)])("the name %j is allowed", (name) => {
    expect(withSecond({ name })).toEqual([]);
});

test.each([
    "ssh://b",
    "ssh://root@b.example.com:2222",
    "ssh://root@b.example.com/run/user/1000/docker.sock",
    "unix:///run/b.sock",
])("%s is allowed", (dockerHost) => {
    expect(withSecond({ dockerHost })).toEqual([]);
});

test.each(["tcp://b.example.com:2376", "tcp://[2001:db8::1]:2376/"])("%s is allowed with certPath", (dockerHost) => {
    expect(withSecond({ dockerHost, certPath: "/certificates/b" })).toEqual([]);
});

test.each([
    ["b.example.com", /"b\.example\.com" is not a Docker host: give ssh:.*, tcp:.* \(with certPath\) or unix:/],
    ["http://b.example.com:2375", /is not a Docker host/],
    ["npipe:////./pipe/docker_engine", /is not a Docker host/],
    ["ssh://", /is not a Docker host/],
    ["ssh://b example", /is not a Docker host/],
    [undefined, /undefined is not a Docker host/],
    ["unix://run/docker.sock", /give the path of a socket, such as unix:\/\/\/var\/run\/docker\.sock$/],
    ["unix:///", /give the path of a socket/],
    ["ssh:///run/docker.sock", /give a host without a query, such as ssh:\/\/user@a\.example\.com$/],
    ["ssh://b?x=y", /"ssh:\/\/b\?x=y" is not allowed: give a host without a query/],
])("the Docker host %j is refused", (dockerHost, problem) => {
    const [text, ...others] = withSecond({ dockerHost });
    expect(text).toMatch(/^hosts\[1\]\.dockerHost: /);
    expect(text).toMatch(problem);
    expect(others).toEqual([]);
});

test.each(["tcp://b.example.com", "tcp://b:2376/x", "tcp://root@b:2376", "tcp://b:2376?x"])(
    "%s is refused",
    (dockerHost) => {
        expect(withSecond({ dockerHost, certPath: "/certificates/b" })).toEqual([
            `hosts[1].dockerHost: "${dockerHost}" is not allowed: give host and port, without a user or a path, such as ` +
                "tcp://a.example.com:2376",
        ]);
    },
);

test.each([
    "ssh://root:abc@b",
    "ssh://root:a@bc@b",
    "ssh://root:abc@b:99999",
    "tcp://root:abc@b:1",
    "http://root:abc@b:2375",
])("a password is not shown: %s", (dockerHost) => {
    const [text = "", ...others] = withSecond({ dockerHost });
    expect(text).toContain('hosts[1].dockerHost: "');
    expect(text).toContain("[secret]@b");
    expect([text, ...others].join()).not.toMatch(/abc|a@bc/);
});

test.each(["", "b.example.com", "::1", "10.0.0", "10.0.0.256", "010.0.0.2", "10.0.0.2/24", undefined])(
    "%j is not an IPv4 address",
    (address) => {
        expect(withSecond({ address })).toEqual([
            expect.stringMatching(/^hosts\[1\]\.address: .* is not an IPv4 address: .*, such as 192\.168\.10\.11$/),
        ]);
    },
);

test.each([
    ["0.0.0.0", /0\.0\.0\.0\/8, this network/],
    ["127.0.0.1", /127\.0\.0\.0\/8, loopback/],
    ["169.254.1.1", /169\.254\.0\.0\/16, link-local/],
    ["224.0.0.1", /224\.0\.0\.0\/4, multicast/],
    ["255.255.255.255", /240\.0\.0\.0\/4, reserved, and broadcast/],
])("the address %s is refused", (address, purpose) => {
    const [text = "", ...others] = withSecond({ address });
    expect(text.startsWith(`hosts[1].address: "${address}" is not allowed: it belongs to `)).toBe(true);
    expect(text).toMatch(purpose);
    expect(text).toMatch(/, such as 192\.168\.10\.11$/);
    expect(others).toEqual([]);
});

test("certPath belongs to tcp:// alone", () => {
    expect(withSecond({ certPath: "/certificates" })).toEqual([
        'hosts[1].certPath: "/certificates" is only for tcp://: remove it, or set dockerHost to tcp://a.example.com:2376',
    ]);
    expect(withSecond({ dockerHost: "tcp://b:2375" })).toEqual([
        expect.stringMatching(
            /^hosts\[1\]\.certPath: is missing: without it .*tcp:\/\/b:2375.* verifies nobody\. Give a folder with .*, or use ssh:/,
        ),
    ]);
    expect(withSecond({ dockerHost: "tcp://b:2376", certPath: "" })).toEqual([
        expect.stringMatching(/^hosts\[1\]\.certPath: "" is not a folder: give a folder with ca\.pem/),
    ]);
});

test("hosts differ in name, Docker host and address", () => {
    const [first] = hostsOf(1);
    expect(withSecond({ ...first })).toEqual([
        'hosts[1].name: "host1" is that of hosts[0] too: give each host its own, such as b',
        'hosts[1].dockerHost: "ssh://root@host1.example.com" is that of hosts[0] too: give each host its own, such as ssh://user@b.example.com',
        'hosts[1].address: "10.0.0.1" is that of hosts[0] too: give each host its own, such as 192.168.10.12',
    ]);
});

describe("hosts with a proxy", () => {
    const most = "6 of them, since a node network has addresses for 6 proxies";

    test("need hosts", () => {
        expect(textOf(undefined, ["a"])).toEqual([
            'frontEndHosts: ["a"] needs hosts: give at least 2 there, or remove frontEndHosts',
        ]);
    });

    test("must be named if there are more hosts than addresses for proxies", () => {
        expect(textOf(hostsOf(7))).toEqual([
            `frontEndHosts: is missing: with 7 hosts, name those with a proxy, at most ${most}, such as ["host1","host2"]`,
        ]);
    });

    test("are at least one, and at most as many as there are addresses", () => {
        expect(textOf(hostsOf(2), [])).toEqual([
            `frontEndHosts: is empty: name the hosts with a proxy, 1 to ${most}, such as ["host1","host2"]`,
        ]);
        const hosts = hostsOf(7);
        const names = hosts.map(({ name }) => name);
        expect(textOf(hosts, names)).toEqual([
            `frontEndHosts: has 7 names: give at most ${most}, such as ["host1","host2"]`,
        ]);
    });

    test("are hosts, each once", () => {
        expect(textOf(hostsOf(2), ["host1", "hots2", "elsewhere", "host1"])).toEqual([
            'frontEndHosts[1]: "hots2" is not the name of a host: did you mean host2?',
            'frontEndHosts[2]: "elsewhere" is not the name of a host: give one of host1, host2',
            'frontEndHosts[3]: "host1" is named in frontEndHosts[0] already: name each host once, such as ["host1","host2"]',
        ]);
        expect(textOf(hostsOf(2), [1] as unknown as string[])).toEqual([
            "frontEndHosts[0]: 1 is not the name of a host: give one of host1, host2",
        ]);
    });
});

test("all problems are reported at once", () => {
    const hosts = [{ name: "A", dockerHost: "b", address: "127.0.0.1", certPath: "/c" }];
    expect(checkHosts(hosts, ["b"]).map(({ propertyPath }) => propertyPath)).toEqual([
        "hosts",
        "hosts[0].name",
        "hosts[0].dockerHost",
        "hosts[0].address",
        "hosts[0].certPath",
        "frontEndHosts[0]",
    ]);
});
