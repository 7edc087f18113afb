import type Docker from "dockerode";
import type { EngineSwarm, SwarmNode } from "../../../../components/docker/swarm";
import type { StoreHost } from "../../../../components/args/hostArgs";
import { membershipPlan } from "../../../../tools/hosts/membershipPlan";
import { removalProblems } from "../../../../tools/hosts/removalChecks";
import { carryOut, readSwarms } from "../../../../tools/hosts/swarmMembership";
import type { PendingOperation, StateResource } from "../../../../tools/pulumi/stackState";
import { refuseOtherStacksHosts } from "../../../../tools/down/removedStack";
import { changed, hostsNamed, memberOf, nodesOf, OUTSIDE, swarmsOf, withoutQuorum } from "../../fakes/mockSwarm";
import { VirtualClock } from "../../fakes/virtualClock";
import { VirtualSwarm } from "../../fakes/virtualSwarm";

const THREE = hostsNamed("abc");
const ABC = nodesOf("ABC");
const [A, B, C] = ABC as [SwarmNode, SwarmNode, SwarmNode];

describe("a removal from hosts", () => {
    test.each<[string, StoreHost[], Map<string, EngineSwarm | Error>]>([
        ["that are a swarm", THREE, swarmsOf(THREE, ABC)],
        [
            "that are in the state only, without addresses",
            THREE.map((host) => ({ ...host, address: "" })),
            swarmsOf(THREE, ABC),
        ],
        ["with fewer managers than a deployment needs", THREE, swarmsOf(THREE, nodesOf("Abc"))],
        [
            "that are drained, or down for the managers",
            THREE,
            swarmsOf(THREE, changed(ABC, { b: { availability: "drain" }, c: { status: "down" } })),
        ],
        ["at other addresses", THREE, swarmsOf(THREE, changed(ABC, { b: { address: "10.0.9.9" } }))],
    ])("%s is possible", (_, hosts, swarms) => {
        expect(removalProblems(hosts, swarms)).toEqual([]);
    });

    test.each<[string, Map<string, EngineSwarm | Error>, string[]]>([
        [
            "a Docker daemon in no swarm",
            swarmsOf(THREE, nodesOf("AB")),
            ['host c: "ssh://c" is a Docker daemon in no swarm'],
        ],
        [
            "a Docker daemon of another swarm, with the names of this one",
            swarmsOf(THREE, ABC, { c: memberOf([C], C, "other") }),
            ['host c: "ssh://c" is a Docker daemon of another swarm than that of host a'],
        ],
        [
            "the Docker daemon of another host",
            swarmsOf(THREE, ABC, { b: memberOf(ABC, A) }),
            ['host b: "ssh://b" is the Docker daemon of host a too'],
        ],
        [
            "Docker daemons that are interchanged",
            swarmsOf(THREE, ABC, { b: memberOf(ABC, C), c: memberOf(ABC, B) }),
            ['host b: its node in the swarm has the name "c"', 'host c: its node in the swarm has the name "b"'],
        ],
        [
            "a node without a name",
            swarmsOf(THREE, changed(ABC, { b: { host: undefined } })),
            ["host b: its node in the swarm has no name of a host"],
        ],
        [
            "a Docker daemon whose node was removed",
            swarmsOf(THREE, nodesOf("AB"), { c: memberOf(ABC, { ...C, isManager: false }) }),
            ['host c: "ssh://c" is a Docker daemon whose node the swarm\'s managers have removed'],
        ],
        [
            "Docker daemons that take no part",
            swarmsOf(THREE, nodesOf("A"), {
                b: { ...OUTSIDE, state: "locked" },
                c: { ...OUTSIDE, state: "error", error: "certificate has expired" },
            }),
            [
                "host b: its swarm is locked",
                "host c: its Docker daemon takes no part in its swarm (certificate has expired)",
            ],
        ],
        ["a Docker daemon that stops answering", swarmsOf(THREE, ABC, { b: new Error("gone") }), ["host b: gone"]],
        [
            "a host that has joined the swarm again, and whose former node is still listed",
            swarmsOf(THREE, [...ABC, { ...C, id: "node-former", status: "down" }]),
            [
                "host c: a former node of it, node-former, keeps the network in use: docker -H ssh://a node demote node-former, " +
                    "then docker -H ssh://a node rm --force node-former",
            ],
        ],
        [
            "too few managers",
            swarmsOf(THREE, changed(ABC, { b: { isReachable: false }, c: { isReachable: false } })),
            ["only 1 of the swarm's 3 managers can be reached"],
        ],
        [
            "no quorum",
            swarmsOf(
                THREE,
                ABC,
                Object.fromEntries(ABC.map((node) => [node.hostname, withoutQuorum(memberOf(ABC, node))])),
            ),
            ["no host is a manager of the swarm that can reach enough of the others"],
        ],
    ])("is refused for %s", (_, swarms, problems) => {
        expect(removalProblems(THREE, swarms)).toEqual(problems);
    });
});

describe("before anything is removed", () => {
    const swarm = new VirtualSwarm();
    const provider = (host: string) => ({
        provider: `urn:pulumi:prod::store::pulumi:providers:docker::store-host-${host}::1b2c`,
    });
    const network = (id: string): StateResource => ({
        urn: "urn:pulumi:prod::store::docker:index/network:Network::nodes",
        type: "docker:index/network:Network",
        id,
        inputs: { name: "store-nodes" },
        ...provider("a"),
    });
    const targetWith = async (
        networks: { Id: string; Name: string }[],
        at: (host: StoreHost) => StoreHost = (host) => host,
    ) => ({
        hosts: THREE,
        engines: await Promise.all(
            THREE.map(async (host) => ({
                name: host.name,
                command: "",
                docker: Object.assign(await swarm.engine(at(host)), {
                    listNetworks: () => Promise.resolve(networks),
                } as unknown as Docker),
            })),
        ),
    });
    const removal = async (networks: { Id: string; Name: string }[], pending: PendingOperation[] = []) =>
        refuseOtherStacksHosts(await targetWith(networks), "prod", { resources: [network("n1")], pending });

    beforeAll(async () => {
        const dependencies = {
            engine: (host: StoreHost) => swarm.engine(host),
            print: () => undefined,
            clock: new VirtualClock(),
        };
        await carryOut(membershipPlan(THREE, await readSwarms(THREE, dependencies.engine)), dependencies);
    });

    test("the stack's own network is accepted, one that is gone, and one that an interrupted update was creating", async () => {
        await expect(removal([{ Id: "n1", Name: "store-nodes" }])).resolves.toBeUndefined();
        await expect(removal([{ Id: "n2", Name: "other" }])).resolves.toBeUndefined();
        const begun = [{ type: "creating", resource: network("") }];
        await expect(removal([{ Id: "n2", Name: "store-nodes" }], begun)).resolves.toBeUndefined();
    });

    test("a network of the same name that isn't the stack's is refused: all addresses may lead to another swarm", async () => {
        await expect(removal([{ Id: "n2", Name: "store-nodes" }])).rejects.toThrow(
            /^nothing was removed, since the hosts don't match the stack prod:\n {4}host a: the network store-nodes there isn't/,
        );
    });

    test("an address that leads to another host is refused, with the command that shows more", async () => {
        const [a] = THREE as [StoreHost];
        const target = await targetWith([], (host) => (host.name === "b" ? a : host));
        await expect(refuseOtherStacksHosts(target, "prod", { resources: [], pending: [] })).rejects.toThrow(
            /host b: "ssh:\/\/b" is the Docker daemon of host a too\n.*npm run hosts -- status --stack prod/,
        );
    });

    test("a stack that names no hosts is not asked", async () => {
        await expect(
            refuseOtherStacksHosts({ engines: [] }, "prod", { resources: [], pending: [] }),
        ).resolves.toBeUndefined();
    });
});
