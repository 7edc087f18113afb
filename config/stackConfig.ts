import * as pulumi from "@pulumi/pulumi";
import { url, type StorageClusterArgs } from "../components";
import { CLUSTER_SECRECY, FRONT_END_SECRECY, withSecrets } from "../components/argSecrecy";
import { configuredEngine } from "../components/engine/dockerHost";
import type { FrontEndArgsWithoutCluster } from "../components/frontEnd/haproxyFrontEndSettings";
import { describeProblems, withoutStack } from "../components/inputs/problem";
import { checkParts, demandsOfParts, type StoreParts } from "../components/jointCheck";
import { checkEngine, withInputs } from "../components/preflight/enginePreflight";
import { CONFIG_KEYS, type ConfigKey } from "./keys";
import { ConfigReader } from "./reader";

/** Name of the program's cluster component. The labels of its data volumes contain it. */
export const CLUSTER_COMPONENT = "store";

/**
 * Reads and checks a stack's config, and checks with the engine whether it can be deployed.
 *
 * @throws {pulumi.RunError} before anything is created; it lists all problems.
 */
export async function readStackConfig(config: pulumi.Config): Promise<StoreParts> {
    const reader = new ConfigReader<ConfigKey>(config, Object.keys(CONFIG_KEYS));
    const clusterName = reader.text("clusterName") ?? `${pulumi.getProject()}-${pulumi.getStack()}`;
    const openFiles = reader.number("openFiles");
    const retainData = reader.flag("retainData");
    const labels = reader.texts("labels");
    const certificate = {
        pem: reader.text("certificatePem") ?? reader.file("certificateFile"),
        acme: reader.acme("acme"),
    };
    const consoleHost = reader.text("consoleHost") ?? "console.localhost";
    const frontEnd: FrontEndArgsWithoutCluster = {
        frontEndName: clusterName,
        s3Host: reader.text("s3Host") ?? "s3.localhost",
        consoleHost,
        httpPort: reader.number("httpPort"),
        httpsPort: reader.number("httpsPort"),
        publishAddress: reader.text("publishAddress"),
        image: reader.text("haproxyImage"),
        publicSubnet: reader.text("publicSubnet"),
        adminNetworks: reader.list("adminNetworks"),
        consoleNetworks: reader.list("consoleNetworks"),
        hstsMaxAge: reader.number("hstsMaxAge"),
        maxConnectionsPerAddress: reader.number("maxConnectionsPerAddress"),
        hardStopAfter: reader.number("hardStopAfter"),
        accessLog: reader.text("accessLog"),
        openFiles,
        labels,
        certificate,
        retainCertificates: retainData,
    };
    const cluster: StorageClusterArgs = {
        clusterName,
        retainData,
        profile: reader.text("profile"),
        image: reader.text("image"),
        nodeCount: reader.number("nodeCount"),
        drivesPerNode: reader.number("drivesPerNode"),
        drivePaths: reader.pathLists("drivePaths"),
        volumeNames: reader.pathLists("volumeNames"),
        pools: reader.pools("pools"),
        allowedChanges: reader.list("allowedChanges"),
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
        consoleUrl: url(consoleHost, frontEnd.httpsPort ?? 443),
        egress: reader.flag("egress"),
        memory: reader.number("memory"),
        cpus: reader.number("cpus"),
        openFiles,
        labels,
        readyTimeout: reader.number("readyTimeout"),
    };
    const parts = { cluster, frontEnd };
    const certificateKey = reader.text("certificatePem") === undefined ? "certificateFile" : "certificatePem";
    const problems = [
        ...reader.problems,
        ...checkParts(CLUSTER_COMPONENT, parts, {
            cluster: (path) => CLUSTER_TERMS[path] ?? path,
            frontEnd: (path) => ({ ...FRONT_END_TERMS, "certificate.pem": certificateKey })[path] ?? acmeKey(path),
        }),
        ...(await checkEngine({
            ...(await withInputs(demandsOfParts(CLUSTER_COMPONENT, parts))),
            dockerHost: configuredEngine(),
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
    return { cluster: withSecrets(cluster, CLUSTER_SECRECY), frontEnd: withSecrets(frontEnd, FRONT_END_SECRECY) };
}

/** The names of the parts' args in stack config, if they differ. */
const CLUSTER_TERMS: { [path: string]: string } = {
    additionalTrustedCertificates: "additionalTrustedCertificatesFile",
};
const FRONT_END_TERMS: { [path: string]: string } = {
    image: "haproxyImage",
    certificate: "acme",
    "certificate.acme.trustedCertificates": "acme.trustedCertificatesFile",
};

function acmeKey(path: string): string {
    return path.replace(/^certificate\.acme\./, "acme.");
}
