import * as pulumi from "@pulumi/pulumi";
import type { ServiceProfile } from "../store/serviceProfile";
import type { StoreHost } from "./hostArgs";
import type { Pool } from "../store/topology";

/** Args of a store's nodes, shared by {@link StorageCluster}, {@link ObjectStore} and {@link AdditionalStoreArgs}. */
export interface StoreNodesArgs {
    /** Built-in profile: `rustfs`, `minio` or `service`. Default: `rustfs`. */
    profile?: string;
    /** Your own profile, for another store that fulfils the service contract. Default: none. */
    customProfile?: ServiceProfile;
    /**
     * Image reference with an exact version. Default: the profile's image. The profile `service` has none, so `image` is
     * required with it. A change replaces the nodes' containers.
     */
    image?: pulumi.Input<string>;
    /**
     * Number of nodes, 1 to 64. Several nodes form one erasure-coded cluster. Default: 1. Can't be changed later: a cluster
     * grows by `pools`. Can't be combined with `pools`; the same holds for the next three properties.
     */
    nodeCount?: number;
    /** Number of drives of each node, 1 to 64. Default: 1. Can't be changed later. */
    drivesPerNode?: number;
    /**
     * Folders of the Docker host that hold the drives, one list for each node. Default: none; the volumes are in Docker's
     * own data folder.
     */
    drivePaths?: string[][];
    /**
     * Names of existing Docker volumes that hold the drives, one list for each node: volumes of another deployment, or of
     * your own volume driver. Their files must belong to the store's user. They are never deleted, and can't be changed
     * later. Can't be combined with `drivePaths`. Default: none; each drive gets a new volume.
     */
    volumeNames?: string[][];
    /**
     * Pools, in the order in which they were added to the cluster. Each has `nodeCount`, `drivesPerNode`, `drivePaths` and
     * `volumeNames`. Append a pool to grow the cluster; existing pools can't be changed. Default: one pool of `nodeCount`
     * nodes. An added pool replaces the nodes, all at once if the store requires that.
     */
    pools?: Pool[];
    /**
     * Permits changes that are refused by default because of their effect on data or requests: `outage`, `mixedReleases`,
     * `rootKeyChange`, `networkChange`, `poolChange`, `drivePathChange`, `rename`, `otherStack`,
     * `storeRemoval`; and, for the drives of a node or host, `emptyDrives:NAME`, `unhealedDrives:NAME` (docs/troubleshooting/refused-changes.md).
     * Default: none.
     */
    allowedChanges?: string[];
    /**
     * Any string, such as a date. A change triggers a rolling restart: the nodes are replaced one by one. Default: none.
     */
    restartedAt?: string;
    /**
     * Time that the requests running on a node have to finish before the node is replaced, in seconds, 0 to 3600. Requests
     * that still run after it are cut off. Default: 120.
     */
    drainTimeout?: number;
    /**
     * Allows several drives on one device. A failure of that device can then take more drives than the erasure code
     * tolerates. For development. Default: false.
     */
    allowDrivesOnOneDevice?: boolean;
    /**
     * IPv4 network between the nodes, in CIDR notation, /16 to /26. Its lower half holds the nodes' fixed addresses.
     * Default: a /24 within 10.192.0.0/11, derived from the cluster's name. A change replaces the network and all nodes at
     * once; it is refused unless `allowedChanges` contains `networkChange`.
     */
    subnet?: string;
    /**
     * Root access key, at least 3 characters. Default: generated. A change replaces the nodes' containers. If the cluster
     * has data, a change is refused unless `allowedChanges` contains `rootKeyChange`.
     */
    accessKey?: pulumi.Input<string>;
    /** Root secret key, at least 8 characters. Default: generated. A change has the same effect as one of `accessKey`. */
    secretKey?: pulumi.Input<string>;
    /**
     * Secret by which nodes authenticate to each other, at least 16 characters, for stores that have a separate one.
     * Default: generated. A change replaces the nodes' containers.
     */
    internodeSecret?: pulumi.Input<string>;
    /** Log level of the store. Default: `error`. Refused for a store without log levels. */
    logLevel?: string;
    /** Additional environment variables for the store. A change replaces the nodes' containers. */
    environment?: { [name: string]: pulumi.Input<string> };
    /** Additional environment variables for the store that are kept secret; `docker inspect` doesn't show them. */
    secretEnvironment?: { [name: string]: pulumi.Input<string> };
    /** Certificates in PEM that the store trusts in addition to those of its image, for its own outgoing requests. */
    additionalTrustedCertificates?: pulumi.Input<string>;
    /**
     * Whether the nodes get a second network for outgoing connections, for example to identity providers and webhooks.
     * Default: false.
     */
    egress?: boolean;
    /** Memory limit of each node, in MiB, from 64, without swap. Default: none. */
    memory?: number;
    /** CPU limit of each node, in CPUs; fractions allowed. Default: none. */
    cpus?: number;
    /** Time limit for all nodes to become healthy, in seconds, 10 to 3600. Default: 300. */
    readyTimeout?: number;
}

/** Args of where a store's nodes run, shared by {@link StorageCluster} and {@link ObjectStore}. */
export interface StorePlaceArgs {
    /**
     * Image of MinIO's client, with an exact version, for the buckets, policies and access keys in the store. Default:
     * `minio/mc:RELEASE.2025-08-13T08-35-41Z`.
     */
    clientImage?: string;
    /**
     * Additional labels for the nodes' containers, such as a team or a cost centre. Default: none. A change replaces the
     * nodes.
     */
    labels?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
    /**
     * Docker hosts that the nodes are spread over: each pool from the first host on, one node after the other. Their engines
     * must be members of one Docker swarm (docs/start/several-hosts.md). Default: none; all nodes run on the provider's own host. Can't be
     * added to, or removed from, a cluster that has data.
     */
    hosts?: StoreHost[];
    /**
     * Names of those of `hosts` whose engines don't answer, for updates in the meantime: their resources stay as they are,
     * and no node is replaced. Default: none; an update is refused if an engine doesn't answer. After a host's return, remove
     * it here: the next update applies to it what it has missed.
     */
    unreachableHosts?: string[];
    /**
     * Allows the data between hosts to be sent without encryption, for hosts whose kernel has no ESP or whose network is
     * private. Default: false; the overlay network is encrypted. Can't be changed later.
     */
    unencryptedOverlay?: boolean;
    /**
     * Allows a layout in which objects can't be read or written while any one host is away. Default: false; such a layout is
     * refused.
     */
    allowSinglePointOfFailure?: boolean;
    /**
     * Docker host that the Docker provider deploys to. The program itself sends queries to it. Default: the host of the
     * provider that is passed to the component; without one the config keys (`docker:context`, `docker:host` …); without
     * these the environment, as the provider reads it. Refused if the provider uses another engine.
     */
    dockerHost?: pulumi.Input<string>;
}

/** Args of {@link StorageCluster}. */
export interface StorageClusterArgs extends StoreNodesArgs, StorePlaceArgs {
    /**
     * Name of the cluster on the Docker host: prefix of its containers, volumes and networks. Lower-case letters, digits
     * and hyphens, 40 characters at most. Default: the component's name. Can't be changed later.
     */
    clusterName?: string;
    /** Public URL of the console, used by the store for its own redirects. Default: none. */
    consoleUrl?: pulumi.Input<string>;
    /**
     * Hostnames of the S3 API below which the first label names a bucket: `bucket.s3.example.com` for `s3.example.com`. Give
     * the front end's `s3Host`, and set `virtualHostBuckets` there. Path style works too, at these hostnames and at the
     * nodes' own addresses. None may be below another one.
     * Only for stores with a variable for it, such as RustFS and MinIO. Default: none, path style only. A change replaces
     * the nodes, as a change of `environment` does.
     */
    bucketDomains?: pulumi.Input<string>[];
    /** Limit of open files for each node, 1024 to 1048576. Default: 20000. */
    openFiles?: number;
    /** Whether Pulumi protects the data volumes, and the credentials that open them, against deletion. Default: true. */
    retainData?: boolean;
}
