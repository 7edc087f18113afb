import * as pulumi from "@pulumi/pulumi";
import type { HaproxyFrontEndArgs } from "./haproxyFrontEndArgs";
import type { AdditionalStoreArgs, ObjectStoreArgs } from "./objectStoreArgs";
import type { StorageClusterArgs } from "./storageClusterArgs";
import type { StorageNodeArgs } from "./storageNodeArgs";
import type { AcmeArgs, ExternalAccountBindingArgs, DnsChallengeArgs, CertificateArgs } from "./certificateArgs";

/**
 * Whether a value may be stored unencrypted in state: all of it, nothing of it, or separately for each of its properties. That
 * of a list applies to each of its items.
 */
export type Secrecy = "open" | "secret" | { readonly [property: string]: Secrecy };

/** An entry for every arg: a new arg without an entry doesn't compile. */
type SecrecyOf<Args> = { readonly [Arg in keyof Required<Args>]: Secrecy };

const BINDING: SecrecyOf<ExternalAccountBindingArgs> = { keyId: "open", hmacKey: "secret" };

const DNS_CHALLENGE: SecrecyOf<DnsChallengeArgs> = {
    provider: "open",
    environment: "open",
    secretEnvironment: "secret",
    propagationWait: "open",
};

const ACME: SecrecyOf<AcmeArgs> = {
    termsAgreed: "open",
    email: "open",
    directoryUrl: "open",
    keyType: "open",
    externalAccountBinding: BINDING,
    dns: DNS_CHALLENGE,
    trustedCertificates: "open",
    image: "open",
    nameServers: "open",
    preflight: "open",
    checkInterval: "open",
    retryInterval: "open",
    issueTimeout: "open",
    reissuedAt: "open",
};

const CERTIFICATE: SecrecyOf<CertificateArgs> = { pem: "secret", selfSigned: "open", acme: ACME };

const ACCESS_KEY = { secretKey: "secret" } as const;

/** Which args of {@link StorageCluster} are secret. */
export const CLUSTER_SECRECY: SecrecyOf<StorageClusterArgs> = {
    clusterName: "open",
    profile: "open",
    customProfile: "open",
    image: "open",
    nodeCount: "open",
    drivesPerNode: "open",
    drivePaths: "open",
    volumeNames: "open",
    pools: "open",
    allowedChanges: "open",
    restartedAt: "open",
    drainTimeout: "open",
    allowDrivesOnOneDevice: "open",
    subnet: "open",
    accessKey: "secret",
    secretKey: "secret",
    internodeSecret: "secret",
    logLevel: "open",
    environment: "open",
    secretEnvironment: "secret",
    additionalTrustedCertificates: "open",
    consoleUrl: "open",
    bucketDomains: "open",
    egress: "open",
    memory: "open",
    cpus: "open",
    openFiles: "open",
    retainData: "open",
    clientImage: "open",
    readyTimeout: "open",
    labels: "open",
    hosts: "open",
    unreachableHosts: "open",
    unencryptedOverlay: "open",
    allowSinglePointOfFailure: "open",
    dockerHost: "open",
};

/** Which args of {@link HaproxyFrontEnd} are secret. */
export const FRONT_END_SECRECY: SecrecyOf<HaproxyFrontEndArgs> = {
    cluster: "open",
    s3Host: "open",
    consoleHost: "open",
    virtualHostBuckets: "open",
    stores: "open",
    services: "open",
    httpPort: "open",
    httpsPort: "open",
    publishAddress: "open",
    certificate: CERTIFICATE,
    image: "open",
    frontEndName: "open",
    openFiles: "open",
    publicSubnet: "open",
    publicIpv6Subnet: "open",
    publishIpv6Address: "open",
    publicNetworkName: "open",
    adminNetworks: "open",
    consoleNetworks: "open",
    trustedProxies: "open",
    proxyProtocol: "open",
    move: "open",
    hstsMaxAge: "open",
    maxConnectionsPerAddress: "open",
    hardStopAfter: "open",
    proxyNumber: "open",
    accessLog: "open",
    retainCertificates: "open",
    readyTimeout: "open",
    labels: "open",
    dockerHost: "open",
};

/** Which args of an additional store are secret. */
const ADDITIONAL_STORE: SecrecyOf<AdditionalStoreArgs> = {
    ...without(
        CLUSTER_SECRECY,
        ...(["clusterName", "consoleUrl", "bucketDomains", "openFiles", "clientImage", "labels", "hosts"] as const),
        ...(["unreachableHosts", "unencryptedOverlay", "allowSinglePointOfFailure", "dockerHost"] as const),
    ),
    name: "open",
    s3Host: "open",
    consoleHost: "open",
    virtualHostBuckets: "open",
    adminNetworks: "open",
    consoleNetworks: "open",
    buckets: "open",
    policies: "open",
    accessKeys: "open",
};

/** Which args of {@link ObjectStore} are secret. */
export const OBJECT_STORE_SECRECY: SecrecyOf<ObjectStoreArgs> = {
    ...without(CLUSTER_SECRECY, "clusterName", "consoleUrl", "bucketDomains"),
    ...without(FRONT_END_SECRECY, "cluster", "stores", "frontEndName", "image", "retainCertificates", "readyTimeout"),
    buckets: "open",
    policies: "open",
    // Of each key: withSecrets marks the secret alone.
    accessKeys: "open",
    additionalStores: ADDITIONAL_STORE,
    frontEndHosts: "open",
    watchdog: "open",
    floatingAddress: "open",
    haproxyImage: "open",
    storeName: "open",
};

const NODE: SecrecyOf<StorageNodeArgs> = {
    profile: "open",
    image: "open",
    place: "open",
    clusterName: "open",
    networkName: "open",
    egressNetworkName: "open",
    hosts: "open",
    environment: "open",
    secretEnvironment: "secret",
    additionalTrustedCertificates: "open",
    memory: "open",
    cpus: "open",
    openFiles: "open",
    retainData: "open",
    dockerHost: "open",
    prepareTimeout: "open",
    stackName: "open",
    restartedAt: "open",
    labels: "open",
    alike: "open",
};

/** The same, by the names in the component package's schema: components, and types of args without the word "Args". */
export const SECRECY: { readonly [name: string]: Secrecy } = {
    StorageCluster: CLUSTER_SECRECY,
    HaproxyFrontEnd: FRONT_END_SECRECY,
    ObjectStore: OBJECT_STORE_SECRECY,
    StorageNode: NODE,
    Certificate: CERTIFICATE,
    Acme: ACME,
    ExternalAccountBinding: BINDING,
    DnsChallenge: DNS_CHALLENGE,
    AccessKey: ACCESS_KEY,
    StoreAccessKey: ACCESS_KEY,
    KeyPair: ACCESS_KEY,
    AdditionalStore: ADDITIONAL_STORE,
    AdditionalStoreOutputs: { accessKey: "secret", secretKey: "secret" },
};

/**
 * Makes Pulumi secrets of the values that must not be stored unencrypted in state. Values that no table names become
 * secrets as well.
 */
export function withSecrets<Value>(value: Value, secrecy: Secrecy = "secret"): Value {
    if (value === undefined || secrecy === "open") {
        return value;
    }
    if (Array.isArray(value) && typeof secrecy === "object") {
        return value.map((item: unknown) => withSecrets(item, secrecy)) as Value;
    }
    if (typeof value === "object" && value !== null && !Array.isArray(value) && !pulumi.Output.isInstance(value)) {
        const entries = Object.entries(value).map(([property, inner]: [string, unknown]) => [
            property,
            withSecrets(inner, secrecy === "secret" ? secrecy : secrecy[property]),
        ]);
        return Object.fromEntries(entries) as Value;
    }
    return pulumi.secret(value) as Value;
}

function without<Table extends object, Key extends keyof Table>(table: Table, ...keys: Key[]): Omit<Table, Key> {
    return Object.fromEntries(
        Object.entries(table).filter(([key]) => !keys.some((other) => other === key)),
    ) as unknown as Omit<Table, Key>;
}
