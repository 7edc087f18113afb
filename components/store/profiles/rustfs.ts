import { contractProfile } from "./contract";
import { rustfsVulnerabilities } from "../knownVulnerabilities";
import type { ServiceProfile } from "../serviceProfile";

export const contract = contractProfile("rustfs");

/**
 * RustFS, the store that the contract describes.
 *
 * The four one-second limits keep a lost node from delaying the readiness of the others beyond the proxy's check
 * timeout: with the defaults, one stopped node of four takes the whole S3 backend down 40 seconds later.
 */
export const rustfsProfile: ServiceProfile = {
    ...contract,
    // Measured: all shards were available 15 s to 20 s after a node had returned. Some reads failed if another node stopped
    // earlier.
    settleSeconds: 20,
    image: "rustfs/rustfs:1.0.1",
    user: "10001:10001",
    // RustFS's upgrade runbook rolls images out, and its own tests run rc.2 beside later builds. Releases before rc.2 don't work
    // beside the next ones: beta.12 doesn't start beside beta.11 (rustfs#5509), rc.1 gets no locks from beta.11 (rustfs#5922).
    mixedReleases: ["1.0.0-rc.2 || 1.0.0-rc.3 || >=1.0.0 <1.1.0"],
    variables: {
        ...contract.variables,
        trustedProxies: "RUSTFS_TRUSTED_PROXY_NETWORKS",
        bucketDomains: "RUSTFS_SERVER_DOMAINS",
    },
    conflictingVariables: [
        "RUSTFS_ROOT_*",
        "RUSTFS_TLS_*",
        "RUSTFS_SERVER_MTLS_ENABLE",
        "RUSTFS_CONSOLE_PREFIX",
        "RUSTFS_CONSOLE_BASE_PATH",
        // RustFS takes these for its own ones of the same name: EXTERNAL_COMPATIBLE_SUFFIXES in rustfs-utils/src/envs.rs.
        "MINIO_ROOT_*",
        "MINIO_ACCESS_KEY*",
        "MINIO_SECRET_KEY*",
        "MINIO_VOLUMES",
        "MINIO_ADDRESS",
        "MINIO_CONSOLE_ADDRESS",
    ],
    knownVulnerabilities: rustfsVulnerabilities,
    // Both in rustfs/src/admin/handlers/quota.rs. The second one asks QuotaChecker::get_real_time_usage, as each write does.
    quotaPaths: {
        quota: "/rustfs/admin/v3/get-bucket-quota?bucket=",
        count: "/rustfs/admin/v3/quota-stats/",
    },
    parityVariable: "RUSTFS_STORAGE_CLASS_STANDARD",
    // storageinfo in rustfs/src/admin/handlers/system.rs shows the file healing.bin of each drive, which is there from a new drive's
    // format until everything is healed. The other two are in handlers/heal.rs.
    healing: {
        drives: "GET /rustfs/admin/v3/storageinfo",
        tasks: "POST /rustfs/admin/v3/background-heal/status",
        replacements: "GET /rustfs/admin/v4/heal/replacement-recovery",
    },
    durabilityPath: "/rustfs/admin/v3/bucket-durability/",
    environment: {
        RUSTFS_CONSOLE_CORS_ALLOWED_ORIGINS: "",
        RUSTFS_DNS_CACHE_TTL_SECS: "5",
        RUSTFS_DRIVE_DISK_INFO_TIMEOUT_SECS: "1",
        // All nodes of a rack lose their power together. 1.0.0 gives new buckets the mode `relaxed`, unless this says otherwise
        // (rustfs-ecstore, src/bucket/durability.rs).
        RUSTFS_DURABILITY_MODE: "strict",
        // Its default, 300 s, ends the healing of a large drive. Measured with 8 s: a drive with a device of its own goes on after 10 s; one
        // that shares its device stays at 47 of 400 objects, also after a restart.
        RUSTFS_HEAL_TASK_TIMEOUT_SECS: String(7 * 24 * 3600),
        RUSTFS_INTERNODE_CONNECT_TIMEOUT_SECS: "1",
        RUSTFS_INTERNODE_HTTP2_KEEPALIVE_INTERVAL_SECS: "1",
        RUSTFS_INTERNODE_HTTP2_KEEPALIVE_TIMEOUT_SECS: "1",
        RUSTFS_NEW_BUCKET_DURABILITY_MODE: "inherit",
        RUSTFS_OBS_LOG_MAX_TOTAL_SIZE_BYTES: String(32 * 1024 * 1024),
        RUSTFS_OBS_LOG_STDOUT_ENABLED: "true",
        // The other implementation, its default, reads no list: it trusts every client with a private IPv4 address.
        RUSTFS_TRUSTED_PROXY_IMPLEMENTATION: "legacy",
    },
};
