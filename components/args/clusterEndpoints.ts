import type { EdgeRestrictions, RestrictedPaths } from "../store/edgeRestrictions";

/** Addresses, ports and paths by which a proxy on a cluster's network reaches the cluster. */
export interface ClusterEndpoints extends EdgeRestrictions {
    /** Name of the profile. */
    profileName: string;
    /** Name of the node network, which a proxy joins. */
    networkName: string;
    /** Subnet of the node network, in CIDR notation. */
    subnet: string;
    /** The nodes, in a fixed order. */
    servers: ClusterServer[];
    /** Port of the S3 listener. */
    s3Port: number;
    /** Port of the console listener. */
    consolePort: number;
    /** Path of the S3 listener that reports readiness. */
    s3HealthPath: string;
    /** Path of the S3 listener that answers 200 as long as a node can read. Default: none. */
    s3ReadHealthPath?: string;
    /** Path of the console listener that reports health. */
    consoleHealthPath: string;
    /**
     * Time after its start for which a node may deny what its peers have, in seconds: a proxy keeps it out of the S3 API.
     * Default: none.
     */
    denialSeconds?: number;
    /**
     * Path of the S3 listener that a working process answers at once. A proxy asks for it to see that a node with
     * `denialSeconds` has started. Default: `s3HealthPath`.
     */
    livenessPath?: string;
    /** Paths that are not open to all clients. */
    restrictedPaths: RestrictedPaths;
    /**
     * Addresses of the node network that are reserved for proxies. The nodes accept a client address in forwarded headers
     * only from these. Default: none; a proxy gets any address.
     */
    proxyAddresses?: string[];
    /** Hostnames of the S3 API below which the store reads buckets from hostnames, in lower case. Default: none. */
    bucketDomains?: string[];
}

/** One node, as a proxy sees it. */
export interface ClusterServer {
    /** `node1`, `node2` … */
    name: string;
    /** Address on the node network. */
    address: string;
}
