import type { HostEngine } from "../../../../components/docker/hosts";
import { tableOf } from "../../../../components/hosts/floatingAddress/keepalivedNames";
import { LABELS } from "../../../../components/naming/labels";
import { expectedDeployment, type ExpectedDeployment } from "../../../../tools/stack/expectedDeployment";
import { onlyHost, queryHosts } from "../../../../tools/status/queriedHosts";
import { askForStatus } from "../../../../tools/status/questions";
import { problemsIn } from "../../../../tools/status/report";
import { statusText } from "../../../../tools/status/text";

const NOW = Date.parse("2027-01-01T00:00:00Z");
const LIMITS = { certificateDays: 14, freePercent: 10 };

/** Output of the commands that are run in containers, by the command's beginning. */
const OUTPUTS: [command: RegExp, output: string][] = [
    [
        /^perl -MIO/,
        "object_store_certificate_not_after_seconds 1830297600\nobject_store_certificate_renewal_failures 0\n",
    ],
    [/^stat /, "2049\n"],
    [/^df /, "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 300 100 200 33% /data"],
    [/^timeout .*du /, "7\t/data/drive1\n"],
    [/^ls /, "master.sock\n"],
];

/** What a proxy answers about its servers: a node, and another proxy. */
const SERVERS = [
    "1 worker 0 0d",
    "# be_id be_name srv_id srv_name srv_addr\n3 s3 1 node1 10.0.0.10\n4 acme 1 peer-b 10.0.0.3\n5 acme_peer_b 1 peer-b 10.0.0.3\n",
    "# pxname,svname,scur,status\ns3,node1,0,UP\nacme,peer-b,0,no check\nacme_peer_b,peer-b,0,no check\n",
].join("\0");

/** The engine of a host with these containers. */
function engineWith(...containers: string[]): HostEngine {
    const has = (name: string) => containers.includes(name);
    return {
        health: (name: string) =>
            Promise.resolve({
                state: has(name) ? "running" : "gone",
                health: has(name) ? "healthy" : "none",
                lastCheck: "",
                startedAt: NOW,
            }),
        containers: () =>
            Promise.resolve(
                containers
                    .filter((name) => name.endsWith("proxy"))
                    .map((name) => ({
                        name,
                        id: name,
                        state: "running",
                        imageId: "",
                        labels: {},
                        networks: ["store-nodes"],
                        addresses: { "store-nodes": `10.0.0.2 of ${name}`, other: "" },
                    })),
            ),
        networks: () => Promise.resolve([{ name: "store-nodes", subnet: "10.0.0.0/24" }]),
        run: (container: string, command: string[]) => {
            const line = command.join(" ");
            asked.push(`${container}: ${line.slice(-30)}`);
            const output = OUTPUTS.find(([pattern]) => pattern.test(line))?.[1];
            return Promise.resolve({ code: 0, output: output ?? SERVERS });
        },
    } as unknown as HostEngine;
}

const asked: string[] = [];

const HOSTS = ["a", "b"].map((name) => ({ name, dockerHost: `ssh://${name}`, address: "" }));

const expectedOn = (hosts: { [container: string]: string }): ExpectedDeployment => ({
    nodes: ["node1", "node2"],
    frontEnd: ["a-proxy", "b-proxy"],
    keepalived: [],
    watchdogs: Object.keys(hosts).filter((name) => name.endsWith("-watchdog")),
    nodeNetworks: ["store-nodes"],
    volumes: ["node1", "node2"].map((node) => ({ name: `${node}-drive1`, node, path: "/data/drive1" })),
    clusters: [],
    hosts: new Map(Object.entries(hosts)),
    additionalStores: [],
    outputs: { certificateNotAfter: "2027-06-01T00:00:00Z" },
});

const SPREAD = {
    ...{ node1: "a", node2: "b", "a-proxy": "a", "b-proxy": "b" },
    ...{ "a-watchdog": "a", "b-watchdog": "b" },
};

describe("a deployment over two hosts", () => {
    const engines: { [host: string]: HostEngine } = {
        a: engineWith("node1", "a-proxy", "a-watchdog"),
        b: engineWith("node2", "b-proxy", "b-watchdog"),
    };
    const connectTo =
        (...answering: string[]) =>
        ({ name }: { name: string }) =>
            answering.includes(name)
                ? Promise.resolve(engines[name] as HostEngine)
                : Promise.reject(new Error(`Docker doesn't answer at ssh://${name}`));

    test("is asked for on the hosts of its containers, and the tables name the hosts", async () => {
        const report = await askForStatus(await queryHosts(HOSTS, connectTo("a", "b")), "dev", expectedOn(SPREAD));
        expect(problemsIn(report, LIMITS, NOW)).toEqual([]);
        expect(report.backends.map(({ proxy, server }) => `${server} of ${proxy}`)).toEqual([
            "s3/node1 of a-proxy",
            "s3/node1 of b-proxy",
        ]);
        expect(report.hosts).toEqual([{ name: "a" }, { name: "b" }]);
        expect(report.certificates).toEqual(
            ["a", "b"].map((host) => ({
                notAfter: "2028-01-01T00:00:00.000Z",
                renewalFailures: 0,
                source: "proxy",
                host,
            })),
        );
        expect(asked).toContainEqual(expect.stringMatching(/^b-proxy: .*10\.0\.0\.2 of b-proxy$/));
        const text = statusText(report, [], NOW);
        expect(text).toMatch(
            /^NODE +HOST +STATE +HEALTH +SINCE\nnode1 +a +running +healthy .*\nnode2 +b +running +healthy /m,
        );
        expect(text).toMatch(/^PROXY +HOST .*\na-proxy +a +running /m);
        expect(text).toMatch(
            /^WATCHDOG +HOST .*\na-watchdog +a +running +healthy .*\nb-watchdog +b +running +healthy /m,
        );
        expect(text).toMatch(/ proxy on b$/m);
    });

    test.each([
        ["healthy", 0, []],
        ["starting", 1, ["host a: a-proxy is starting; its last check says: none yet"]],
    ])("a container that the engine calls starting is asked itself: it is %s", async (health, code, problems) => {
        const starting = {
            ...engineWith("node1", "a-proxy", "a-watchdog"),
            health: (name: string) =>
                Promise.resolve({
                    state: "running",
                    health: name === "a-proxy" ? "starting" : "healthy",
                    lastCheck: "none yet",
                    startedAt: NOW,
                }),
            checkHealth: () => Promise.resolve({ code, output: "" }),
        } as unknown as HostEngine;
        const connect = ({ name }: { name: string }) =>
            Promise.resolve(name === "a" ? starting : (engines["b"] ?? starting));
        const report = await askForStatus(await queryHosts(HOSTS, connect), "dev", expectedOn(SPREAD));
        expect(report.frontEnd[0]?.health).toBe(health);
        expect(problemsIn(report, LIMITS, NOW)).toEqual(problems);
    });

    test("a host that doesn't answer is one problem, its containers are unreachable, and the rest is shown", async () => {
        const report = await askForStatus(await queryHosts(HOSTS, connectTo("a")), "dev", expectedOn(SPREAD));
        expect(problemsIn(report, LIMITS, NOW)).toEqual([
            "host b: Docker doesn't answer at ssh://b",
            "host b: the state of node2 isn't known, since its host can't be queried",
            "host b: the state of b-proxy isn't known, since its host can't be queried",
            "host b: the state of b-watchdog isn't known, since its host can't be queried",
        ]);
        expect(report.nodes.map(({ host, state }) => [host, state])).toEqual([
            ["a", "running"],
            ["b", "unreachable"],
        ]);
        expect(report.volumes).toEqual([
            { name: "node1-drive1", node: "node1", usedBytes: 7 * 1024, device: "/dev/sda1 on a" },
            { name: "node2-drive1", node: "node2" },
        ]);
    });

    describe("that has a floating address", () => {
        const ADDRESS = "10.0.0.100";
        const keepalived = ["a", "b"].map((host) => ({ name: `${host}-keepalived`, address: ADDRESS }));
        const withAddress: ExpectedDeployment = {
            ...expectedOn({ ...SPREAD, "a-keepalived": "a", "b-keepalived": "b" }),
            frontEnd: ["a-keepalived", "a-proxy", "b-keepalived", "b-proxy"],
            keepalived,
        };
        /** A host whose interface has these addresses. */
        const hostWith = (name: string, addresses: string[], code = 0): HostEngine => {
            const engine = engineWith(
                ...Object.entries({ ...SPREAD, "a-keepalived": "a", "b-keepalived": "b" })
                    .filter(([, host]) => host === name)
                    .map(([container]) => container),
            );
            const run: HostEngine["run"] = (container, command) =>
                command[0] === "ip"
                    ? Promise.resolve({
                          code,
                          output: addresses.filter((one) => command.includes(`${one}/32`)).join(" "),
                      })
                    : engine.run(container, command);
            return { ...engine, run };
        };
        const reportOf = async (hosts: { [name: string]: HostEngine }) => {
            const connect = ({ name }: { name: string }) =>
                hosts[name] === undefined ? Promise.reject(new Error("no answer")) : Promise.resolve(hosts[name]);
            return askForStatus(await queryHosts(HOSTS, connect), "dev", withAddress);
        };

        test("shows which host has it", async () => {
            const report = await reportOf({ a: hostWith("a", ["10.0.0.1"]), b: hostWith("b", ["10.0.0.2", ADDRESS]) });
            expect(problemsIn(report, LIMITS, NOW)).toEqual([]);
            expect(report.floatingAddress).toEqual([
                { address: ADDRESS, host: "a", keepalived: "a-keepalived", hasAddress: false },
                { address: ADDRESS, host: "b", keepalived: "b-keepalived", hasAddress: true },
            ]);
            expect(statusText(report, [], NOW)).toMatch(
                /^FLOATING ADDRESS +HOST +HAS IT\n10\.0\.0\.100 +a +no\n10\.0\.0\.100 +b +yes$/m,
            );
        });

        test("isn't well if two hosts have it, or none", async () => {
            const both = await reportOf({ a: hostWith("a", [ADDRESS]), b: hostWith("b", [ADDRESS]) });
            expect(problemsIn(both, LIMITS, NOW)).toEqual([
                "hosts a and b have the floating address 10.0.0.100, and only one may have it: open IP protocol 112 between " +
                    "them, so that they hear each other",
            ]);
            const none = await reportOf({ a: hostWith("a", []), b: hostWith("b", []) });
            expect(problemsIn(none, LIMITS, NOW)).toEqual([
                "no host has the floating address 10.0.0.100: docker logs a-keepalived on host a may say why",
            ]);
        });

        test("doesn't claim more than the hosts that answer say", async () => {
            const known = await reportOf({ b: hostWith("b", [ADDRESS]) });
            expect(problemsIn(known, LIMITS, NOW).join("\n")).not.toContain(ADDRESS);
            expect(statusText(known, [], NOW)).toMatch(/^10\.0\.0\.100 +a +\?\n10\.0\.0\.100 +b +yes$/m);
            const unknown = await reportOf({ b: hostWith("b", []) });
            expect(problemsIn(unknown, LIMITS, NOW)).toContainEqual(
                expect.stringMatching(/^no host that can be queried has the floating address 10\.0\.0\.100: /),
            );
            const failing = await reportOf({ a: hostWith("a", [ADDRESS]), b: hostWith("b", [], 127) });
            expect(failing.floatingAddress?.map(({ hasAddress }) => hasAddress)).toEqual([true, undefined]);
            expect(problemsIn(failing, LIMITS, NOW)).toEqual([
                "b-keepalived doesn't say whether its host has 10.0.0.100: exit code 127",
            ]);
        });
    });

    test("a host that the config doesn't name any more is a problem", async () => {
        const queried = await queryHosts(HOSTS, connectTo("a", "b"));
        const report = await askForStatus(queried, "dev", expectedOn({ ...SPREAD, node2: "c" }));
        expect(problemsIn(report, LIMITS, NOW)).toEqual([
            "host c: it has containers, and the config key hosts doesn't name it",
            expect.stringContaining("host c: the state of node2"),
        ]);
    });

    test("a container that is gone from its host is gone, though another host has one of that name", async () => {
        const queried = await queryHosts(HOSTS, connectTo("a", "b"));
        const report = await askForStatus(queried, "dev", expectedOn({ ...SPREAD, node1: "b" }));
        expect(problemsIn(report, LIMITS, NOW)[0]).toBe("host b: node1 is gone: npm run up creates it again");
    });

    test("has no status if no host answers", async () => {
        await expect(queryHosts(HOSTS, connectTo())).rejects.toThrow(/^host a: .*ssh:\/\/a\nhost b: .*ssh:\/\/b$/);
    });

    test("has the hosts of its containers in the state", () => {
        const container = (name: string, host: string) => ({
            urn: `urn:pulumi:dev::store::docker:index/container:Container::${name}`,
            type: "docker:index/container:Container",
            inputs: { name, labels: [{ label: LABELS.node, value: name }] },
            ...{ provider: `urn:pulumi:dev::store::pulumi:providers:docker::store-host-${host}::1b2c` },
        });
        const { nodes, hosts } = expectedDeployment([container("node1", "a"), container("node2", "b")]);
        expect(nodes).toEqual(["node1", "node2"]);
        expect([...hosts]).toEqual([
            ["node1", "a"],
            ["node2", "b"],
        ]);
    });
});

test("keepalived's containers in the state say what the floating address is, unless it is encrypted", () => {
    const container = (name: string, envs: unknown) => ({
        urn: `urn:pulumi:dev::store::docker:index/container:Container::${name}`,
        type: "docker:index/container:Container",
        inputs: { name, labels: [{ label: LABELS.proxy, value: "store" }], envs },
    });
    const { keepalived } = expectedDeployment([
        container("proxy", ["TABLE=other"]),
        container("b-keepalived", ["FOLDER=/run", `TABLE=${tableOf({ address: "10.0.0.100" })}`]),
        container("c-keepalived", { ciphertext: "v1" }),
    ]);
    expect(keepalived).toEqual([{ name: "b-keepalived", address: "10.0.0.100" }]);
});

test("a deployment that names no hosts has no column for them, and no word about them", async () => {
    const queried = onlyHost(engineWith("node1", "node2", "a-proxy", "b-proxy"));
    const report = await askForStatus(queried, "dev", expectedOn({}));
    expect(report).not.toHaveProperty("hosts");
    expect(report.nodes[0]).not.toHaveProperty("host");
    expect(statusText(report, problemsIn(report, LIMITS, NOW), NOW)).not.toMatch(/host/i);
});
