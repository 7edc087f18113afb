import * as pulumi from "@pulumi/pulumi";
import { isPlain } from "../checks/plain";
import type { Problem } from "../checks/problem";
import { checkBucketDomain, isBelow } from "../store/bucketDomains";
import type { ClusterEndpoints } from "../args/clusterEndpoints";
import { hostnamesOf, namedHostnames, storePath, storesOf, type ProxyBackends } from "./proxyBackends";

/** Every name that the certificate has to cover: the hostnames, and a wildcard for each store with hostnames for buckets. */
export function certificateNamesOf(args: ProxyBackends): pulumi.Input<string>[] {
    const wildcards = storesOf(args).flatMap(({ s3Host, virtualHostBuckets }) =>
        virtualHostBuckets === true ? [isPlain(s3Host) ? `*.${s3Host}` : pulumi.interpolate`*.${s3Host}`] : [],
    );
    return [...hostnamesOf(args), ...wildcards];
}

/**
 * Problems of stores whose buckets have hostnames. None of the proxy's own hostnames may be one of these: a bucket with
 * that name couldn't be reached, and its pages could set the other's cookies.
 */
export function checkBucketHosts(args: ProxyBackends): Problem[] {
    const hostnames = namedHostnames(args);
    return storesOf(args).flatMap(({ s3Host, virtualHostBuckets }, index) => {
        if (virtualHostBuckets !== true || !isPlain(s3Host)) {
            return [];
        }
        const below = hostnames.flatMap(({ propertyPath, value }) =>
            isPlain(value) && isBelow(value, s3Host) ? [{ propertyPath, value }] : [],
        );
        return [
            ...checkBucketDomain(`${storePath(args, index)}virtualHostBuckets`, s3Host),
            ...below.map(({ propertyPath, value }) => ({
                propertyPath,
                reason: `"${value}" is below "${s3Host}", where virtualHostBuckets gives hostnames to buckets: give another one`,
            })),
        ];
    });
}

/**
 * Problems of stores that read hostnames in another way than the proxy: a cluster that doesn't read buckets from
 * hostnames below the S3 hostname, or reads them below other ones only. RustFS would take the S3 hostname for a bucket then.
 */
export function checkBucketDomainsOfClusters(
    args: ProxyBackends,
    stores: readonly { s3Host: string; virtualHostBuckets?: boolean; cluster: ClusterEndpoints }[],
): Problem[] {
    return stores.flatMap(({ s3Host, virtualHostBuckets, cluster: { bucketDomains = [] } }, index) => {
        if (bucketDomains.includes(s3Host.toLowerCase())) {
            return [];
        }
        const path = storePath(args, index);
        const needed = `needs a cluster that reads buckets from hostnames: set bucketDomains of its StorageCluster to ["${s3Host}"]`;
        const missing = `"${s3Host}" is not in the bucketDomains of its StorageCluster, which would take it for a bucket: add it there`;
        return [
            ...(virtualHostBuckets === true ? [{ propertyPath: `${path}virtualHostBuckets`, reason: needed }] : []),
            ...(virtualHostBuckets !== true && bucketDomains.length > 0
                ? [{ propertyPath: `${path}s3Host`, reason: missing }]
                : []),
        ];
    });
}
