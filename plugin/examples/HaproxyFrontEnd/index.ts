import { HaproxyFrontEnd, StorageCluster } from "pulumi-docker-object-store";

const cluster = new StorageCluster("cluster", { clusterName: "archive" });
const proxy = new HaproxyFrontEnd("front-end", {
    frontEndName: "archive",
    cluster: cluster.endpoints,
    s3Host: "s3.example.com",
    consoleHost: "console.example.com",
});

export const { s3Endpoint, consoleUrl } = proxy;
