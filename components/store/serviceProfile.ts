import { checkEdgeRestrictions, type RestrictedPaths, type UnverifiedUploads } from "./edgeRestrictions";
import { checkInteger } from "../inputs/inputChecks";
import { minioVulnerabilities, type KnownVulnerability } from "./knownVulnerabilities";
import type { Problem } from "../inputs/problem";

/** Names of the environment variables by which a store is configured (service contract, section 1). */
export interface ServiceVariables {
    /** Root access key. */
    accessKey: string;
    /** Root secret key. */
    secretKey: string;
    /** The drives, as paths or as URLs with `{1...4}` ranges. */
    volumes: string;
    /** Bind address of the S3 API listener. */
    address: string;
    /** Bind address of the console listener. */
    consoleAddress: string;
    /** Turns the console listener on, where a store has such a variable. */
    consoleEnable?: string;
    /** Log level, where a store has one. */
    logLevel?: string;
    /** Directory for log files, where a store writes any. */
    logDirectory?: string;
    /** The secret that nodes show each other, where a store has one of its own. */
    internodeSecret?: string;
    /** Public URL of the console, where a store needs it for its redirects. */
    consoleUrl?: string;
    /**
     * Addresses whose word for a client's address and protocol the store takes (`X-Forwarded-For`, `X-Forwarded-Proto`), separated by
     * commas, where a store asks for them. It gets those that the node network keeps for proxies, as IPv4 and as IPv4-mapped IPv6.
     */
    trustedProxies?: string;
    /** Lets several drives stand on one device, where a store refuses that by itself. */
    drivesOnOneDevice?: string;
}

/**
 * What every node of a cluster must have alike, since a node works only among peers that do. A change of it can't go
 * from node to node: all of them are replaced at once, with an outage. Everything else is rolled.
 */
export interface AlikeOnAllNodes {
    /** Whether the image is: two versions of the store don't work together. */
    image: boolean;
    /** Variables that are: names, or, with a `*` at its end, every name that begins so. */
    variables: string[];
}

/**
 * What a store is: everything by which one S3-compatible store with a console differs from another.
 * The contract itself is the profile `service`; a profile of your own can be given for any store that keeps it.
 */
export interface ServiceProfile {
    /** Lower-case name. The console's cookie is called after it (service contract, section 4, rule 9). */
    name: string;
    /** Image with its exact version, used where none is configured. */
    image?: string;
    /** User and group that the store runs as, `uid:gid`, as numbers. Owner of its drives and of its secrets. */
    user: string;
    /** Program and arguments, run by `/bin/sh` with `exec`. The image's own entry point is not used. */
    command: string[];
    /** Names of the store's variables. */
    variables: ServiceVariables;
    /** Further variables with fixed values, which stack config may override. */
    environment: { [name: string]: string };
    /** Readiness of the S3 listener (service contract, section 4): 200 when the node can serve. */
    s3HealthPath: string;
    /**
     * Path of the S3 listener that answers 200 for as long as the node can read, though its cluster may be unable to write.
     * While no node is ready, GET and HEAD requests go to nodes that answer it. Default: none, every request is refused then.
     */
    s3ReadHealthPath?: string;
    /** Health of the console listener (service contract, section 4). */
    consoleHealthPath: string;
    /**
     * Path of the S3 listener that a working process answers at once, whatever became of its peers. One that doesn't
     * answer it for as long as the health check allows is ended, and started again. Default: none, nothing is ended.
     */
    livenessPath?: string;
    /**
     * Path of the S3 listener that answers 200 when the node sees as many of its peers' drives that the cluster can do
     * without a node. Default: none, readiness alone says that the next node may go.
     */
    maintenancePath?: string;
    /**
     * Seconds from its start that a node of a cluster needs until it serves as its peers do: it has found their drives, and
     * healed what it missed while it was away. It is kept out of the proxies for so long.
     */
    settleSeconds: number;
    /** File, below each drive's folder, that the store writes when a cluster is first formed: it says that there is data. */
    formatFile: string;
    /** What nodes can't differ in. */
    alikeOnAllNodes: AlikeOnAllNodes;
    /** Paths that the front end closes. */
    restrictedPaths: RestrictedPaths;
    /** Uploads that the front end refuses, since the store verifies no signature of theirs. Default: none. */
    unverifiedUploads?: UnverifiedUploads;
    /** Vulnerabilities of versions of the store that an image may still have. Default: none. */
    knownVulnerabilities?: KnownVulnerability[];
    /** Value that turns the console on, where the store has a variable for it. */
    consoleEnableValue?: string;
    /** Log level where none is configured; none for a store without levels. */
    logLevel?: string;
    /** Shortest root access key that the store takes, in characters. */
    minimumAccessKeyLength: number;
    /** Shortest root secret key that the store takes, in characters. */
    minimumSecretKeyLength: number;
    /** Fewest drives in one erasure set, where there is more than one drive. */
    minimumDrivesPerSet: number;
    /** Most drives in one erasure set. */
    maximumDrivesPerSet: number;
}

/** The profile of the service contract itself, for any store that keeps it. It has no image of its own. */
export const serviceProfile: ServiceProfile = contractProfile("service");

const contract = contractProfile("rustfs");

/**
 * RustFS, the store that the contract describes.
 *
 * The four one-second limits keep a lost node from delaying the readiness of the others beyond the proxy's check
 * timeout: with the defaults, one stopped node of four takes the whole S3 backend down 40 seconds later.
 */
export const rustfsProfile: ServiceProfile = {
    ...contract,
    // Measured: all shards were there 15 s to 20 s after a node was back, and some reads failed where another went before.
    settleSeconds: 20,
    image: "rustfs/rustfs:1.0.1",
    user: "10001:10001",
    variables: { ...contract.variables, trustedProxies: "RUSTFS_TRUSTED_PROXY_NETWORKS" },
    environment: {
        RUSTFS_CONSOLE_CORS_ALLOWED_ORIGINS: "",
        RUSTFS_DNS_CACHE_TTL_SECS: "5",
        RUSTFS_DRIVE_DISK_INFO_TIMEOUT_SECS: "1",
        RUSTFS_INTERNODE_CONNECT_TIMEOUT_SECS: "1",
        RUSTFS_INTERNODE_HTTP2_KEEPALIVE_INTERVAL_SECS: "1",
        RUSTFS_INTERNODE_HTTP2_KEEPALIVE_TIMEOUT_SECS: "1",
        RUSTFS_OBS_LOG_MAX_TOTAL_SIZE_BYTES: String(32 * 1024 * 1024),
        RUSTFS_OBS_LOG_STDOUT_ENABLED: "true",
        // The other one, its default, reads no list: it believes whoever has a private IPv4 address.
        RUSTFS_TRUSTED_PROXY_IMPLEMENTATION: "legacy",
    },
};

/** MinIO. Its readiness is the cluster's quorum: `/minio/health/ready` answers 200 whatever the state. */
export const minioProfile: ServiceProfile = {
    name: "minio",
    image: "minio/minio:RELEASE.2025-09-07T16-13-09Z",
    user: "1000:1000",
    command: ["minio", "server"],
    variables: {
        accessKey: "MINIO_ROOT_USER",
        secretKey: "MINIO_ROOT_PASSWORD",
        volumes: "MINIO_VOLUMES",
        address: "MINIO_ADDRESS",
        consoleAddress: "MINIO_CONSOLE_ADDRESS",
        consoleEnable: "MINIO_BROWSER",
        consoleUrl: "MINIO_BROWSER_REDIRECT_URL",
    },
    environment: { MINIO_UPDATE: "off" },
    s3HealthPath: "/minio/health/cluster",
    // With half of its drives gone, a cluster can read but not write.
    s3ReadHealthPath: "/minio/health/cluster/read",
    consoleHealthPath: "/",
    livenessPath: "/minio/health/live",
    maintenancePath: "/minio/health/cluster?maintenance=true",
    // It looks each 15 s for drives that it didn't find at its start, and its health is what its peers say of theirs.
    settleSeconds: 17,
    formatFile: ".minio.sys/format.json",
    // A node starts only among peers with the same binary and the same values, and they trust each other by the root keys.
    alikeOnAllNodes: { image: true, variables: ["MINIO_*"] },
    // Its console asks for what it needs by itself, from within the node.
    restrictedPaths: {
        admin: ["/minio/admin/*", "/minio/kms/*", "/minio/metrics/*", "/minio/v2/*", "/minio/prometheus/*"],
        consoleAdmin: [],
        internal: ["/minio/bootstrap/*", "/minio/grid/*", "/minio/lock/*", "/minio/peer/*", "/minio/storage/*"],
    },
    // CVE-2026-40344, CVE-2026-41145 (GHSA-9c4q-hq6p-c237): no release of the community's has them fixed.
    unverifiedUploads: {
        payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        verifiedAuthorization: "AWS4-HMAC-SHA256",
        queryParameters: ["X-Amz-Credential"],
        headers: ["X-Amz-Meta-Snowball-Auto-Extract"],
    },
    knownVulnerabilities: minioVulnerabilities,
    consoleEnableValue: "on",
    minimumAccessKeyLength: 3,
    minimumSecretKeyLength: 8,
    minimumDrivesPerSet: 2,
    maximumDrivesPerSet: 16,
};

const PROFILES: { [name: string]: ServiceProfile } = {
    service: serviceProfile,
    rustfs: rustfsProfile,
    minio: minioProfile,
};

/** Names of the profiles that come with the package. */
export const profileNames: readonly string[] = Object.keys(PROFILES);

/** The profile of that name, if it comes with the package. */
export function findProfile(name: string): ServiceProfile | undefined {
    return Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined;
}

/** Whether a name is one of a list's, where those that end with `*` stand for all that begin so. */
export function isNamed(name: string, patterns: readonly string[]): boolean {
    return patterns.some((pattern) =>
        pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    );
}

/** Every problem of a profile that a user gives. */
export function checkServiceProfile(profile: ServiceProfile): Problem[] {
    const { name, user, command, s3HealthPath, consoleHealthPath } = profile;
    const { s3ReadHealthPath = "/", livenessPath = "/" } = profile;
    const unless = (sound: boolean, propertyPath: string, reason: string): Problem[] =>
        sound ? [] : [{ propertyPath, reason }];
    return [
        ...unless(
            /^[a-z][a-z0-9_]*$/.test(name),
            "name",
            `"${name}" is not allowed: a lower-case letter, then lower-case letters, digits and underscores`,
        ),
        ...unless(/^[0-9]+:[0-9]+$/.test(user), "user", `"${user}" is not allowed: give uid:gid, as numbers`),
        ...unless(command.length > 0, "command", "is empty: give the store's program and its arguments"),
        ...Object.entries({ s3HealthPath, s3ReadHealthPath, consoleHealthPath, livenessPath }).flatMap(
            ([property, path]) =>
                unless(
                    /^\/[^\s"'\\]*$/.test(path),
                    property,
                    `"${path}" is not the path of a URL, such as /health/ready`,
                ),
        ),
        ...checkEdgeRestrictions(profile),
        ...checkInteger("minimumDrivesPerSet", profile.minimumDrivesPerSet, 1, profile.maximumDrivesPerSet),
    ];
}

/** What the contract says, with a store's name in place of `service`. */
function contractProfile(name: string): ServiceProfile {
    const prefix = name.toUpperCase();
    return {
        name,
        user: "10001:10001",
        command: [name],
        variables: {
            accessKey: `${prefix}_ACCESS_KEY`,
            secretKey: `${prefix}_SECRET_KEY`,
            volumes: `${prefix}_VOLUMES`,
            address: `${prefix}_ADDRESS`,
            consoleAddress: `${prefix}_CONSOLE_ADDRESS`,
            consoleEnable: `${prefix}_CONSOLE_ENABLE`,
            logLevel: `${prefix}_OBS_LOGGER_LEVEL`,
            logDirectory: `${prefix}_OBS_LOG_DIRECTORY`,
            internodeSecret: `${prefix}_RPC_SECRET`,
            consoleUrl: `${prefix}_BROWSER_REDIRECT_URL`,
            drivesOnOneDevice: `${prefix}_UNSAFE_BYPASS_DISK_CHECK`,
        },
        environment: {},
        s3HealthPath: "/health/ready",
        consoleHealthPath: `/${name}/console/health`,
        livenessPath: "/health",
        settleSeconds: 0,
        formatFile: `.${name}.sys/format.json`,
        alikeOnAllNodes: { image: false, variables: [`${prefix}_VOLUMES`, `${prefix}_RPC_SECRET`] },
        // As RustFS lays them out, on both listeners. Its console is a browser application on the admin API.
        restrictedPaths: {
            admin: [`/${name}/admin/*`, "/minio/admin/*", "/iceberg/v1/*", "/_iceberg/v1/*"],
            consoleAdmin: [`/${name}/admin/*`],
            internal: [`/${name}/rpc/*`, `/${name}/peer/*`, "/node_service.*", "/profile/cpu", "/profile/memory"],
        },
        consoleEnableValue: "true",
        logLevel: "error",
        minimumAccessKeyLength: 3,
        minimumSecretKeyLength: 8,
        minimumDrivesPerSet: 2,
        maximumDrivesPerSet: 16,
    };
}
