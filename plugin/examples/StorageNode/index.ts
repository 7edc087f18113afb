import { serviceProfile, StorageNode } from "pulumi-docker-object-store";

const node = new StorageNode("node1", {
    profile: serviceProfile,
    image: "registry.example.com/store:1.0.0",
    clusterName: "archive",
    networkName: "archive-nodes",
    place: {
        name: "archive-node1",
        serverName: "node1",
        address: "10.30.0.11",
        drives: [{ volumeName: "archive-node1-drive1", mountPath: "/data/drive1", labels: {} }],
    },
    environment: { SERVICE_VOLUMES: "/data/drive1" },
    secretEnvironment: {},
});

export const { nodeName, volumeNames } = node;
