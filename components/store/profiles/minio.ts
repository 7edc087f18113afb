import { minioVulnerabilities } from "../knownVulnerabilities";
import type { ServiceProfile } from "../serviceProfile";

/** MinIO. Its readiness path reports the cluster's quorum, since `/minio/health/ready` answers 200 in every state. */
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
        bucketDomains: "MINIO_DOMAIN",
    },
    conflictingVariables: [
        "MINIO_CONFIG",
        "MINIO_CONFIG_ENV_FILE",
        "MINIO_ROOT_*",
        "MINIO_ACCESS_KEY*",
        "MINIO_SECRET_KEY*",
        "MINIO_ARGS",
        "MINIO_ENDPOINTS",
        "MINIO_LISTENERS",
        "MINIO_INTERFACE",
        "MINIO_BROWSER_REDIRECT",
    ],
    refusedVariables: {
        // CONSOLE_MINIO_SERVER in cmd/common-main.go.
        MINIO_SERVER_URL:
            "makes MinIO's console sign in through that URL, which nodes can't reach, so nobody could: remove it. Clients " +
            "use s3Host in any case",
    },
    environment: { MINIO_UPDATE: "off" },
    s3HealthPath: "/minio/health/cluster",
    // With half of its drives lost, a cluster can read but not write.
    s3ReadHealthPath: "/minio/health/cluster/read",
    consoleHealthPath: "/",
    livenessPath: "/minio/health/live",
    maintenancePath: "/minio/health/cluster?maintenance=true",
    // Every 15 s it searches for drives that it didn't find at its start. Its health depends on what its peers report about
    // their drives.
    settleSeconds: 17,
    // One drive of three is enough for the answer that an object doesn't exist: objectQuorumFromMeta in cmd/erasure-metadata.go.
    denialSeconds: 17,
    formatFile: ".minio.sys/format.json",
    // A node starts only among peers with the same binary and the same values. Nodes authenticate to each other by the root
    // keys.
    sameOnAllNodes: { image: true, variables: ["MINIO_*"] },
    // Its console sends its own requests from within the node.
    restrictedPaths: {
        admin: ["/minio/admin/*", "/minio/kms/*", "/minio/metrics/*", "/minio/v2/*", "/minio/prometheus/*"],
        consoleAdmin: [],
        internal: ["/minio/bootstrap/*", "/minio/grid/*", "/minio/lock/*", "/minio/peer/*", "/minio/storage/*"],
    },
    // CVE-2026-40344, CVE-2026-41145 (GHSA-9c4q-hq6p-c237): no community release fixes them. CVE-2025-31489: the releases since
    // RELEASE.2025-04-03T14-56-28Z verify the signature in `Authorization`.
    unverifiedUploads: {
        payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        verifiedAuthorization: "AWS4-HMAC-SHA256",
        queryParameters: ["X-Amz-Credential"],
        headers: ["X-Amz-Meta-Snowball-Auto-Extract"],
        verifyingReleases: ">=20250403.145628.0",
    },
    // CVE-2026-34204 (GHSA-3rh2-v3gr-35p9): no community release fixes it. PutObjectHandler in cmd/object-handlers.go asks for
    // s3:ReplicateObject; extractMetadataFromReq in cmd/handler-utils.go reads queries too.
    replicatedMetadata: {
        prefix: "X-Minio-Replication-",
        permitted: { header: "X-Amz-Bucket-Replication-Status", value: "REPLICA" },
        completedBy: "uploadId",
    },
    // getDownloadPublicObjectResponse in api/public_objects.go of its console reads any path of the node's own address.
    sharedObjects: { path: "/api/v1/download-shared-object/", reserved: "minio" },
    knownVulnerabilities: minioVulnerabilities,
    consoleEnableValue: "on",
    minimumAccessKeyLength: 3,
    minimumSecretKeyLength: 8,
    minimumDrivesPerSet: 2,
    maximumDrivesPerSet: 16,
    // newErasureServerPools in cmd/erasure-server-pool.go.
    parityOfFirstPool: true,
    parityVariable: "MINIO_STORAGE_CLASS_STANDARD",
    // BackgroundHealStatusHandler in cmd/admin-handlers.go. It answers for all nodes, and leaves out those that don't answer it.
    healing: { drives: "POST /minio/admin/v3/background-heal/status" },
};
