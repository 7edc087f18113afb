import * as pulumi from "@pulumi/pulumi";
import type { ServiceProfile } from "../store/serviceProfile";
import type { NodeSpec } from "../store/topology";

/** Args of {@link StorageNode}. */
export interface StorageNodeArgs {
    /** Profile of the store. A change replaces the container. */
    profile: ServiceProfile;
    /** Image id, or image reference with an exact version. A change replaces the container. */
    image: pulumi.Input<string>;
    /** Names, address and drives of the node. Can't be changed later. */
    place: NodeSpec;
    /** Name of the cluster that the node belongs to; written to labels. */
    clusterName: string;
    /** Name of the internal network between the nodes. A change replaces the container. */
    networkName: pulumi.Input<string>;
    /**
     * Name of a second network, for the store's outgoing connections.
     *
     * @default none; the store has no outbound access
     */
    egressNetworkName?: pulumi.Input<string>;
    /**
     * Host names and addresses of the cluster's nodes, which the store resolves without a name server.
     *
     * @default none
     */
    hosts?: HostAddress[];
    /** Environment variables. A change replaces the container. */
    environment: { [name: string]: pulumi.Input<string> };
    /**
     * Environment variables that only the store sees; `docker inspect` doesn't show them. A change replaces the
     * container.
     *
     * @secret
     */
    secretEnvironment: { [name: string]: pulumi.Input<string> };
    /** Certificates in PEM that the store trusts in addition to those of its image, for its own outgoing requests. */
    additionalTrustedCertificates?: pulumi.Input<string>;
    /**
     * Memory limit, in MiB, without swap. A change replaces the container.
     *
     * @default none
     * @range 64..1073741824
     */
    memory?: number;
    /**
     * CPU limit, in CPUs. A change replaces the container.
     *
     * @default none
     * @fractions
     */
    cpus?: number;
    /**
     * Limit of open files. A change replaces the container.
     *
     * @default 20000
     * @range 1024..1048576
     */
    openFiles?: number;
    /**
     * Whether Pulumi protects the drives' volumes against deletion.
     *
     * @default true
     */
    retainData?: boolean;
    /** Docker host that the provider uses, as in the cluster's args. */
    dockerHost?: pulumi.Input<string>;
    /**
     * Time limit for preparing the node's volumes, in seconds.
     *
     * @default 120
     */
    prepareTimeout?: number;
    /**
     * Project and stack, joined by a slash; written to labels.
     *
     * @default those of the program
     */
    stackName?: string;
    /**
     * Any string. A change replaces the container.
     *
     * @default none
     */
    restartedAt?: string;
    /**
     * Additional labels of the node's containers. A change replaces the container.
     *
     * @default none
     */
    labels?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
    /**
     * Digest of the settings that must be identical on all nodes, for a label.
     *
     * @default none
     */
    alike?: pulumi.Input<string>;
}

/** A host name that a container resolves to an address without a name server, as in `/etc/hosts`. */
export interface HostAddress {
    /** The name. */
    host: string;
    /** IPv4 address. */
    ip: string;
}
