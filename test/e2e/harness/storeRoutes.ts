/** The routes of a store's S3 listener that aren't S3, with an example of each. */
export interface StoreRoutes {
    /** Those that the S3 hostname closes. */
    closed: string[];
    /** Those that the S3 hostname leaves open, with the reason. */
    open: { [path: string]: string };
}

const HEALTH = "says alive or ready, and nothing else; asked without credentials by whoever watches the store";

/**
 * RustFS 1.0.1: `server/prefix.rs` with its `is_admin_path`, the admin router, the gRPC services, and the console's
 * router.
 */
export const rustfsRoutes: StoreRoutes = {
    closed: [
        ...["/rustfs/admin", "/rustfs/admin/v3/info", "/rustfs/admin/v4/x", "/minio/admin", "/minio/admin/v3/info"],
        ...["/iceberg/v1", "/iceberg/v1/config", "/_iceberg/v1", "/_iceberg/v1/config"],
        ...["/rustfs/rpc", "/rustfs/rpc/walk_dir", "/rustfs/peer/x", "/profile/cpu", "/profile/memory"],
        ...["NodeService/Ping", "ScannerControlService/X", "HealControlService/X", "TierMutationControlService/X"].map(
            (method) => `/node_service.${method}`,
        ),
    ],
    open: {
        "/health": HEALTH,
        "/health/live": HEALTH,
        "/health/ready": HEALTH,
        "/minio/health/live": HEALTH,
        "/minio/health/ready": HEALTH,
        "/minio/health/cluster": HEALTH,
        "/minio/health/cluster/read": HEALTH,
        "/rustfs/console/health": HEALTH,
        "/rustfs/console/version": "the version of the store, which its console shows before a sign-in",
        "/rustfs/console/license": "a text about the license",
        "/favicon.ico": "an icon of the console",
    },
};

/** MinIO of February 2026: `cmd/routers.go`, and the routers that it calls. */
export const minioRoutes: StoreRoutes = {
    closed: [
        ...["/minio/admin/v3/info", "/minio/kms/v1/status", "/minio/metrics/v3", "/minio/metrics/v3/cluster/health"],
        ...["cluster", "node", "bucket", "resource"].map((kind) => `/minio/v2/metrics/${kind}`),
        ...["/minio/prometheus/metrics", "/minio/storage/data/drive1/v63/diskinfo", "/minio/peer/v39/health"],
        ...["/minio/grid/v1", "/minio/grid/lock/v1", "/minio/lock/v1/x", "/minio/bootstrap/v1/verify"],
    ],
    open: {
        "/minio/health/live": HEALTH,
        "/minio/health/ready": HEALTH,
        "/minio/health/cluster": HEALTH,
        "/minio/health/cluster/read": HEALTH,
        "/crossdomain.xml": "a constant text for browsers' plug-ins",
    },
};
