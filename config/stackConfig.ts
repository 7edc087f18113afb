import * as pulumi from "@pulumi/pulumi";
import type { ObjectStoreArgs } from "../components";
import { OBJECT_STORE_SECRECY, withSecrets } from "../components/args/argSecrecy";
import { configuredEngine } from "../components/docker/providerHost";
import { deploymentHosts } from "../components/docker/hosts";
import { describeProblems, withMessageOnly, withoutValues } from "../components/checks/problem";
import { checkParts, demandsOfParts, partsOf } from "../components/settings/deploymentSettings";
import { checkEngine, withLaterDemands } from "../components/requirements/run";
import type { CheckedOptions } from "../components/settings/context";
import { EngineSnapshot } from "../components/requirements/engineCache";
import { checkEncryptedKeys, encryptedValues, keptSecret } from "./encryptedKeys";
import { CONFIG_KEYS, type ConfigKey } from "./keys";
import { ConfigReader } from "./reader";

/** Name of the program's component. */
export const STORE_COMPONENT = "store";

/**
 * Reads and checks a stack's config, and checks with the engine whether it can be deployed. Returns the args and the
 * options of the store, which say that the engine has been checked.
 *
 * @throws {pulumi.RunError} before anything is created; it lists all problems.
 */
export async function readStackConfig(config: pulumi.Config): Promise<{ args: ObjectStoreArgs; opts: CheckedOptions }> {
    const reader = new ConfigReader<ConfigKey>(config, Object.keys(CONFIG_KEYS));
    const clusterName = reader.text("clusterName") ?? `${pulumi.getProject()}-${pulumi.getStack()}`;
    const args: ObjectStoreArgs = {
        storeName: clusterName,
        retainData: reader.flag("retainData"),
        labels: reader.texts("labels"),
        openFiles: reader.number("openFiles"),
        s3Host: reader.text("s3Host") ?? "s3.localhost",
        consoleHost: reader.text("consoleHost") ?? "console.localhost",
        httpPort: reader.number("httpPort"),
        httpsPort: reader.number("httpsPort"),
        publishAddress: reader.text("publishAddress"),
        haproxyImage: reader.text("haproxyImage"),
        publicSubnet: reader.text("publicSubnet"),
        publicIpv6Subnet: reader.text("publicIpv6Subnet"),
        publishIpv6Address: reader.text("publishIpv6Address"),
        adminNetworks: reader.list("adminNetworks"),
        consoleNetworks: reader.list("consoleNetworks"),
        virtualHostBuckets: reader.flag("virtualHostBuckets"),
        trustedProxies: reader.list("trustedProxies"),
        proxyProtocol: reader.text("proxyProtocol"),
        move: reader.move("move"),
        hstsMaxAge: reader.number("hstsMaxAge"),
        maxConnectionsPerAddress: reader.number("maxConnectionsPerAddress"),
        hardStopAfter: reader.number("hardStopAfter"),
        accessLog: reader.text("accessLog"),
        certificate: {
            pem: reader.text("certificatePem") ?? reader.file("certificateFile"),
            acme: reader.acme("acme"),
        },
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
        hosts: reader.hosts("hosts"),
        frontEndHosts: reader.list("frontEndHosts"),
        watchdog: reader.flag("watchdog"),
        floatingAddress: reader.floatingAddress("floatingAddress"),
        unreachableHosts: reader.list("unreachableHosts"),
        unencryptedOverlay: reader.flag("unencryptedOverlay"),
        allowSinglePointOfFailure: reader.flag("allowSinglePointOfFailure"),
        buckets: reader.buckets("buckets"),
        policies: reader.policies("policies"),
        accessKeys: reader.accessKeys("accessKeys"),
        clientImage: reader.text("clientImage"),
        additionalStores: reader.additionalStores("additionalStores"),
        accessKey: reader.text("accessKey"),
        secretKey: reader.text("secretKey"),
        internodeSecret: reader.text("internodeSecret"),
        logLevel: reader.text("logLevel"),
        environment: reader.texts("environment"),
        secretEnvironment: reader.texts("secretEnvironment"),
        additionalTrustedCertificates: reader.file("additionalTrustedCertificatesFile"),
        egress: reader.flag("egress"),
        memory: reader.number("memory"),
        cpus: reader.number("cpus"),
        readyTimeout: reader.number("readyTimeout"),
    };
    const parts = partsOf(STORE_COMPONENT, args);
    const certificateKey = reader.text("certificatePem") === undefined ? "certificateFile" : "certificatePem";
    const keyOf = (path: string) =>
        ({ ...KEYS, "certificate.pem": certificateKey })[path] ??
        path
            .replace(/^certificate\.acme\./, "acme.")
            .replace(/^(additionalStores\[\d+\]\.additionalTrustedCertificates)\b/, "$1File");
    const engineSnapshot = new EngineSnapshot(deploymentHosts(args, configuredEngine()));
    const ofArgs = [
        ...checkParts(parts),
        ...(parts.problems.length > 0
            ? []
            : await checkEngine(await withLaterDemands(demandsOfParts(parts)), engineSnapshot)),
    ].map(({ propertyPath, reason }) => ({ propertyPath: keyOf(propertyPath), reason }));
    // Stores whose config can't be read aren't removed ones.
    const unread = reader.problems.some(({ propertyPath }) => propertyPath.startsWith("additionalStores"));
    const problems = withoutValues(
        [
            ...reader.problems,
            ...checkEncryptedKeys(config),
            ...ofArgs.filter(({ propertyPath }) => !unread || propertyPath !== "additionalStores"),
        ],
        encryptedValues(config),
    );
    if (problems.length > 0) {
        const stack = pulumi.getStack();
        throw withMessageOnly(
            new pulumi.RunError(
                `the config of stack ${stack} is refused, nothing was changed:\n${describeProblems(problems)}`,
            ),
        );
    }
    return { args: withSecrets(keptSecret(args, config), OBJECT_STORE_SECRECY), opts: { engineSnapshot } };
}

/** The keys of args that have another name in stack config. */
const KEYS: { [path: string]: string } = {
    storeName: "clusterName",
    additionalTrustedCertificates: "additionalTrustedCertificatesFile",
    certificate: "acme",
    "move.trustedCertificates": "move.trustedCertificatesFile",
    "certificate.acme.trustedCertificates": "acme.trustedCertificatesFile",
};
