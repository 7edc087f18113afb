import type { ClusterEndpoints } from "../args/clusterEndpoints";

/** A store, as configured in haproxy.cfg. */
export interface HaproxyStore {
    /** Name that distinguishes it from the proxy's other stores. One store may have no name. */
    name?: string;
    /** Public hostname of the S3 API. */
    s3Host: string;
    /** Public hostname of the console. */
    consoleHost: string;
    /** Whether the first label of a hostname below `s3Host` names a bucket. Default: false. */
    virtualHostBuckets?: boolean;
    /** The cluster behind the proxy. */
    cluster: ClusterEndpoints;
    /** Networks, in CIDR notation, from which clients may use the admin API on the S3 hostname. */
    adminNetworks: string[];
    /** Networks from which clients may use the console's hostname. Empty: all clients may. */
    consoleNetworks: string[];
    /** Its move to another store. Default: none. */
    move?: HaproxyMove;
}

/** The move of a store's clients to the proxies of another store, as configured in haproxy.cfg. */
export interface HaproxyMove {
    /** Distinguishes it from earlier moves in the file of its state. */
    name: string;
    /** The proxies of the other store. */
    to: { address: string; port: number }[];
    /** Name of the file, in the same folder as the configuration, with the CAs of their certificate. */
    trustedFile: string;
    /** Whether all requests go there, whatever the file of its state says. */
    done: boolean;
}

/** Names of a store in haproxy.cfg. */
export interface StoreNames {
    s3Backend: string;
    /** Serves reads while no node of the S3 backend is up. */
    s3ReadBackend: string;
    consoleBackend: string;
    /** ACLs that are true for its hostnames. */
    s3Acl: string;
    consoleAcl: string;
    /** ACL that is true for hostnames of its buckets, if these have any. {@link StoreNames.s3Acl} is true for these too. */
    bucketAcl: string;
    /** Prefix of its other ACLs. */
    prefix: string;
}

/** Names of a store's backends and ACLs. Other stores don't affect them. */
export function namesOf({ name }: Pick<HaproxyStore, "name">): StoreNames {
    // Names of stores and services have no colon, so ACLs of two parts never have one name.
    const [suffix, prefix] = name === undefined ? ["", ""] : [`-${name}`, `${name}:`];
    return {
        s3Backend: `s3${suffix}`,
        s3ReadBackend: `s3_read${suffix}`,
        consoleBackend: `console${suffix}`,
        s3Acl: `${prefix}s3_host`,
        consoleAcl: `${prefix}console_host`,
        bucketAcl: `${prefix}bucket_host`,
        prefix,
    };
}
