import type { EngineSwarm, SwarmNode } from "../../../../../components/docker/swarm";
import { checkSwarm } from "../../../../../components/hosts/swarm/swarmChecks";
import type { StoreHost } from "../../../../../components/args/hostArgs";
import { changed, hostsNamed, memberOf, nodesOf, OUTSIDE, swarmsOf } from "../../../fakes/mockSwarm";

const THREE = hostsNamed("abc");
const JOIN = "npm run hosts -- join";

type Swarms = Map<string, EngineSwarm | Error>;

/** Problems as text: path, then reason. */
const textOf = (hosts: StoreHost[], swarms: Swarms) =>
    checkSwarm(hosts, swarms).map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);

/** Another node, that of no host's engine. */
const other = (id: string, changes: Partial<SwarmNode>): SwarmNode => ({
    ...(nodesOf("z")[0] as SwarmNode),
    id,
    ...changes,
});

test.each<[string, StoreHost[], SwarmNode[]]>([
    ["three managers", THREE, nodesOf("ABC")],
    ["three managers, and a worker", hostsNamed("abcd"), nodesOf("ABCd")],
    ["two hosts with one manager", hostsNamed("ab"), nodesOf("Ab")],
    [
        "nodes of another stack",
        THREE,
        [...nodesOf("ABC"), other("node-z", { host: "z", address: "10.0.0.9", status: "down" })],
    ],
    ["managers of another stack alone, and one here", THREE, [...nodesOf("Abc"), ...nodesOf("123XY").slice(3)]],
    ["a host that was just unknown to a new leader", THREE, changed(nodesOf("ABC"), { b: { status: "unknown" } })],
    ["a leader that sees itself at 0.0.0.0", THREE, changed(nodesOf("ABC"), { a: { address: "0.0.0.0" } })],
])("%s: no problem", (_name, hosts, nodes) => {
    const swarms = swarmsOf(hosts, nodes);
    swarms.forEach((swarm, name) => {
        const host = hosts.find((one) => one.name === name);
        swarms.set(name, { ...(swarm as EngineSwarm), address: host?.address });
    });
    expect(textOf(hosts, swarms)).toEqual([]);
});

test("an engine that was just started, and looks for a leader, is no problem", () => {
    const nodes = nodesOf("ABCd");
    const [, , , d] = nodes as [SwarmNode, SwarmNode, SwarmNode, SwarmNode];
    const hosts = hostsNamed("abcd");
    const pending: EngineSwarm = { ...memberOf(nodes, d), state: "pending" };
    expect(textOf(hosts, swarmsOf(hosts, nodes, { d: pending }))).toEqual([]);
});

const ABC = nodesOf("ABC");
const [A, B, C] = ABC as [SwarmNode, SwarmNode, SwarmNode];

test.each<[string, Swarms, string[]]>([
    [
        "a Docker daemon that doesn't answer",
        swarmsOf(THREE, ABC, { b: new Error("Docker doesn't answer at ssh://b (timeout): start it") }),
        [
            'hosts[1].dockerHost: "b": Docker doesn\'t answer at ssh://b (timeout): start it; to test it: docker -H ssh://b version',
        ],
    ],
    [
        "a host in no swarm",
        swarmsOf(THREE, nodesOf("AB")),
        [
            `hosts[2]: "c" is in no swarm: ${JOIN} makes it a member; by hand: docker -H ssh://c swarm join --advertise-addr 10.0.0.3 ` +
                "--listen-addr 10.0.0.3:2377 --data-path-addr 10.0.0.3 --token $(docker -H ssh://a swarm join-token -q worker) 10.0.0.1:2377",
        ],
    ],
    [
        "no swarm at all",
        swarmsOf(THREE.slice(0, 2), []),
        [
            `hosts[0]: "a" is in no swarm: ${JOIN} makes it a member; by hand: docker -H ssh://a swarm init --advertise-addr 10.0.0.1 ` +
                "--listen-addr 10.0.0.1:2377 --data-path-addr 10.0.0.1",
            expect.stringMatching(
                /^hosts\[1\]: .* --token \$\(docker -H ssh:\/\/a swarm join-token -q worker\) 10\.0\.0\.1:2377$/,
            ),
        ],
    ],
    [
        "a host that is still joining",
        swarmsOf(THREE, nodesOf("AB"), { c: { ...OUTSIDE, state: "pending", address: "10.0.0.3" } }),
        [
            'hosts[2]: "c" tries to join a swarm whose managers don\'t answer: TCP 2377, TCP and UDP 7946 and UDP 4789 must be open ' +
                `between the hosts; to start over: docker -H ssh://c swarm leave, then ${JOIN}`,
        ],
    ],
    [
        "a locked host",
        swarmsOf(THREE, changed(ABC, { b: { status: "down", isReachable: false } }), {
            b: { ...OUTSIDE, state: "locked" },
        }),
        [
            'hosts[1]: "b" is locked since its Docker daemon was restarted: docker -H ssh://b swarm unlock, ' +
                "with the key that docker -H ssh://a swarm unlock-key shows",
        ],
    ],
    [
        "a Docker daemon that failed",
        swarmsOf(THREE, ABC, { b: { ...OUTSIDE, state: "error", error: "certificate has expired" } }),
        [
            expect.stringMatching(
                /^hosts\[1\]: "b" can't take part in its swarm \(certificate has expired\): .* swarm leave --force/,
            ),
        ],
    ],
    [
        "a host in another swarm",
        swarmsOf(THREE, nodesOf("AB"), { c: memberOf([C], C, "other") }),
        [
            'hosts[2]: "c" is in another swarm (other) than "a" (swarm): if nothing else needs its swarm: ' +
                `docker -H ssh://c swarm leave --force, then ${JOIN}`,
        ],
    ],
    [
        "a worker of another swarm",
        swarmsOf(THREE, nodesOf("AB"), { c: memberOf(nodesOf("xYc"), { ...C, isManager: false }) }),
        [
            expect.stringMatching(
                /^hosts\[2\]: "c" is in another swarm \(node node-c\) than "a" .* docker -H ssh:\/\/c swarm leave, then/,
            ),
        ],
    ],
    [
        "a host that the managers have removed",
        swarmsOf(THREE, nodesOf("AB"), { c: memberOf([A, B, C], { ...C, isManager: false }) }),
        [
            `hosts[2]: "c" isn't a member any more: the managers have removed its node node-c: docker -H ssh://c swarm leave, then ${JOIN}`,
        ],
    ],
    [
        "a host that is down",
        swarmsOf(THREE, changed(ABC, { c: { status: "down" } })),
        [
            expect.stringMatching(
                /^hosts\[2\]: "c" is down for the managers, though its Docker daemon answers: .*; docker -H ssh:\/\/a node inspect node-c shows more$/,
            ),
        ],
    ],
    [
        "hosts that are drained or paused",
        swarmsOf(THREE, changed(ABC, { b: { availability: "drain" }, c: { availability: "pause" } })),
        [
            "hosts[1]: \"b\" has the availability drain, so its containers can't be connected to the swarm's networks: " +
                "docker -H ssh://a node update --availability active node-b",
            expect.stringMatching(/^hosts\[2\]: "c" has the availability pause, .* --availability active node-c$/),
        ],
    ],
    [
        "another advertised address",
        swarmsOf(THREE, ABC, { b: { ...memberOf(ABC, B), address: "10.0.0.9" } }),
        [
            'hosts[1].address: "10.0.0.2" is not the address that "b" advertises in the swarm, 10.0.0.9: set it to 10.0.0.9, ' +
                "or make it advertise this one: docker -H ssh://a node demote node-b, then docker -H ssh://b swarm leave, " +
                `then ${JOIN}`,
        ],
    ],
    [
        "an advertised address that isn't the host's",
        swarmsOf(THREE, changed(nodesOf("ABc"), { c: { address: "10.0.0.9" } }), {
            c: memberOf(ABC, { ...C, isManager: false }),
        }),
        [
            'hosts[2].address: "10.0.0.3" is not the address from which the managers hear from "c", 10.0.0.9, so data may not ' +
                `reach it: set it to 10.0.0.9, then docker -H ssh://c swarm leave, then ${JOIN}`,
            expect.stringMatching(/^hosts: the swarm has 2 managers/),
        ],
    ],
    [
        "a missing label",
        swarmsOf(THREE, changed(ABC, { b: { host: undefined } })),
        [
            `hosts[1].name: "b" is not on its node as label object-store.host: ${JOIN} sets it; by hand: ` +
                "docker -H ssh://a node update --label-add object-store.host=b node-b",
        ],
    ],
    [
        "another name",
        swarmsOf(THREE, changed(ABC, { b: { host: "rack" } })),
        [
            'hosts[1].name: "b" has another name in the swarm, "rack": set name to "rack", or, if no other stack and no data use ' +
                "that name: docker -H ssh://a node update --label-add object-store.host=b node-b",
        ],
    ],
    [
        "two hosts with one Docker daemon",
        swarmsOf(THREE, ABC, { c: memberOf(ABC, B) }),
        [
            'hosts[2].dockerHost: "ssh://c" is the Docker daemon of hosts[1] too, node node-b: give each host its own; ' +
                "docker -H ssh://c info shows which one this is",
        ],
    ],
    [
        "a node from before the host joined again",
        swarmsOf(THREE, [...ABC, other("old", { address: "10.0.0.3", host: "c", status: "down", isManager: true })]),
        [
            'hosts[2]: "c" has another node in the swarm, old (10.0.0.3, down), from before its Docker daemon joined again or was replaced, ' +
                "which keeps its addresses in networks: docker -H ssh://a node demote old, then docker -H ssh://a node rm old",
        ],
    ],
    [
        "a living node with the name of a host",
        swarmsOf(THREE, [...ABC, other("alien", { address: "10.0.0.9", host: "c" })]),
        [
            'hosts[2]: "c" has another node in the swarm, alien (10.0.0.9, ready): if that is another machine, set another name or ' +
                "address here; if it is this one from before it left the swarm: docker -H ssh://a node rm --force alien",
        ],
    ],
])("%s", (_name, swarms, problems) => {
    expect(
        textOf(
            THREE.filter(({ name }) => swarms.has(name)),
            swarms,
        ),
    ).toEqual(problems);
});

test("all problems are reported at once", () => {
    const nodes = changed(nodesOf("Ab"), { b: { availability: "drain", host: "x" } });
    const problems = checkSwarm(hostsNamed("abcd"), swarmsOf(hostsNamed("abcd"), nodes, { d: new Error("gone") }));
    expect(problems.map(({ propertyPath }) => propertyPath)).toEqual([
        "hosts[1]",
        "hosts[1].name",
        "hosts[2]",
        "hosts[3].dockerHost",
        "hosts",
    ]);
});

test("commands select an engine with TLS as its host does", () => {
    const [first, ...rest] = THREE as [StoreHost, StoreHost, StoreHost];
    const hosts = [{ ...first, dockerHost: "tcp://a:2376", certPath: "/tls/a" }, ...rest];
    expect(textOf(hosts, swarmsOf(hosts, changed(ABC, { b: { availability: "pause" } })))).toEqual([
        expect.stringContaining("DOCKER_CERT_PATH=/tls/a docker --tlsverify -H tcp://a:2376 node update"),
    ]);
});
