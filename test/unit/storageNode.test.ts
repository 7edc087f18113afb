import * as pulumi from "@pulumi/pulumi";
import { rustfsProfile, StorageNode, type StorageNodeArgs } from "../../components";
import { DockerEngine } from "../../components/engine/dockerEngine";
import { hasApi } from "../../components/engine/engineVersion";
import { LABELS } from "../../components/naming/labels";
import { mockEngine, settled } from "./mockEngine";

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

test("a single node has a drive, its secrets and a container", async () => {
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

describe("the health check of a node that starts", () => {
    afterEach(() => jest.restoreAllMocks());

    const nodeOn = async (version: string) => {
        const engine: Partial<DockerEngine> = {
            hasStartInterval: () => Promise.resolve(hasApi({ ApiVersion: version }, 1, 44)),
        };
        jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
        const resources = await mockEngine();
        new StorageNode("node", args);
        await settled(resources);
        const { inputs } =
            resources.find(({ name, type }) => name === "node" && type === "docker:index/container:Container") ?? {};
        const labels = inputs?.["labels"] as { label: string; value: string }[];
        return {
            healthcheck: inputs?.["healthcheck"] as { [name: string]: unknown },
            digest: labels.find(({ label }) => label === LABELS.inputs)?.value,
        };
    };

    test("has an interval of its own where the engine supports one; every other number is the contract's", async () => {
        const older = await nodeOn("1.43");
        const newer = await nodeOn("1.44");
        expect(older.healthcheck).toMatchObject({
            interval: "10s",
            timeout: "5s",
            retries: 5,
            startPeriod: "30s",
            startInterval: "0s",
        });
        expect(newer.healthcheck).toEqual({ ...older.healthcheck, startInterval: "1s" });
    });

    test("doesn't replace a node that an earlier version deployed", async () => {
        expect((await nodeOn("1.44")).digest).toBe((await nodeOn("1.43")).digest);
    });
});
