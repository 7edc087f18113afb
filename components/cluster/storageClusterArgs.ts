import * as pulumi from "@pulumi/pulumi";
import type { ServiceProfile } from "../store/serviceProfile";
import type { Pool } from "../store/topology";

/** Args of a store's nodes, in {@link StorageCluster} and in {@link ObjectStore}. */
export interface StoreNodesArgs {
    /** Profile that comes with the package: `rustfs`, `minio` or `service`. Default: `rustfs`. */
    profile?: string;
    /** A profile of your own, for another store that keeps the service contract. Default: none. */
    customProfile?: ServiceProfile;
    /**
     * Image with an exact version. Default: the profile's own; the profile `service` has none, so that it must be
     * given. A change replaces the nodes' containers.
     */
    image?: pulumi.Input<string>;
    /**
     * Nodes, 1 to 64. More than one form one erasure-coded cluster. Default: 1. Fixed for the cluster's life, which grows
     * by `pools`. Excludes `pools`, as the three below do.
     */
    nodeCount?: number;
    /** Drives of each node, 1 to 64. Default: 1. Fixed for the cluster's life. */
    drivesPerNode?: number;
    /**
     * Folders of the host that drives stand on, one list for each node. Default: none, the volumes lie in Docker's
     * own data folder.
     */
    drivePaths?: string[][];
    /**
     * Docker volumes that are there already and hold the drives, one list for each node: those of another deployment, or of a
     * volume driver of your own. Their files have to belong to the store's user. They are never deleted, and fixed for the
     * cluster's life. Excludes `drivePaths`. Default: none, each drive gets a volume of its own.
     */
    volumeNames?: string[][];
    /**
     * Pools, in the order in which they came to the cluster: `nodeCount`, `drivesPerNode`, `drivePaths` and `volumeNames` of each.
     * Another one at the end grows the cluster; those that are there are fixed. Default: one pool, of `nodeCount` nodes.
     * A pool more replaces the nodes, at once where the store can't do otherwise.
     */
    pools?: Pool[];
    /**
     * Changes that are refused otherwise, for what they do to data or to requests: `outage`, `rootKeyChange`,
     * `networkChange`, `emptyDrives`, `poolChange`, `drivePathChange`, `profileChange`, `rename`, `otherStack` (docs/operations.md).
     * Default: none.
     */
    allowedChanges?: string[];
    /** Any text, such as a date. Another one replaces the nodes one by one. Default: none. */
    restartedAt?: string;
    /**
     * Limit for requests that run on a node to end before it is replaced, in seconds, 0 to 3600; those that still run
     * are cut off. Default: 120.
     */
    drainTimeout?: number;
    /**
     * Lets several drives stand on one device, so that one disk's end can take more drives than the erasure code
     * bears. For development. Default: false.
     */
    allowDrivesOnOneDevice?: boolean;
    /**
     * IPv4 network between the nodes, /16 to /26. Its lower half holds the nodes' fixed addresses. Default: a /24
     * within 10.192.0.0/11 that follows from the cluster's name. A change replaces the network and every node at once; it
     * is refused without `networkChange` in `allowedChanges`.
     */
    subnet?: string;
    /**
     * Root access key, at least 3 characters. Default: generated. A change replaces the nodes' containers; on data that is
     * there it is refused without `rootKeyChange` in `allowedChanges`.
     */
    accessKey?: pulumi.Input<string>;
    /** Root secret key, at least 8 characters. Default: generated. A change is as one of `accessKey`. */
    secretKey?: pulumi.Input<string>;
    /**
     * Secret that nodes show each other, at least 16 characters, where the store has one of its own. Default:
     * generated. A change replaces the nodes' containers.
     */
    internodeSecret?: pulumi.Input<string>;
    /** Log level of the store. Default: `error`. Refused for a store without levels. */
    logLevel?: string;
    /** More environment variables for the store. A change replaces the nodes' containers. */
    environment?: { [name: string]: pulumi.Input<string> };
    /** More environment variables for the store that stay secret, from `docker inspect` too. */
    secretEnvironment?: { [name: string]: pulumi.Input<string> };
    /** Certificates in PEM that the store trusts besides its image's own, for what it asks of others. */
    additionalTrustedCertificates?: pulumi.Input<string>;
    /** Gives the nodes a second network, through which they reach others: identity providers, webhooks. Default: false. */
    egress?: boolean;
    /** Memory limit of each node, in MiB, from 64, without swap. Default: none. */
    memory?: number;
    /** CPU limit of each node, in CPUs; fractions allowed. Default: none. */
    cpus?: number;
    /** Limit for all nodes to become healthy, in seconds, 10 to 3600. Default: 300. */
    readyTimeout?: number;
    /** More labels for the nodes' containers, such as a team or a cost centre. Default: none. A change replaces the nodes. */
    labels?: { [name: string]: string };
    /**
     * Host of the engine that the Docker provider deploys to, for what the program itself asks of it. Default: that of the provider that is
     * passed to the component, else of the config keys (`docker:context`, `docker:host` …), else of the environment, as the provider takes
     * them. Refused where the provider talks to another engine.
     */
    dockerHost?: pulumi.Input<string>;
}

/** Args of {@link StorageCluster}. */
export interface StorageClusterArgs extends StoreNodesArgs {
    /**
     * Name of the cluster on the Docker host: prefix of its containers, volumes and networks. Lower-case letters,
     * digits and hyphens, 40 characters at most. Default: the component's name. Fixed for the cluster's life.
     */
    clusterName?: string;
    /** Public URL of the console, for the store's own redirects. Default: none. */
    consoleUrl?: pulumi.Input<string>;
    /** Limit of open files of each node, 1024 to 1048576. Default: 20000. */
    openFiles?: number;
    /** Whether Pulumi refuses to delete data volumes and the credentials that open them. Default: true. */
    retainData?: boolean;
}
