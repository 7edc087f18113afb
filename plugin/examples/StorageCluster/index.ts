import { StorageCluster } from "pulumi-docker-object-store";

const cluster = new StorageCluster("cluster", {
    clusterName: "archive",
    profile: "minio",
    pools: [{ nodeCount: 4, drivesPerNode: 2 }],
    allowDrivesOnOneDevice: true,
});

export const { nodeNames, volumeNames } = cluster;
