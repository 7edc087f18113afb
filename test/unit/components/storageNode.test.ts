import * as pulumi from "@pulumi/pulumi";
import { rustfsProfile, StorageNode, type StorageNodeArgs } from "../../../components";
import { DockerEngine } from "../../../components/docker/engine";
import type { ListedContainer } from "../../../components/docker/model";
import { hasApi } from "../../../components/docker/engineVersion";
import { LABELS } from "../../../components/naming/labels";
import { ClusterNode, type NodeContext } from "../../../components/node/deployNode";
import { EngineCache } from "../../../components/requirements/engineCache";
import { mockEngine, settled, valueOf } from "../fakes/mockEngine";

const args: StorageNodeArgs = {
    profile: rustfsProfile,
    image: "rustfs/rustfs:1.0.1",
    clusterName: "store",
    networkName: "store-nodes",
    place: {
        name: "store-pool1-node1",
        serverName: "node1",
        address: "10.200.7.10",
        drives: [{ volumeName: "store-drive1", mountPath: "/data/drive1", labels: {} }],
    },
    hosts: [],
    environment: {},
    secretEnvironment: {},
};

/** Plays an engine with a version of the API. @param existing Digest of the inputs of the node's container, if there is one. */
function answerAs(apiVersion: string, existing?: string): void {
    const labels: ListedContainer["labels"] = existing === undefined ? {} : { [LABELS.inputs]: existing };
    const engine: Partial<DockerEngine> = {
        whyUnsupported: () => Promise.resolve(undefined),
        differsFromProvider: () => Promise.resolve(undefined),
        hasStartInterval: () => Promise.resolve(hasApi({ ApiVersion: apiVersion }, 1, 44)),
        containers: () =>
            Promise.resolve(
                existing === undefined ? [] : [{ name: args.place.name, labels } as unknown as ListedContainer],
            ),
        ending: () => Promise.resolve({ code: 0, finishedAt: Infinity }),
    };
    jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
}

afterEach(() => jest.restoreAllMocks());

test("a single node has a drive, its secrets and a container", async () => {
    answerAs("1.43");
    const resources = await mockEngine();
    new StorageNode("node", args);
    await settled(resources);
    expect(resources.map(({ name }) => name).sort()).toEqual(
        [
            "node",
            "node",
            "node-drive1",
            "node-secrets",
            "node-secrets",
            "node-secrets-salt",
            "node-secrets-writer",
        ].sort(),
    );
});

test("a node is refused with every problem at once, before a child is created", async () => {
    const resources = await mockEngine();
    const wrong = { ...args, image: "rustfs/rustfs", place: { ...args.place, address: "node1", drives: [] }, cpus: 0 };
    let failure: unknown;
    try {
        new StorageNode("node", wrong);
    } catch (error) {
        failure = error;
    }
    expect(failure).toBeInstanceOf(pulumi.InputPropertiesError);
    expect((failure as Error).message).toMatch(/place\.address.*\n.*place\.drives.*\n.*image.*\n.*cpus/);
    await settled(resources);
    expect(resources.map(({ name }) => name)).toEqual(["node"]);
});

describe("the health check of a node", () => {
    const CONTRACT = { interval: "10s", timeout: "5s", retries: 5, startPeriod: "30s" };

    const nodeOn = async (apiVersion: string, existing?: string, changed: Partial<StorageNodeArgs> = {}) => {
        answerAs(apiVersion, existing);
        const resources = await mockEngine();
        new StorageNode("node", { ...args, ...changed });
        await settled(resources);
        const { inputs = {} } =
            resources.find(({ name, type }) => name === "node" && type === "docker:index/container:Container") ?? {};
        const list = inputs["labels"] as { label: string; value: string }[];
        const { tests, ...numbers } = inputs["healthcheck"] as { tests: string[]; [name: string]: unknown };
        return { tests, numbers, digest: list.find(({ label }) => label === LABELS.inputs)?.value };
    };

    test("has an interval of its own at the start where the engine knows one; every other number is the contract's", async () => {
        const [older, newer] = [await nodeOn("1.43"), await nodeOn("1.44")];
        expect(older.numbers).toEqual({ ...CONTRACT, startInterval: "0s" });
        expect(newer.numbers).toEqual({ ...CONTRACT, startInterval: "1s" });
        expect(newer.tests).toEqual(older.tests);
    });

    test("becomes the newest one when the container is replaced for another reason", async () => {
        const { digest } = await nodeOn("1.43");
        const { numbers } = await nodeOn("1.44", digest, { memory: 512 });
        expect(numbers).toEqual({ ...CONTRACT, startInterval: "1s" });
    });

    test("isn't changed by an engine that knows more than the one that created the container", async () => {
        const { digest } = await nodeOn("1.43");
        expect((await nodeOn("1.44", digest)).digest).toBe(digest);
    });

    test("isn't changed by an engine that knows less than the one that created the container", async () => {
        const { digest } = await nodeOn("1.44");
        expect((await nodeOn("1.43", digest)).digest).toBe(digest);
    });
});

test("a node's inputs are known although its network isn't there yet, if the network's name is known", async () => {
    answerAs("1.43");
    const resources = await mockEngine(false);
    const networkName = new Promise<string>(() => undefined);
    const context: NodeContext = {
        host: {},
        engines: new EngineCache([{}]),
        allowed: pulumi.output([]),
        plannedNetworkName: args.networkName as string,
    };
    const { inputs } = new ClusterNode("node", { ...args, networkName }, context, pulumi.rootStackResource).deployed;
    expect(await valueOf(inputs)).toMatch(/^[0-9a-f]+$/);
    await settled(resources);
    const containers = resources.filter(({ type }) => type === "docker:index/container:Container");
    expect(containers.map(({ name }) => name)).toEqual(["node-secrets-writer"]);
});
