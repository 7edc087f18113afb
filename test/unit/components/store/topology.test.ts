import { formsErasureSets, layOut } from "../../../../components/store/topology";

const base = { clusterName: "store", profileName: "rustfs", subnet: "10.200.7.0/24", labels: {} };

test("one node with one drive is a path", () => {
    const { nodes, volumes } = layOut({ ...base, pools: [{ nodeCount: 1 }] });
    expect(volumes).toBe("/data/drive1");
    expect(nodes).toEqual([
        {
            name: "store-pool1-node1",
            serverName: "node1",
            address: "10.200.7.10",
            drives: [
                {
                    volumeName: "store-pool1-node1-drive1",
                    mountPath: "/data/drive1",
                    hostPath: undefined,
                    labels: {
                        "docker-object-store.cluster": "store",
                        "docker-object-store.profile": "rustfs",
                        "docker-object-store.pool": "1",
                        "docker-object-store.node": "1",
                        "docker-object-store.drive": "1",
                        "docker-object-store.nodes-in-pool": "1",
                        "docker-object-store.drives-per-node": "1",
                    },
                },
            ],
        },
    ]);
});

test("several drives of one node are a range of paths", () => {
    expect(layOut({ ...base, pools: [{ nodeCount: 1, drivesPerNode: 4 }] }).volumes).toBe("/data/drive{1...4}");
});

test("a cluster is a range of URLs, with its nodes at fixed addresses", () => {
    const { nodes, volumes } = layOut({ ...base, pools: [{ nodeCount: 4, drivesPerNode: 2 }] });
    expect(volumes).toBe("http://store-pool1-node{1...4}:9000/data/drive{1...2}");
    expect(nodes.map(({ name, serverName, address }) => [name, serverName, address])).toEqual([
        ["store-pool1-node1", "node1", "10.200.7.10"],
        ["store-pool1-node2", "node2", "10.200.7.11"],
        ["store-pool1-node3", "node3", "10.200.7.12"],
        ["store-pool1-node4", "node4", "10.200.7.13"],
    ]);
    expect(new Set(nodes.flatMap(({ drives }) => drives.map(({ volumeName }) => volumeName))).size).toBe(8);
});

test("drives are in the configured folders", () => {
    const drivePaths = [["/mnt/a"], ["/mnt/b"]];
    const { nodes } = layOut({ ...base, pools: [{ nodeCount: 2, drivePaths }] });
    expect(nodes.flatMap(({ drives }) => drives.map(({ hostPath }) => hostPath))).toEqual(["/mnt/a", "/mnt/b"]);
});

test("a pool at the end doesn't change those before it", () => {
    const pools = [{ nodeCount: 4, drivesPerNode: 2 }];
    const before = layOut({ ...base, pools });
    const after = layOut({ ...base, pools: [...pools, { nodeCount: 2, drivesPerNode: 4 }] });
    expect(after.nodes.slice(0, 4)).toEqual(before.nodes);
    expect(after.nodes.slice(4).map(({ name, serverName, address }) => [name, serverName, address])).toEqual([
        ["store-pool2-node1", "node5", "10.200.7.14"],
        ["store-pool2-node2", "node6", "10.200.7.15"],
    ]);
    expect(after.volumes).toBe(
        "http://store-pool1-node{1...4}:9000/data/drive{1...2} http://store-pool2-node{1...2}:9000/data/drive{1...4}",
    );
});

test.each([
    { nodes: 1, drives: 1, forms: true },
    { nodes: 1, drives: 4, forms: true },
    { nodes: 4, drives: 1, forms: true },
    { nodes: 4, drives: 2, forms: true },
    { nodes: 3, drives: 1, forms: true },
    { nodes: 16, drives: 4, forms: true },
    { nodes: 1, drives: 17, forms: false },
    { nodes: 17, drives: 1, forms: false },
    { nodes: 5, drives: 7, forms: true },
    { nodes: 19, drives: 2, forms: false },
])("$nodes node(s) with $drives drive(s) form erasure sets: $forms", ({ nodes, drives, forms }) => {
    expect(formsErasureSets(nodes, drives, 2, 16)).toBe(forms);
});

test("a store may need more drives in a set", () => {
    expect(formsErasureSets(1, 2, 4, 16)).toBe(false);
    expect(formsErasureSets(1, 4, 4, 16)).toBe(true);
});
