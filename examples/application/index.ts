import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import { AccessKey, Bucket, HaproxyFrontEnd, Policy, StorageCluster, url } from "pulumi-docker-object-store";

const config = new pulumi.Config();
const name = `${pulumi.getProject()}-${pulumi.getStack()}`;
const [s3Host, notesHost] = [config.require("s3Host"), config.require("notesHost")];
const httpsPort = config.requireNumber("httpsPort");

const store = new StorageCluster("store", {
    clusterName: name,
    profile: config.get("profile"),
    image: config.get("image"),
    clientImage: config.get("clientImage"),
});

// A bucket for the application, and a key for it alone.
const bucket = new Bucket("notes", { store: store.reference, bucketName: "notes" }, { protect: true });
const policy = new Policy("notes", { store: store.reference, readWrite: [bucket.bucketName] });
const key = new AccessKey("notes", { store: store.reference, policies: [policy.policyName] });

const network = new docker.Network("notes", { name: `${name}-notes` });

const proxy = new HaproxyFrontEnd("front-end", {
    frontEndName: name,
    cluster: store.endpoints,
    image: config.get("haproxyImage"),
    s3Host,
    consoleHost: config.require("consoleHost"),
    services: [
        {
            name: "notes",
            hostname: notesHost,
            networkName: network.name,
            servers: [{ host: "notes", port: 8080 }],
            healthPath: "/health",
        },
    ],
    httpPort: config.requireNumber("httpPort"),
    httpsPort,
    publishAddress: config.require("publishAddress"),
});

const image = new docker.RemoteImage("notes", {
    name: `${name}-notes`,
    build: { context: "notes" },
    // Built again when one of these changes.
    triggers: {
        Dockerfile: readFileSync("notes/Dockerfile", "utf8"),
        "notes.py": readFileSync("notes/notes.py", "utf8"),
    },
});

// Copied into the container: `docker inspect` shows neither, as it would variables.
const [credentialsFile, authorityFile] = ["/run/store/credentials", "/run/store/ca.pem"];
new docker.Container("notes", {
    name: `${name}-notes`,
    image: image.imageId,
    restart: "unless-stopped",
    networksAdvanced: [{ name: network.name, aliases: ["notes"] }],
    // The store has the same URL here as outside. A hostname that DNS knows needs no entry.
    hosts: [{ host: s3Host, ip: "host-gateway" }],
    envs: [
        pulumi.interpolate`BUCKET=${bucket.bucketName}`,
        pulumi.interpolate`AWS_ENDPOINT_URL=${proxy.s3Endpoint}`,
        `AWS_SHARED_CREDENTIALS_FILE=${credentialsFile}`,
        `AWS_CA_BUNDLE=${authorityFile}`,
    ],
    uploads: [
        {
            file: credentialsFile,
            content: pulumi.interpolate`[default]\naws_access_key_id = ${key.accessKey}\naws_secret_access_key = ${key.secretKey}\n`,
        },
        { file: authorityFile, content: proxy.caCertificate },
    ],
});

export const { s3Endpoint, consoleUrl, caCertificate } = proxy;
export const { accessKey, secretKey, volumeNames } = store;
export const notesUrl = url(notesHost, httpsPort);
