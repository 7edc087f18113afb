import * as pulumi from "@pulumi/pulumi";
import type { ServiceProfile } from "../store/serviceProfile";
import type { StorePlaceArgs } from "./storePlaceArgs";
import type { Pool } from "../store/topology";

/** Args of a store's nodes, shared by {@link StorageCluster}, {@link ObjectStore} and {@link AdditionalStoreArgs}. */
export interface StoreNodesArgs {
    /**
     * Built-in profile of the store; `service` is another store that keeps the contract (docs/reference/contract.md),
     * and needs `image`.
     *
     * @default `rustfs`
     * @oneOf rustfs, minio, service
     * @group store
     */
    profile?: string;
    /**
     * Your own profile, for another store that fulfils the service contract (docs/reference/contract.md).
     *
     * @default none
     * @group store
     */
    customProfile?: ServiceProfile;
    /**
     * Image of the store, with an exact version. The profile `service` has none, so `image` is required with it. A
     * change replaces the nodes' containers.
     *
     * @default the profile's
     * @group store
     */
    image?: pulumi.Input<string>;
    /**
     * Number of nodes; can't be changed later: a cluster grows by `pools`. Several nodes form one erasure-coded
     * cluster. Can't be combined with `pools`; the same holds for the next three properties.
     *
     * @default 1
     * @range 1..64
     * @group nodes
     */
    nodeCount?: number;
    /**
     * Number of drives of each node; can't be changed later.
     *
     * @default 1
     * @range 1..64
     * @group nodes
     */
    drivesPerNode?: number;
    /**
     * Folders of the Docker host that hold the drives, one list for each node: `[["/mnt/a"], ["/mnt/b"]]`.
     *
     * @default none; the volumes are in Docker's own data folder
     * @group nodes
     */
    drivePaths?: string[][];
    /**
     * Names of existing Docker volumes that hold the drives, one list for each node
     * (docs/how-to/combine-components.md#existing-volumes). They are volumes of another deployment, or of your own
     * volume driver. Their files must belong to the store's user. They are never deleted, and can't be changed later.
     * Can't be combined with `drivePaths`.
     *
     * @default none; each drive gets a new volume
     * @group nodes
     */
    volumeNames?: string[][];
    /**
     * Pools, in the order in which they were added to the cluster, in place of the four settings above:
     * `[{nodeCount: 4, drivesPerNode: 2}, …]` (docs/how-to/grow.md). Each has `nodeCount`, `drivesPerNode`,
     * `drivePaths` and `volumeNames`. Append a pool to grow the cluster; existing pools can't be changed. An added pool
     * replaces the nodes, all at once if the store requires that.
     *
     * @default one pool of `nodeCount` nodes
     * @group nodes
     */
    pools?: Pool[];
    /**
     * Dangerous changes to permit, a list of words (docs/troubleshooting/refused-changes.md). They are refused by
     * default because of their effect on data or requests: `outage`, `mixedReleases`, `rootKeyChange`, `networkChange`,
     * `poolChange`, `drivePathChange`, `rename`, `otherStack`, `storeRemoval`; and, for the drives of a node or host,
     * `emptyDrives:NAME`, `unhealedDrives:NAME`.
     *
     * @default none
     * @group updates
     */
    allowedChanges?: string[];
    /**
     * Any string, such as a date; a change triggers a rolling restart: the nodes are replaced one by one.
     *
     * @default none
     * @group updates
     */
    restartedAt?: string;
    /**
     * Time that the requests running on a node have to finish before the node is replaced, in seconds. Requests that
     * still run after it are cut off.
     *
     * @default 120
     * @range 0..3600
     * @group updates
     */
    drainTimeout?: number;
    /**
     * Allows several drives on one device, for development. A failure of that device can then take more drives than the
     * erasure code tolerates.
     *
     * @default false
     * @group nodes
     */
    allowDrivesOnOneDevice?: boolean;
    /**
     * IPv4 network between the nodes, in CIDR notation, /16 to /26. Its lower half holds the nodes' fixed addresses. A
     * change replaces the network and all nodes at once; it is refused unless `allowedChanges` contains
     * `networkChange`.
     *
     * @default a /24 within 10.192.0.0/11, derived from the cluster's name
     * @group nodes
     */
    subnet?: string;
    /**
     * Root access key. A change replaces the nodes' containers. If the cluster has data, a change is refused unless
     * `allowedChanges` contains `rootKeyChange`.
     *
     * @default generated
     * @length 3..
     * @secret
     * @group keys
     */
    accessKey?: pulumi.Input<string>;
    /**
     * Root secret key. A change has the same effect as one of `accessKey`.
     *
     * @default generated
     * @length 8..
     * @secret
     * @group keys
     */
    secretKey?: pulumi.Input<string>;
    /**
     * Secret by which nodes authenticate to each other, for stores that have a separate one (not MinIO). A change
     * replaces the nodes' containers.
     *
     * @default generated
     * @length 16..
     * @secret
     * @group keys
     */
    internodeSecret?: pulumi.Input<string>;
    /**
     * Log level of the store. Refused for a store without log levels, such as MinIO.
     *
     * @default `error`
     * @oneOf error, warn, info, debug, trace
     * @group store
     */
    logLevel?: string;
    /**
     * Additional environment variables for the store. A change replaces the nodes' containers.
     *
     * @default none
     * @group store
     */
    environment?: { [name: string]: pulumi.Input<string> };
    /**
     * Additional environment variables for the store that are kept secret: `docker inspect` doesn't show them.
     *
     * @default none
     * @secret
     * @group store
     */
    secretEnvironment?: { [name: string]: pulumi.Input<string> };
    /**
     * Certificates of CAs in PEM that the store trusts in addition to those of its image, for its own outgoing
     * requests.
     *
     * @default none
     * @file
     * @group store
     */
    additionalTrustedCertificates?: pulumi.Input<string>;
    /**
     * Whether the nodes get a second network for outgoing connections, for example to identity providers and webhooks.
     *
     * @default false
     * @group store
     */
    egress?: boolean;
    /**
     * Memory limit of each node, in MiB, without swap.
     *
     * @default none
     * @range 64..1073741824
     * @group nodes
     */
    memory?: number;
    /**
     * CPU limit of each node, in CPUs, such as `1.5`.
     *
     * @default none
     * @fractions
     * @group nodes
     */
    cpus?: number;
    /**
     * Time limit for all nodes to become healthy, in seconds.
     *
     * @default 300
     * @range 10..3600
     * @group updates
     */
    readyTimeout?: number;
}

/** Args of {@link StorageCluster}. */
export interface StorageClusterArgs extends StoreNodesArgs, StorePlaceArgs {
    /**
     * Name of the cluster on the Docker host: prefix of its containers, volumes and networks. Lower-case letters,
     * digits and hyphens, 40 characters at most. Can't be changed later.
     *
     * @default the component's name
     */
    clusterName?: string;
    /**
     * Public URL of the console, used by the store for its own redirects.
     *
     * @default none
     */
    consoleUrl?: pulumi.Input<string>;
    /**
     * Hostnames of the S3 API below which the first label names a bucket: `bucket.s3.example.com` for `s3.example.com`.
     * Give the proxy's `s3Host`, and set `virtualHostBuckets` there. Path style works too, at these hostnames and
     * at the nodes' own addresses. None may be below another one. Only for stores with a variable for it, such as
     * RustFS and MinIO. A change replaces the nodes, as a change of `environment` does.
     *
     * @default none, path style only
     */
    bucketDomains?: pulumi.Input<string>[];
    /**
     * Limit of open files for each node.
     *
     * @default 20000
     * @range 1024..1048576
     * @group nodes
     */
    openFiles?: number;
    /**
     * Whether Pulumi protects the data volumes, and the credentials that open them, against deletion.
     *
     * @default true
     * @group nodes
     */
    retainData?: boolean;
}
