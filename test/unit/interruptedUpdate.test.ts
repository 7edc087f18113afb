import type Docker from "dockerode";
import { LABELS } from "../../components/naming/labels";
import type { PendingOperation, StateResource } from "../../tools/pulumi/stackState";
import { refuseUnknownContainers, settleInterruptedUpdate } from "../../tools/update/interruptedUpdate";

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

const pending = (type: "creating" | "deleting", ...resources: StateResource[]): PendingOperation[] =>
    resources.map((of) => ({ type, resource: of }));

interface ContainerThere {
    id: string;
    name: string;
    labels: { [label: string]: string };
    /** Ids of the networks that it is connected to. */
    networks?: string[];
}

/**
 * An engine with the resources of an interrupted update, with the requests that the tests need. `null` is its answer
 * for missing labels.
 */
class FakeDocker {
    containers: ContainerThere[] = [];
    networks: { Id: string; Name: string; Labels: { [label: string]: string } | null }[] = [];
    volumes: { Name: string; Labels: { [label: string]: string } | null }[] = [];
    /** Status codes of its answers to the removal of a container, or to its stop. */
    refusals: { stop?: number; remove?: number } = {};
    readonly done: string[] = [];

    listContainers({ filters }: { filters?: { network: string[] } } = {}) {
        const [network] = filters?.network ?? [];
        return Promise.resolve(
            this.containers
                .filter(({ networks = [] }) => network === undefined || networks.includes(network))
                .map(({ id, name, labels }) => ({ Id: id, Names: [`/${name}`], Labels: labels })),
        );
    }

    listNetworks() {
        return Promise.resolve(this.networks);
    }

    listVolumes() {
        return Promise.resolve({ Volumes: this.volumes });
    }

    getContainer(id: string) {
        const answer = (action: "stop" | "remove", options: unknown) => {
            this.done.push(`${action} ${id} ${JSON.stringify(options)}`);
            const statusCode = this.refusals[action];
            if (action === "remove") {
                this.containers = this.containers.filter((container) => container.id !== id);
            }
            return statusCode === undefined
                ? Promise.resolve()
                : Promise.reject(Object.assign(new Error(`refused by ${statusCode}`), { statusCode }));
        };
        return {
            stop: (options: unknown) => answer("stop", options),
            remove: (options: unknown) => answer("remove", options),
        };
    }

    getNetwork(id: string) {
        return {
            remove: () => {
                this.done.push(`remove network ${id}`);
                return Promise.resolve();
            },
        };
    }
}

const settle = (docker: FakeDocker, operations: PendingOperation[], resources: StateResource[] = []) =>
    settleInterruptedUpdate(docker as unknown as Docker, { resources, pending: operations });

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
        await expect(refuseUnknownContainers(docker as unknown as Docker, state, "store")).rejects.toThrow(
            /store-node2[^]*docker stop store-node2 && docker rm store-node2/,
        );
    });
});
