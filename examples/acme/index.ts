import * as pulumi from "@pulumi/pulumi";
import { ObjectStore, type AcmeArgs } from "pulumi-docker-object-store";

const config = new pulumi.Config();

const store = new ObjectStore("store", {
    storeName: `${pulumi.getProject()}-${pulumi.getStack()}`,
    profile: config.get("profile"),
    image: config.get("image"),
    haproxyImage: config.get("haproxyImage"),
    certificate: { acme: config.requireObject<AcmeArgs>("acme") },
    s3Host: config.require("s3Host"),
    consoleHost: config.require("consoleHost"),
    httpsPort: config.requireNumber("httpsPort"),
    publishAddress: config.require("publishAddress"),
});

export const { s3Endpoint, consoleUrl, accessKey, secretKey, certificateNotAfter, volumeNames } = store;
