import type Docker from "dockerode";
import { STORE_COMPONENT } from "../../../../config/stackConfig";
import { LABELS } from "../../../../components/naming/labels";
import type { StackEngine } from "../../../../tools/stack/stackEngines";
import type { PendingOperation, StateResource } from "../../../../tools/pulumi/stackState";
import { refuseUnknownContainers, recoverInterruptedUpdate } from "../../../../tools/stack/interruptedUpdate";
import { FakeDocker } from "../../fakes/fakeDocker";

/** A label that the update would have set on the new resource. */
const OWNER = { label: LABELS.cluster, value: "store" };
const OWNED = { [OWNER.label]: OWNER.value };

const TYPES = {
    container: "docker:index/container:Container",
    network: "docker:index/network:Network",
    volume: "docker:index/volume:Volume",
};

const resource = (kind: keyof typeof TYPES, name: string, id?: string): StateResource => ({
    urn: `urn:pulumi:dev::store::${TYPES[kind]}::${name}`,
    type: TYPES[kind],
    inputs: { name, labels: [OWNER] },
    ...(id === undefined ? {} : { id }),
});

/** The same resource on a host. */
const onHost = (host: string, of: StateResource): StateResource => ({
    ...of,
    ...{ provider: `urn:pulumi:dev::store::pulumi:providers:docker::${STORE_COMPONENT}-host-${host}::1b2c` },
});

const pending = (type: "creating" | "deleting", ...resources: StateResource[]): PendingOperation[] =>
    resources.map((of) => ({ type, resource: of }));

const engineOf = (docker: FakeDocker, name?: string): StackEngine => ({
    name,
    docker: docker as unknown as Docker,
    command: name === undefined ? "docker" : `docker -H ssh://${name}`,
});

const settle = (docker: FakeDocker, operations: PendingOperation[], resources: StateResource[] = []) =>
    recoverInterruptedUpdate([engineOf(docker)], { resources, pending: operations });

describe("after an update that was killed", () => {
    let docker: FakeDocker;

    beforeEach(() => {
        docker = new FakeDocker();
        // Lists what was removed.
        jest.spyOn(console, "log").mockImplementation(() => undefined);
        jest.spyOn(process.stdout, "write").mockImplementation(() => true);
    });

    afterEach(() => jest.restoreAllMocks());

    test("containers in creation or removal are stopped and removed without their volumes; then networks are removed", async () => {
        docker.containers = [
            { id: "made", name: "store-node1", labels: OWNED },
            { id: "going", name: "store-node2-old", labels: OWNED },
            { id: "known", name: "store-node3", labels: OWNED },
        ];
        docker.networks = [{ Id: "n1", Name: "store-nodes", Labels: OWNED }];
        const operations = [
            ...pending("creating", resource("container", "store-node1"), resource("network", "store-nodes")),
            ...pending("deleting", resource("container", "store-node2", "going")),
        ];
        expect(await settle(docker, operations, [resource("container", "store-node3", "known")])).toBe(true);
        expect(docker.containers.map(({ id }) => id)).toEqual(["known"]);
        expect(docker.done).toHaveLength(5);
        expect(docker.done.filter((line) => line.startsWith("remove") && line.includes("{"))).toEqual([
            expect.stringContaining('"v":false'),
            expect.stringContaining('"v":false'),
        ]);
        expect(docker.done.at(-1)).toBe("remove network n1");
    });

    test.each([
        ["network", { networks: [{ Id: "n1", Name: "store-nodes", Labels: null }] }, "store-nodes"],
        ["network", { networks: [{ Id: "n1", Name: "store-nodes", Labels: {} }] }, "store-nodes"],
        ["volume", { volumes: [{ Name: "store-drive1", Labels: null }] }, "store-drive1"],
        ["volume", { volumes: [{ Name: "store-drive1", Labels: { [OWNER.label]: "other" } }] }, "store-drive1"],
        ["container", { containers: [{ id: "c1", name: "store-node1", labels: {} }] }, "store-node1"],
    ] as const)("a foreign %s is refused, and nothing is changed: %j", async (kind, there, name) => {
        Object.assign(docker, there);
        await expect(settle(docker, pending("creating", resource(kind, name)))).rejects.toThrow(
            new RegExp(`lacks its labels:\\n.*${kind} ${name}[^]*Nothing was touched`),
        );
        expect(docker.done).toEqual([]);
    });

    test("a network that containers use is refused with their names, and kept", async () => {
        docker.networks = [{ Id: "n1", Name: "store-nodes", Labels: OWNED }];
        docker.containers = [{ id: "c1", name: "client", labels: {}, networks: ["n1"] }];
        await expect(settle(docker, pending("creating", resource("network", "store-nodes")))).rejects.toThrow(
            /network store-nodes was left[^]*client[^]*docker network disconnect/,
        );
        expect(docker.done).toEqual([]);
    });

    test.each([
        ["has stopped already", { stop: 304 }],
        ["is gone", { stop: 404, remove: 404 }],
        ["is being removed by somebody else", { remove: 409 }],
    ])("a container that %s is no error", async (_, refusals) => {
        docker.containers = [{ id: "c1", name: "store-node1", labels: OWNED }];
        docker.refusals = refusals;
        await settle(docker, pending("creating", resource("container", "store-node1")));
        expect(docker.done).toHaveLength(2);
    });

    test("another error of the engine ends it, and the pending operations stay for the next run", async () => {
        docker.containers = [{ id: "c1", name: "store-node1", labels: OWNED }];
        docker.refusals = { stop: 500 };
        await expect(settle(docker, pending("creating", resource("container", "store-node1")))).rejects.toThrow(
            "refused by 500",
        );
    });

    test("a volume in creation is kept", async () => {
        docker.volumes = [{ Name: "store-drive1", Labels: OWNED }];
        expect(await settle(docker, pending("creating", resource("volume", "store-drive1")))).toBe(true);
        expect(docker.done).toEqual([]);
    });

    test.each([
        ["is missing", [], true],
        ["is there", [{ id: "known", name: "store-node1", labels: OWNED }], false],
    ])("the state is refreshed from the engine if a container in the state %s", async (_, containers, compared) => {
        docker.containers = containers;
        expect(await settle(docker, [], [resource("container", "store-node1", "known")])).toBe(compared);
    });

    test("containers of the cluster that aren't in the state are refused, with the command that removes them", async () => {
        docker.containers = [
            { id: "known", name: "store-node1", labels: OWNED },
            { id: "other", name: "store-node2", labels: OWNED },
            { id: "foreign", name: "unrelated", labels: {} },
        ];
        const state = { resources: [resource("container", "store-node1", "known")], pending: [] };
        await expect(refuseUnknownContainers([engineOf(docker)], state, "store")).rejects.toThrow(
            /store-node2[^]*docker stop store-node2 && docker rm store-node2/,
        );
    });

    describe("of a store over two hosts", () => {
        let other: FakeDocker;

        beforeEach(() => (other = new FakeDocker()));

        const engines = () => [engineOf(docker, "a"), engineOf(other, "b")];
        const settleBoth = (operations: PendingOperation[], resources: StateResource[] = []) =>
            recoverInterruptedUpdate(engines(), { resources, pending: operations });
        const printed = () => jest.mocked(console.log).mock.calls.flat().join("\n");

        test("containers are removed on their own hosts; what has their names on another host stays", async () => {
            docker.containers = [{ id: "a1", name: "store-node1", labels: OWNED }];
            other.containers = [
                { id: "b1", name: "store-node1", labels: {} },
                { id: "b2", name: "store-node2", labels: OWNED },
                { id: "b3", name: "store-node3-old", labels: OWNED },
            ];
            const operations = [
                ...pending(
                    "creating",
                    onHost("a", resource("container", "store-node1")),
                    onHost("b", resource("container", "store-node2")),
                ),
                ...pending("deleting", onHost("b", resource("container", "store-node3", "b3"))),
            ];
            expect(await settleBoth(operations)).toBe(true);
            expect(docker.containers).toEqual([]);
            expect(other.containers.map(({ id }) => id)).toEqual(["b1"]);
            expect(printed()).toMatch(/container store-node1 on host a\n[^]*container store-node2 on host b/);
        });

        test("a network over both is removed once, by the host that was asked to create it", async () => {
            docker.networks = [{ Id: "n1", Name: "store-nodes", Labels: OWNED }];
            other.networks = [
                { Id: "n1", Name: "store-nodes", Labels: OWNED },
                { Id: "n2", Name: "store-egress", Labels: OWNED },
            ];
            const operations = pending(
                "creating",
                onHost("a", resource("network", "store-nodes")),
                onHost("a", resource("network", "store-egress")),
                onHost("b", resource("network", "store-egress")),
            );
            await settleBoth(operations);
            expect(docker.done).toEqual(["remove network n1"]);
            expect(other.done).toEqual(["remove network n2"]);
        });

        test("a network over both is kept while a container on any of them uses it, which is named", async () => {
            docker.networks = [{ Id: "n1", Name: "store-nodes", Labels: OWNED }];
            other.networks = docker.networks;
            other.containers = [{ id: "c1", name: "client", labels: {}, networks: ["n1"] }];
            await expect(
                settleBoth(pending("creating", onHost("a", resource("network", "store-nodes")))),
            ).rejects.toThrow(/network store-nodes on host a was left[^]*host b: client/);
            expect([...docker.done, ...other.done]).toEqual([]);
        });

        test("what isn't the stack's is refused with its host, and nothing is changed on any", async () => {
            docker.containers = [{ id: "a1", name: "store-node1", labels: OWNED }];
            other.volumes = [{ Name: "store-drive2", Labels: null }];
            const operations = pending(
                "creating",
                onHost("a", resource("container", "store-node1")),
                onHost("b", resource("volume", "store-drive2")),
            );
            await expect(settleBoth(operations)).rejects.toThrow(
                /on its hosts lacks its labels:\n.*volume store-drive2 on host b/,
            );
            expect([...docker.done, ...other.done]).toEqual([]);
        });

        test.each([
            ["is on its host", "b", "a2", false],
            ["is only on another host", "a", "a2", true],
            ["is on a host that the config doesn't name, which is refused elsewhere", "c", "c1", false],
        ])("a container in the state that %s: the state is refreshed: %#", async (_, host, id, compared) => {
            other.containers = [{ id: "a2", name: "store-node2", labels: OWNED }];
            expect(await settleBoth([], [onHost(host, resource("container", "store-node2", id))])).toBe(compared);
        });

        test("what was begun on a host that is down is left alone", async () => {
            const operations = pending("creating", onHost("c", resource("container", "store-node3")));
            docker.containers = [{ id: "a3", name: "store-node3", labels: OWNED }];
            expect(await settleBoth(operations)).toBe(false);
            expect(docker.done).toEqual([]);
        });

        test("unknown containers of the cluster and of the hosts' proxies are refused, with a command for each host", async () => {
            const proxy = (name: string) => ({ [LABELS.proxy]: name });
            docker.containers = [{ id: "a1", name: "store-node9", labels: OWNED }];
            other.containers = [
                { id: "b1", name: "store-b-proxy", labels: proxy("store-b") },
                { id: "b2", name: "store-bb-proxy", labels: proxy("store-bb") },
            ];
            const refused = refuseUnknownContainers(engines(), { resources: [], pending: [] }, "store");
            await expect(refused).rejects.toThrow(
                /on its hosts that[^]*host a: store-node9\n *host b: store-b-proxy\n/,
            );
            await expect(refused).rejects.toThrow(
                /docker -H ssh:\/\/b stop store-b-proxy && docker -H ssh:\/\/b rm store-b-proxy$/,
            );
        });
    });
});
