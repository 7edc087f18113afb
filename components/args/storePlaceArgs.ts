import type * as pulumi from "@pulumi/pulumi";
import type { StoreHost } from "./hostArgs";

/** Args of where a store's nodes run, shared by {@link StorageCluster} and {@link ObjectStore}. */
export interface StorePlaceArgs {
    /**
     * Image of MinIO's client, with an exact version, for the buckets, policies and access keys in the store.
     *
     * @default `minio/mc:RELEASE.2025-08-13T08-35-41Z`
     * @group contents
     */
    clientImage?: string;
    /**
     * Additional labels for the nodes' containers, such as a team or a cost centre. A change replaces the nodes.
     *
     * @default none
     * @group store
     */
    labels?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
    /**
     * Docker hosts that the nodes are spread over:
     * `[{name: a, dockerHost: "ssh://ops@10.0.0.1", address: 10.0.0.1}, …]` (docs/start/several-hosts.md); can't be
     * changed while the cluster has data. Each pool starts at the first host, one node after the other. Their Docker daemons
     * must be members of one Docker swarm.
     *
     * @default none; all nodes run on the provider's own host
     * @group hosts
     */
    hosts?: StoreHost[];
    /**
     * Names of those of `hosts` whose Docker daemons don't answer, for updates in the meantime: their resources stay as they
     * are, and no node is replaced. After a host's return, remove it here: the next update applies to it what it has
     * missed.
     *
     * @default none; an update is refused if a Docker daemon doesn't answer
     * @group hosts
     */
    unreachableHosts?: string[];
    /**
     * Allows the data between hosts to be sent without encryption, for hosts whose kernel has no ESP or whose network
     * is private; can't be changed later.
     *
     * @default false
     * @group hosts
     */
    unencryptedOverlay?: boolean;
    /**
     * Allows a layout in which objects can't be read or written while any one host is away.
     *
     * @default false
     * @group hosts
     */
    allowSinglePointOfFailure?: boolean;
    /**
     * Docker host that the Docker provider deploys to. The program itself sends queries to it. Refused if the provider
     * uses another Docker daemon.
     *
     * @default the host of the provider that is passed to the component; without one the config keys (`docker:context`,
     * `docker:host` …); without these the environment, as the provider reads it
     * @program
     */
    dockerHost?: pulumi.Input<string>;
}
