import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import { url, type AcmeArgs, type AllowableChange, type Pool, type StorageClusterArgs } from "./components";
import { checkEngine, withInputs } from "./components/enginePreflight";
import { checkHaproxyFrontEnd, frontEndDemands, type HaproxyFrontEndWish } from "./components/haproxyFrontEndSettings";
import { describeProblems, withoutStack, type Problem } from "./components/problem";
import { checkStorageCluster, clusterDemands } from "./components/storageClusterSettings";

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
    const reader = new ConfigReader(config);
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

function isList(value: unknown): value is string[] {
    return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** What a value lacks to be a list of pools; nothing where it is one. */
function poolsProblem(value: unknown): string | undefined {
    if (!Array.isArray(value)) {
        return "is not a list of pools, such as [{nodeCount: 4, drivesPerNode: 2}]";
    }
    const known = ["nodeCount", "drivesPerNode", "drivePaths"];
    for (const [place, pool] of (value as unknown[]).entries()) {
        if (typeof pool !== "object" || pool === null || typeof (pool as Pool).nodeCount !== "number") {
            return `has no number as nodeCount of pool ${place + 1}`;
        }
        const { drivesPerNode, drivePaths } = pool as { [key: string]: unknown };
        const strange = Object.keys(pool).find((property) => !known.includes(property));
        if (strange !== undefined) {
            return `has "${strange}" in pool ${place + 1}: give ${known.join(", ")}`;
        }
        if (drivesPerNode !== undefined && typeof drivesPerNode !== "number") {
            return `has no number as drivesPerNode of pool ${place + 1}`;
        }
        if (drivePaths !== undefined && !(Array.isArray(drivePaths) && drivePaths.every(isList))) {
            return `has no list of lists of paths as drivePaths of pool ${place + 1}`;
        }
    }
    return undefined;
}

/** What a structure may hold: a type of JavaScript's, a list of texts, or another structure. */
interface Shape {
    [property: string]: "string" | "number" | "boolean" | "list" | Shape;
}

const ACME_SHAPE: Shape = {
    termsAgreed: "boolean",
    email: "string",
    directoryUrl: "string",
    keyType: "string",
    externalAccountBinding: { keyId: "string", hmacKey: "string" },
    trustedCertificatesFile: "string",
    image: "string",
    nameServers: "list",
    preflight: "boolean",
    checkInterval: "number",
    retryInterval: "number",
    issueTimeout: "number",
    reissuedAt: "string",
};

/** What a value lacks to be of a shape; nothing where it is. Its values are never shown. */
function shapeProblem(value: unknown, shape: Shape): string | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return `is not a map of ${Object.keys(shape).join(", ")}`;
    }
    for (const [property, inner] of Object.entries(value)) {
        const wanted = shape[property];
        if (wanted === undefined) {
            return `has "${property}": give ${Object.keys(shape).join(", ")}`;
        }
        if (typeof wanted === "object") {
            const problem = shapeProblem(inner, wanted);
            if (problem !== undefined) {
                return `${property} ${problem}`;
            }
        } else if (wanted === "list" ? !isList(inner) : typeof inner !== wanted) {
            return `has as ${property} no ${wanted === "list" ? "list of texts" : wanted}`;
        }
    }
    return undefined;
}

/** Reads values of stack config as what they should be, and collects what they are not. */
class ConfigReader {
    readonly problems: Problem[];

    constructor(private readonly config: pulumi.Config) {
        const prefix = `${config.name}:`;
        const known = Object.keys(CONFIG_KEYS);
        this.problems = Object.keys(pulumi.runtime.allConfig())
            .filter((key) => key.startsWith(prefix) && !known.includes(key.slice(prefix.length)))
            .map((key) => ({
                propertyPath: key.slice(prefix.length),
                reason: `is no key of this program: give one of ${known.join(", ")}`,
            }));
    }

    text(key: ConfigKey): string | undefined {
        return this.config.get(key);
    }

    number(key: ConfigKey): number | undefined {
        const value = this.config.get(key);
        if (value === undefined || /^-?[0-9]+(\.[0-9]+)?$/.test(value)) {
            return value === undefined ? undefined : Number(value);
        }
        this.refuse(key, `"${value}" is not a number`);
        return undefined;
    }

    flag(key: ConfigKey): boolean | undefined {
        const value = this.config.get(key);
        if (value === undefined || value === "true" || value === "false") {
            return value === undefined ? undefined : value === "true";
        }
        this.refuse(key, `"${value}" is not allowed: give true or false`);
        return undefined;
    }

    /** A map of names to texts. Its values are never shown. */
    texts(key: ConfigKey): { [name: string]: string } | undefined {
        const value = this.structure(key);
        if (value === undefined) {
            return undefined;
        }
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
            this.refuse(key, "is not a map of names to values");
            return undefined;
        }
        return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
    }

    list(key: ConfigKey): string[] | undefined {
        const value = this.structure(key);
        if (value === undefined || isList(value)) {
            return value;
        }
        this.refuse(key, "is not a list of texts");
        return undefined;
    }

    pathLists(key: ConfigKey): string[][] | undefined {
        const value = this.structure(key);
        if (value === undefined || (Array.isArray(value) && value.every(isList))) {
            return value;
        }
        this.refuse(key, "is not a list of lists of paths, one list for each node");
        return undefined;
    }

    /** A list of pools. What is in each is judged with the cluster's args. */
    pools(key: ConfigKey): Pool[] | undefined {
        const value = this.structure(key);
        if (value === undefined) {
            return undefined;
        }
        const problem = poolsProblem(value);
        if (problem === undefined) {
            return value as Pool[];
        }
        this.refuse(key, problem);
        return undefined;
    }

    /** A certificate by ACME. What its values may be is judged with the front end's args. */
    acme(key: ConfigKey): AcmeArgs | undefined {
        const value = this.structure(key);
        if (value === undefined) {
            return undefined;
        }
        const problem = shapeProblem(value, ACME_SHAPE);
        if (problem !== undefined) {
            this.refuse(key, problem);
            return undefined;
        }
        const { trustedCertificatesFile, ...args } = value as AcmeArgs & { trustedCertificatesFile?: string };
        return { ...args, trustedCertificates: this.fileAt(`${key}.trustedCertificatesFile`, trustedCertificatesFile) };
    }

    file(key: ConfigKey): string | undefined {
        return this.fileAt(key, this.config.get(key));
    }

    private fileAt(propertyPath: string, path: string | undefined): string | undefined {
        try {
            return path === undefined ? undefined : readFileSync(path, "utf8");
        } catch (error) {
            const { code } = error as NodeJS.ErrnoException;
            this.refuse(
                propertyPath,
                `"${path}" can't be read (${code}): give the path of a PEM file, from the program's folder`,
            );
            return undefined;
        }
    }

    private structure(key: ConfigKey): unknown {
        try {
            return this.config.getObject<unknown>(key);
        } catch {
            this.refuse(key, "is not valid JSON");
            return undefined;
        }
    }

    private refuse(propertyPath: string, reason: string): void {
        this.problems.push({ propertyPath, reason });
    }
}
