import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { HaproxyFrontEnd, ObjectStore, StorageCluster } from "../../../components";

// The composition of a platform team: two stores and an application behind one proxy, on its own networks and
// volume, with its own provider and a transform; and a second complete store.
const config = new pulumi.Config();
const prefix = config.require("prefix");
const labels = { team: "platform" };

const provider = new docker.Provider("engine", { host: config.require("dockerHost") });
const own = { provider };

const clients = new docker.Network("clients", { name: `${prefix}-clients`, driver: "bridge" }, own);
const applications = new docker.Network("applications", { name: `${prefix}-applications`, driver: "bridge" }, own);
const application = new docker.Container(
    "application",
    {
        name: `${prefix}-application`,
        image: config.require("standInImage"),
        entrypoints: ["node", "-e"],
        command: ["require('http').createServer((_, answer) => answer.end('the application')).listen(8000)"],
        networksAdvanced: [{ name: applications.name, aliases: ["application"] }],
    },
    own,
);

const formerName = config.get("formerName");
const clusterComponent = config.require("clusterComponent");
const one = new StorageCluster(
    clusterComponent,
    {
        clusterName: `${prefix}-one`,
        profile: "service",
        image: config.require("standInImage"),
        nodeCount: 3,
        allowDrivesOnOneDevice: true,
        environment: { SERVICE_HEALTH_PEER_TIMEOUT_SECS: "2" },
        restartedAt: config.get("restartedAt"),
        retainData: false,
        labels,
    },
    {
        ...own,
        aliases: formerName === undefined ? [] : [{ name: formerName }],
        transforms: [
            ({ type, props, opts, name }) =>
                type === "docker:index/container:Container" && !name.endsWith("-writer")
                    ? { props: { ...(props as object), shmSize: config.requireNumber("shmSize") }, opts }
                    : undefined,
        ],
    },
);
const two = new StorageCluster(
    "two",
    {
        clusterName: `${prefix}-two`,
        profile: "minio",
        image: config.require("minioImage"),
        volumeNames: [[config.require("volume")]],
        accessKey: config.requireSecret("accessKey"),
        secretKey: config.requireSecret("secretKey"),
        retainData: false,
        labels,
    },
    own,
);
const proxy = new HaproxyFrontEnd(
    "front-end",
    {
        frontEndName: `${prefix}-edge`,
        stores: [
            {
                cluster: one.endpoints,
                s3Host: "s3.one.localhost",
                consoleHost: "console.one.localhost",
                adminNetworks: config.getObject<string[]>("adminNetworks"),
            },
            {
                name: "two",
                cluster: two.endpoints,
                s3Host: "s3.two.localhost",
                consoleHost: "console.two.localhost",
            },
        ],
        services: [
            {
                name: "application",
                // As a name from a DNS resource: a preview before the first update doesn't know it.
                hostname: applications.name.apply(() => "application.localhost"),
                networkName: applications.name,
                servers: [{ host: "application", port: 8000 }],
            },
        ],
        publicNetworkName: config.get("publicNetworkName") ?? clients.name,
        image: config.require("haproxyImage"),
        publishAddress: "127.0.0.1",
        httpPort: config.requireNumber("httpPort"),
        httpsPort: config.requireNumber("httpsPort"),
        retainCertificates: false,
        labels,
    },
    { ...own, dependsOn: application },
);
const third = new ObjectStore(
    "third",
    {
        storeName: `${prefix}-third`,
        s3Host: applications.name.apply(() => "s3.third.localhost"),
        consoleHost: applications.name.apply(() => "console.third.localhost"),
        profile: "service",
        image: config.require("standInImage"),
        haproxyImage: config.require("haproxyImage"),
        publishAddress: "127.0.0.1",
        httpPort: config.requireNumber("thirdHttpPort"),
        httpsPort: applications.name.apply(() => config.requireNumber("thirdHttpsPort")),
        retainData: false,
        labels: pulumi.output(labels),
    },
    own,
);

const port = config.require("httpsPort");

export const stores = {
    one: {
        s3Endpoint: proxy.s3Endpoint,
        accessKey: one.accessKey,
        secretKey: one.secretKey,
        caCertificate: proxy.caCertificate,
    },
    two: {
        s3Endpoint: proxy.containerName.apply(() => `https://s3.two.localhost:${port}`),
        accessKey: two.accessKey,
        secretKey: two.secretKey,
        caCertificate: proxy.caCertificate,
    },
    third: {
        s3Endpoint: third.s3Endpoint,
        accessKey: third.accessKey,
        secretKey: third.secretKey,
        caCertificate: third.caCertificate,
    },
};
