import * as pulumi from "@pulumi/pulumi";
import { url, type AllowableChange, type StorageClusterArgs } from "./components";
import { checkEngine, withInputs } from "./components/enginePreflight";
import { checkHaproxyFrontEnd, frontEndDemands, type HaproxyFrontEndWish } from "./components/haproxyFrontEndSettings";
import { describeProblems, withoutStack, type Problem } from "./components/problem";
import { checkStorageCluster, clusterDemands } from "./components/storageClusterSettings";
import { ConfigReader } from "./configReader";

/** What a stack's config asks for: the args of the program's components. */
export interface StackSettings {
    cluster: StorageClusterArgs;
    frontEnd: HaproxyFrontEndWish;
}

/** Name of the program's cluster component, which labels of its data volumes hold. */
export const CLUSTER_COMPONENT = "store";

/** Every key of stack config, and what it means. The defaults are those of the components unless it says so. */
export const CONFIG_KEYS = {
    profile: "Store: rustfs, minio, or service for another one that keeps the contract. Default: rustfs.",
    image: "Image of the store, with an exact version. Default: the profile's own.",
    nodeCount: "Nodes, 1 to 64. Default: 1.",
    drivesPerNode: "Drives of each node, 1 to 64. Default: 1.",
    pools: "Pools, a list of nodeCount, drivesPerNode and drivePaths of each; grows at its end. Default: one pool.",
    drivePaths: "Folders of the host that drives stand on, a list for each node. Default: none.",
    allowDrivesOnOneDevice: "Lets several drives stand on one device; for development. Default: false.",
    clusterName: "Prefix of all names on the Docker host. Default: project and stack, joined by a hyphen.",
    subnet: "IPv4 network between the nodes, /16 to /26. Default: a /24 that follows from the cluster's name.",
    s3Host: "Public hostname of the S3 API. Default: s3.localhost.",
    consoleHost: "Public hostname of the console. Default: console.localhost.",
    httpPort: "Port of the host for HTTP, redirected to HTTPS. Default: 80.",
    httpsPort: "Port of the host for HTTPS. Default: 443.",
    publishAddress: "Address of the host that both ports are published on. Default: 0.0.0.0.",
    publicSubnet: "IPv4 network that clients come by, /16 to /29. Default: a /24 that follows from the cluster's name.",
    adminNetworks: "Networks that may use the admin API on s3Host, a list in CIDR notation. Default: none.",
    consoleNetworks: "Networks that consoleHost is open to, a list in CIDR notation. Default: everybody.",
    hstsMaxAge: "Seconds for which browsers use nothing but HTTPS, RFC 6797. Default: not sent.",
    maxConnectionsPerAddress: "Connections that one address may have at once. Default: a quarter of openFiles.",
    certificateFile: "File with the certificate chain, then its private key. Default: a self-signed certificate.",
    certificatePem: "The same as a secret value. Default: none.",
    acme: "A certificate by ACME (RFC 8555): termsAgreed, email, directoryUrl and more, see README. Default: none.",
    haproxyImage: "Image of HAProxy 3.2, with an exact version. Default: haproxy:3.2.26.",
    accessKey: "Root access key, a secret. Default: generated.",
    secretKey: "Root secret key, a secret. Default: generated.",
    internodeSecret: "Secret between nodes, where the store has one of its own. Default: generated.",
    logLevel: "Log level of the store: error, warn, info, debug or trace. Default: error.",
    environment: "More environment variables for the store. Default: none.",
    secretEnvironment: "More environment variables for the store that stay secret. Default: none.",
    additionalTrustedCertificatesFile: "File with certificates that the store trusts for what it asks of others.",
    egress: "Gives the nodes a second network, through which they reach others. Default: false.",
    memory: "Memory limit of each node, in MiB. Default: none.",
    cpus: "CPU limit of each node, in CPUs. Default: none.",
    openFiles: "Limit of open files of each container, at most what the engine itself may open. Default: 20000.",
    retainData: "Whether Pulumi refuses to delete data volumes and what opens them. Default: true.",
    allowedChanges: "Changes that are refused otherwise, a list of words (docs/operations.md). Default: none.",
    restartedAt: "Any text; another one replaces the nodes one by one. Default: none.",
    drainTimeout: "Limit for running requests before a node is replaced, in seconds, 0 to 3600. Default: 120.",
    readyTimeout: "Limit for all nodes to become healthy, in seconds, 10 to 3600. Default: 300.",
} as const;

type ConfigKey = keyof typeof CONFIG_KEYS;

/**
 * Reads and judges a stack's config, and asks the engine whether it can be had.
 *
 * @throws {pulumi.RunError} with every problem at once, before anything is created.
 */
export async function readStackConfig(config: pulumi.Config): Promise<StackSettings> {
    const reader = new ConfigReader<ConfigKey>(config, Object.keys(CONFIG_KEYS));
    const clusterName = reader.text("clusterName") ?? `${pulumi.getProject()}-${pulumi.getStack()}`;
    const dockerHost = new pulumi.Config("docker").get("host");
    const openFiles = reader.number("openFiles");
    const retainData = reader.flag("retainData");
    const certificate = {
        pem: reader.text("certificatePem") ?? reader.file("certificateFile"),
        acme: reader.acme("acme"),
    };
    const frontEnd: HaproxyFrontEndWish = {
        frontEndName: clusterName,
        dockerHost,
        s3Host: reader.text("s3Host") ?? "s3.localhost",
        consoleHost: reader.text("consoleHost") ?? "console.localhost",
        httpPort: reader.number("httpPort"),
        httpsPort: reader.number("httpsPort"),
        publishAddress: reader.text("publishAddress"),
        image: reader.text("haproxyImage"),
        publicSubnet: reader.text("publicSubnet"),
        adminNetworks: reader.list("adminNetworks"),
        consoleNetworks: reader.list("consoleNetworks"),
        hstsMaxAge: reader.number("hstsMaxAge"),
        maxConnectionsPerAddress: reader.number("maxConnectionsPerAddress"),
        openFiles,
        certificate,
        retainCertificates: retainData,
    };
    const cluster: StorageClusterArgs = {
        clusterName,
        dockerHost,
        retainData,
        profile: reader.text("profile"),
        image: reader.text("image"),
        nodeCount: reader.number("nodeCount"),
        drivesPerNode: reader.number("drivesPerNode"),
        drivePaths: reader.pathLists("drivePaths"),
        pools: reader.pools("pools"),
        allowedChanges: reader.list("allowedChanges") as AllowableChange[] | undefined,
        restartedAt: reader.text("restartedAt"),
        drainTimeout: reader.number("drainTimeout"),
        allowDrivesOnOneDevice: reader.flag("allowDrivesOnOneDevice"),
        subnet: reader.text("subnet"),
        accessKey: reader.text("accessKey"),
        secretKey: reader.text("secretKey"),
        internodeSecret: reader.text("internodeSecret"),
        logLevel: reader.text("logLevel"),
        environment: reader.texts("environment"),
        secretEnvironment: reader.texts("secretEnvironment"),
        additionalTrustedCertificates: reader.file("additionalTrustedCertificatesFile"),
        consoleUrl: url(frontEnd.consoleHost, frontEnd.httpsPort ?? 443),
        egress: reader.flag("egress"),
        memory: reader.number("memory"),
        cpus: reader.number("cpus"),
        openFiles,
        readyTimeout: reader.number("readyTimeout"),
    };
    const [nodes, proxy] = [clusterDemands(CLUSTER_COMPONENT, cluster), frontEndDemands(clusterName, frontEnd)];
    const frontEndProblems = checkHaproxyFrontEnd(clusterName, frontEnd, nodes.networks?.[0]?.subnet);
    const problems = [
        ...reader.problems,
        ...inConfigTerms(checkStorageCluster(CLUSTER_COMPONENT, cluster), {
            additionalTrustedCertificates: "additionalTrustedCertificatesFile",
        }),
        ...inConfigTerms(
            // Its name is the cluster's, which was judged above.
            frontEndProblems.filter(({ propertyPath }) => propertyPath !== "frontEndName"),
            {
                image: "haproxyImage",
                certificate: "acme",
                "certificate.pem": reader.text("certificatePem") === undefined ? "certificateFile" : "certificatePem",
                "certificate.acme.trustedCertificates": "acme.trustedCertificatesFile",
            },
        ),
        ...(await checkEngine({
            ...(await withInputs(nodes)),
            ...proxy,
            networks: [...(nodes.networks ?? []), ...(proxy.networks ?? [])],
        })),
    ];
    if (problems.length > 0) {
        const stack = pulumi.getStack();
        throw withoutStack(
            new pulumi.RunError(
                `the config of stack ${stack} is refused, nothing was changed:\n${describeProblems(problems)}`,
            ),
        );
    }
    return { cluster: withSecrets(cluster), frontEnd: withSecrets(frontEnd) };
}

const SECRETS = ["accessKey", "secretKey", "internodeSecret", "secretEnvironment", "pem", "hmacKey"];

/** Wraps what must not stand in plain state, once it was judged. */
function withSecrets<Value>(value: Value, secret = false): Value {
    if (typeof value === "string" && secret) {
        return pulumi.secret(value) as Value;
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return value;
    }
    const entries = Object.entries(value).map(([key, inner]: [string, unknown]) => [
        key,
        withSecrets(inner, secret || SECRETS.includes(key)),
    ]);
    return Object.fromEntries(entries) as Value;
}

/** Problems of a component's args, under the names that stack config has for them. */
function inConfigTerms(problems: Problem[], keys: { [property: string]: string }): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({
        propertyPath: keys[propertyPath] ?? propertyPath.replace(/^certificate\.acme\./, "acme."),
        reason,
    }));
}
