import * as pulumi from "@pulumi/pulumi";
import { rustfsProfile, StorageNode, type StorageNodeArgs } from "../../components";
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
