import { s3Error } from "./errors";
import { REQUESTED_HOST } from "./section";
import { namesOf, type HaproxyStore } from "./haproxyStore";

/** A bucket's name that can be a label of a hostname. A wildcard certificate doesn't cover names with dots. */
const BUCKET = "[a-z0-9][a-z0-9-]{1,61}[a-z0-9]";

/** ACLs that are true for the hostnames of a store's buckets. Stores read these in lower case only. */
export function bucketHostAcls(store: HaproxyStore): string[] {
    const { s3Acl, bucketAcl } = namesOf(store);
    const pattern = `'^${BUCKET}[.]${store.s3Host.toLowerCase().replaceAll(".", "[.]")}(?::[0-9]+)?$'`;
    return store.virtualHostBuckets === true
        ? [s3Acl, bucketAcl].map((acl) => `acl ${acl} req.fhdr(host) -m reg ${pattern}`)
        : [];
}

/**
 * Refuses the S3 hostname in another spelling, if the store reads buckets from hostnames. RustFS would take `S3.example.com`
 * and `s3.example.com.` for the name of a bucket.
 */
export function spellingRules(store: HaproxyStore): string[] {
    const { s3Acl } = namesOf(store);
    const message = "Write the hostname in lower case, without a dot at its end";
    return (store.cluster.bucketDomains ?? []).length > 0
        ? [
              `http-request return status 400 content-type application/xml string '${s3Error("InvalidRequest", message)}' ` +
                  `if ${s3Acl} !{ req.fhdr(host) -m reg '^[a-z0-9.-]*[a-z0-9](?::[0-9]+)?$' }`,
          ]
        : [];
}

/**
 * Rules that read what a request to a bucket's hostname would be in path style, in both ways of {@link readPath}: a store
 * could take `minio.s3.example.com/admin` for `/minio/admin`.
 */
export function readBucketPaths(stores: HaproxyStore[]): string[] {
    const acls = stores.filter((store) => store.virtualHostBuckets).map((store) => namesOf(store).bucketAcl);
    return acls.length === 0
        ? []
        : [
              `http-request set-var(txn.bucket) ${REQUESTED_HOST},field(1,.) if ${acls.join(" or ")}`,
              ...["path", "resolved_path"].map(
                  (path) =>
                      `http-request set-var(txn.bucket_${path}) "str(/),concat(,txn.bucket),concat(,txn.${path})" ` +
                      `if { var(txn.bucket) -m found } { var(txn.${path}) -m found }`,
              ),
          ];
}
