// One node and its proxy, by named imports, with types that the compiler has to check.
import * as pulumi from "@pulumi/pulumi";
import {
    HaproxyFrontEnd,
    StorageCluster,
    minioProfile,
    type HaproxyFrontEndArgs,
    type Pool,
    type StorageClusterArgs,
} from "pulumi-docker-object-store";

// @ts-expect-error -- a number is wanted
export const refused: Pool = { nodeCount: "one" };

const config = new pulumi.Config();
const clusterName = config.require("storeName");
const clusterArgs: StorageClusterArgs = {
    clusterName,
    profile: minioProfile.name,
    image: config.require("image"),
    retainData: false,
};
const store = new StorageCluster("store", clusterArgs);
const frontEndArgs: HaproxyFrontEndArgs = {
    cluster: store.endpoints,
    frontEndName: clusterName,
    image: config.require("haproxyImage"),
    s3Host: "s3.localhost",
    consoleHost: "console.localhost",
    httpPort: config.requireNumber("httpPort"),
    httpsPort: config.requireNumber("httpsPort"),
    publishAddress: config.require("publishAddress"),
    retainCertificates: false,
};
const proxy = new HaproxyFrontEnd("front-end", frontEndArgs);

if (!(store instanceof pulumi.ComponentResource)) {
    throw new Error("the package has a Pulumi of its own");
}

export const { s3Endpoint, consoleUrl, caCertificate, certificateNotAfter } = proxy;
export const { accessKey, secretKey, nodeNames, volumeNames } = store;
