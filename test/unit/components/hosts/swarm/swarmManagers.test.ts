import type { EngineSwarm, SwarmNode } from "../../../../../components/docker/swarm";
import { checkSwarm } from "../../../../../components/hosts/swarm/swarmChecks";
import type { StoreHost } from "../../../../../components/args/hostArgs";
import { changed, hostsNamed, memberOf, nodesOf, swarmsOf, withoutQuorum } from "../../../fakes/mockSwarm";

const THREE = hostsNamed("abc");
const JOIN = "npm run hosts -- join";

type Swarms = Map<string, EngineSwarm | Error>;

/** Problems as text: path, then reason. */
const textOf = (hosts: StoreHost[], swarms: Swarms) =>
    checkSwarm(hosts, swarms).map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);

/** A member as it reports itself while its swarm has no leader. */
const stuck = (roles: string, name: string) => {
    const nodes = nodesOf(roles);
    return withoutQuorum(memberOf(nodes, nodes.find(({ hostname }) => hostname === name) as SwarmNode));
};

const ABC = nodesOf("ABC");
const [, , C] = ABC as [SwarmNode, SwarmNode, SwarmNode];

test.each<[string, Swarms, string[]]>([
    [
        "too few managers",
        swarmsOf(THREE, nodesOf("Abc")),
        [
            "hosts: the swarm has 1 manager, with 3 hosts it needs 3 or more to survive the loss of one: " +
                `${JOIN} promotes hosts; by hand: docker -H ssh://a node promote node-b node-c`,
        ],
    ],
    [
        "too few managers, because a host is missing",
        swarmsOf(THREE, nodesOf("AB")),
        [expect.stringMatching(/^hosts\[2\]: "c" is in no swarm/)],
    ],
    [
        "fewer managers than the quorum, as the leader sees it",
        swarmsOf(THREE, changed(ABC, { b: { isReachable: false }, c: { isReachable: false } })),
        [
            "hosts: only 1 of the swarm's 3 managers can be reached, 2 are needed to change anything: start the Docker daemons of " +
                "node-b (10.0.0.2), node-c (10.0.0.3); TCP 2377, TCP and UDP 7946 and UDP 4789 must be open between the hosts; " +
                "docker -H ssh://a node ls shows them",
        ],
    ],
    [
        "no quorum",
        swarmsOf(THREE, [], {
            a: stuck("ABC", "a"),
            b: { ...stuck("ABC", "b"), state: "pending" },
            c: new Error("gone"),
        }),
        [
            expect.stringMatching(/^hosts\[2\]\.dockerHost: "c": gone/),
            "hosts: too few of the swarm's managers (10.0.0.1:2377, 10.0.0.2:2377, 10.0.0.3:2377) reach each other, so nothing in it " +
                "can be changed: start their Docker daemons; TCP 2377, TCP and UDP 7946 and UDP 4789 must be open between the hosts. " +
                "If the others are lost for good: docker -H ssh://a swarm init --force-new-cluster --advertise-addr 10.0.0.1, " +
                `then ${JOIN}`,
        ],
    ],
    [
        "another swarm, while the first has no quorum",
        swarmsOf(THREE, [], { a: stuck("AB", "a"), b: stuck("AB", "b"), c: memberOf([C], C, "other") }),
        [
            expect.stringMatching(/^hosts\[2\]: "c" is in another swarm \(other\)/),
            expect.stringMatching(/^hosts: too few of/),
        ],
    ],
    [
        "no manager among the hosts",
        swarmsOf(
            THREE,
            [],
            Object.fromEntries(nodesOf("abcXY").map((node) => [node.hostname, memberOf(nodesOf("abcXY"), node)])),
        ),
        [
            "hosts: no host is a manager of the swarm, so its nodes can't be listed: on one of its managers " +
                "(10.0.0.4:2377, 10.0.0.5:2377) docker node promote node-a node-b node-c",
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
