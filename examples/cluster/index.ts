import * as pulumi from "@pulumi/pulumi";
import { HaproxyFrontEnd, StorageCluster } from "pulumi-docker-object-store";

const config = new pulumi.Config();
const name = `${pulumi.getProject()}-${pulumi.getStack()}`;
const drivePaths = config.getObject<string[][]>("drivePaths");

const cluster = new StorageCluster("cluster", {
    clusterName: name,
    profile: config.get("profile"),
    image: config.get("image"),
    nodeCount: 4,
    drivesPerNode: drivePaths?.[0]?.length ?? 1,
    drivePaths,
    // Without folders of their own, all drives lie in Docker's data folder.
    allowDrivesOnOneDevice: config.getBoolean("allowDrivesOnOneDevice") ?? drivePaths === undefined,
    memory: config.getNumber("memory"),
});

const proxy = new HaproxyFrontEnd("front-end", {
    frontEndName: name,
    cluster: cluster.endpoints,
    image: config.get("haproxyImage"),
    s3Host: config.require("s3Host"),
    consoleHost: config.require("consoleHost"),
    httpPort: config.requireNumber("httpPort"),
    httpsPort: config.requireNumber("httpsPort"),
    publishAddress: config.require("publishAddress"),
});

export const { s3Endpoint, consoleUrl, caCertificate } = proxy;
export const { accessKey, secretKey, nodeNames, volumeNames } = cluster;
