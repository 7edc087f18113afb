import type { RestrictedPaths, UnverifiedUploads } from "../store/edgeRestrictions";

/** Where a cluster is reached, by a proxy on its network. */
export interface ClusterEndpoints {
    /** Name of the profile. */
    profileName: string;
    /** Name of the node network, which a proxy joins. */
    networkName: string;
    /** Addresses of the node network, in CIDR notation. */
    subnet: string;
    /** The nodes, in a fixed order. */
    servers: ClusterServer[];
    /** Port of the S3 listener. */
    s3Port: number;
    /** Port of the console listener. */
    consolePort: number;
    /** Readiness of the S3 listener. */
    s3HealthPath: string;
    /** Path of the S3 listener that answers 200 for as long as a node can read. Default: none. */
    s3ReadHealthPath?: string;
    /** Health of the console listener. */
    consoleHealthPath: string;
    /** Paths that are not for everyone. */
    restrictedPaths: RestrictedPaths;
    /**
     * Addresses of the node network that are kept for proxies: the nodes take their word for who a client is, and nobody else's.
     * Default: none, a proxy gets any address.
     */
    proxyAddresses?: string[];
    /** Uploads that are refused, since the store verifies no signature of theirs. Default: none. */
    unverifiedUploads?: UnverifiedUploads;
}

/** One node, as a proxy sees it. */
export interface ClusterServer {
    /** `node1`, `node2` … */
    name: string;
    /** Address on the node network. */
    address: string;
}
