import * as pulumi from "@pulumi/pulumi";
import { ObjectStore } from "pulumi-docker-object-store";

const config = new pulumi.Config();

const store = new ObjectStore("store", {
    storeName: `${pulumi.getProject()}-${pulumi.getStack()}`,
    profile: "minio",
    image: config.get("image"),
    haproxyImage: config.get("haproxyImage"),
    // Any of MinIO's own variables.
    environment: { MINIO_API_OBJECT_MAX_VERSIONS: "100" },
    s3Host: config.require("s3Host"),
    consoleHost: config.require("consoleHost"),
    httpPort: config.requireNumber("httpPort"),
    httpsPort: config.requireNumber("httpsPort"),
    publishAddress: config.require("publishAddress"),
});

export const { s3Endpoint, consoleUrl, accessKey, secretKey, caCertificate, volumeNames } = store;
