import * as pulumi from "@pulumi/pulumi";
import { url, type StorageClusterArgs } from "../components";
import { CLUSTER_SECRECY, FRONT_END_SECRECY, withSecrets } from "../components/argSecrecy";
import { configuredEngine } from "../components/engine/dockerHost";
import { bothDemands, checkEngine, withInputs } from "../components/preflight/enginePreflight";
import {
    checkHaproxyFrontEnd,
    frontEndDemands,
    type FrontEndArgsWithoutCluster,
} from "../components/frontEnd/haproxyFrontEndSettings";
import { describeProblems, withoutStack, type Problem } from "../components/inputs/problem";
import { clusterDemands } from "../components/cluster/storageClusterSettings";
import { checkStorageCluster } from "../components/cluster/storageClusterChecks";
import { CONFIG_KEYS, type ConfigKey } from "./keys";
import { ConfigReader } from "./reader";

/** What a stack's config asks for: the args of the program's components. */
export interface StackSettings {
    cluster: StorageClusterArgs;
    frontEnd: FrontEndArgsWithoutCluster;
}

/** Name of the program's cluster component, which labels of its data volumes hold. */
export const CLUSTER_COMPONENT = "store";

/**
 * Reads and checks a stack's config, and asks the engine whether it can be had.
 *
 * @throws {pulumi.RunError} with every problem at once, before anything is created.
 */
export async function readStackConfig(config: pulumi.Config): Promise<StackSettings> {
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
    const [nodes, proxy] = [clusterDemands(CLUSTER_COMPONENT, cluster), frontEndDemands(clusterName, frontEnd)];
    const frontEndProblems = checkHaproxyFrontEnd(clusterName, frontEnd, nodes.networks?.[0]?.subnet);
    const problems = [
        ...reader.problems,
        ...inConfigTerms(checkStorageCluster(CLUSTER_COMPONENT, cluster), {
            additionalTrustedCertificates: "additionalTrustedCertificatesFile",
        }),
        ...inConfigTerms(
            // Its name is the cluster's, which was checked above.
            frontEndProblems.filter(({ propertyPath }) => propertyPath !== "frontEndName"),
            {
                image: "haproxyImage",
                certificate: "acme",
                "certificate.pem": reader.text("certificatePem") === undefined ? "certificateFile" : "certificatePem",
                "certificate.acme.trustedCertificates": "acme.trustedCertificatesFile",
            },
        ),
        ...(await checkEngine({ ...bothDemands(await withInputs(nodes), proxy), dockerHost: configuredEngine() })),
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

/** Problems of a component's args, under the names that stack config has for them. */
function inConfigTerms(problems: Problem[], keys: { [property: string]: string }): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({
        propertyPath: keys[propertyPath] ?? propertyPath.replace(/^certificate\.acme\./, "acme."),
        reason,
    }));
}
