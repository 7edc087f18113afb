import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { ServiceProfile } from "../store/serviceProfile";
import type { NodePlace } from "../store/topology";

/** Args of {@link StorageNode}. */
export interface StorageNodeArgs {
    /** What the store is. A change replaces the container. */
    profile: ServiceProfile;
    /** Image, by id or by a reference with an exact version. A change replaces the container. */
    image: pulumi.Input<string>;
    /** Names, address and drives of the node. Fixed for its life. */
    place: NodePlace;
    /** Name of the cluster that the node belongs to, for labels. */
    clusterName: string;
    /** Name of the internal network between the nodes. A change replaces the container. */
    networkName: pulumi.Input<string>;
    /** Name of a second network, through which the store reaches others. Default: none, the store reaches nobody. */
    egressNetworkName?: pulumi.Input<string>;
    /** Nodes of the cluster and their addresses, which the store finds without asking a name server. Default: none. */
    hosts?: HostAddress[];
    /** Environment variables. A change replaces the container. */
    environment: { [name: string]: pulumi.Input<string> };
    /** Environment variables that only the store sees, not `docker inspect`. A change replaces the container. */
    secretEnvironment: { [name: string]: pulumi.Input<string> };
    /** Certificates, in PEM, that the store trusts besides its image's own, for what it asks of others. */
    additionalTrustedCertificates?: pulumi.Input<string>;
    /** Memory limit, in MiB, without swap. Default: none. A change replaces the container. */
    memory?: number;
    /** CPU limit, in CPUs; fractions allowed. Default: none. A change replaces the container. */
    cpus?: number;
    /** Limit of open files. Default: 20000. A change replaces the container. */
    openFiles?: number;
    /** Whether Pulumi refuses to delete the drives' volumes. Default: true. */
    retainData?: boolean;
    /** Docker host that the provider uses, as the cluster's args have it. */
    dockerHost?: pulumi.Input<string>;
    /** Limit for preparing the node's volumes, in seconds. Default: 120. */
    prepareTimeout?: number;
    /** Project and stack, joined by a slash, for labels. Default: those of the program. */
    stackName?: string;
    /** Any text; another one replaces the container. Default: none. */
    restartedAt?: string;
    /** More labels of the node's containers. Default: none. A change replaces the container. */
    labels?: { [name: string]: string };
    /** Digest of what the node has alike with its peers, for a label. Default: none. */
    alike?: pulumi.Input<string>;
}

/** A name that a container finds an address by without asking a name server, as in `/etc/hosts`. */
export interface HostAddress {
    /** The name. */
    host: string;
    /** IPv4 address. */
    ip: string;
}

/** What the parts of a node wait for, as `dependsOn` takes it. */
export interface NodeTurns {
    /** Waited for before the files are written that the node's next start reads. */
    prepare: pulumi.Input<pulumi.Resource[]>;
    /** Waited for before the container is created or replaced. */
    replace: pulumi.Input<pulumi.Resource[]>;
}

/**
 * Says what a node waits for: asked when everything about it is known, with the digest of its container's inputs, with these
 * themselves, and with an output that is known once its files are written.
 */
export type NodeTurn = (
    inputs: pulumi.Output<string>,
    args: docker.ContainerArgs,
    prepared: pulumi.Output<unknown>,
) => NodeTurns;
