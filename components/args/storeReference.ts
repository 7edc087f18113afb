import type { StoreHost } from "./hostArgs";

/**
 * A deployed store, as the resources in it find it: by the labels of its nodes' containers, on its Docker daemon. The root keys are
 * read from a node, so this holds no secret, and another stack may use it.
 */
export interface StoreReference {
    /** Name of the store on its Docker hosts: `storeName` of an `ObjectStore`, `clusterName` of a `StorageCluster`. */
    name: string;
    /**
     * Docker host, in the format of `DOCKER_HOST`: `unix://path`, `ssh://user@host` or `tcp://host:port`. Default: the one
     * that the environment of Pulumi names.
     */
    dockerHost?: string;
    /** Folder with `ca.pem`, `cert.pem` and `key.pem`, for `tcp://`. Default: none. */
    certPath?: string;
    /** Hosts of a store on several hosts, in place of `dockerHost`. Default: none. */
    hosts?: StoreHost[];
    /**
     * Image of MinIO's client `mc`. The Docker daemon pulls it if it lacks it. Default: the environment variable
     * `OBJECT_STORE_CLIENT_IMAGE`, otherwise `minio/mc:RELEASE.2025-08-13T08-35-41Z`.
     */
    clientImage?: string;
}
