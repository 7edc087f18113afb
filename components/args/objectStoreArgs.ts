import type * as pulumi from "@pulumi/pulumi";
import type { StoreNodesArgs } from "./storageClusterArgs";
import type { StorePlaceArgs } from "./storePlaceArgs";
import type { FloatingAddressArgs } from "./floatingAddressArgs";
import type { StoreEdgeArgs } from "./haproxyFrontEndArgs";
import type { KeyPair, StoreContentsArgs } from "./contentsArgs";

/** Args of {@link ObjectStore}: the args of both parts, with one name and one limit of open files for both. */
export interface ObjectStoreArgs extends StoreNodesArgs, StorePlaceArgs, StoreEdgeArgs, StoreContentsArgs {
    /**
     * Public hostname of the S3 API. A change is loaded without replacing the proxy.
     *
     * @default `s3.localhost`
     * @group proxy
     */
    s3Host?: pulumi.Input<string>;
    /**
     * Public hostname of the console; must differ from the S3 hostname. A change is loaded without replacing the proxy.
     * With MinIO it replaces the nodes, which know the URL of their console.
     *
     * @default `console.localhost`
     * @group proxy
     */
    consoleHost?: pulumi.Input<string>;
    /**
     * Image of HAProxy 3.2 on Debian, with an exact version. A change replaces the proxy.
     *
     * @default `haproxy:3.2.26`
     * @group proxy
     */
    haproxyImage?: pulumi.Input<string>;
    /**
     * Name of the store on the Docker host: prefix of all containers, volumes and networks, 40 characters at most;
     * can't be changed later.
     *
     * @default the component's name; in stack config `PROJECT-STACK`
     * @group store
     */
    storeName?: string;
    /**
     * Additional labels for all containers, such as a team or a cost centre. A change replaces them.
     *
     * @default none
     * @group store
     */
    labels?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
    /**
     * Limit of open files for each node and for the proxy. A change replaces the containers.
     *
     * @default 20000
     * @range 1024..1048576
     * @group nodes
     */
    openFiles?: number;
    /**
     * Whether Pulumi protects against deletion: data volumes, the credentials that open them, the self-signed
     * certificate's CA, and the volumes with the ACME account, its keys and certificates.
     *
     * @default true
     * @group nodes
     */
    retainData?: boolean;
    /**
     * Names of those of `hosts` that get a proxy, which publishes the ports. Clients find them by DNS names with the
     * addresses of all of them. A change creates or removes proxies.
     *
     * @default all hosts; required with more than 6
     * @length 1..6
     * @group hosts
     */
    frontEndHosts?: string[];
    /**
     * Whether each of `hosts` gets a watchdog: a container that starts the store's containers which the host's Docker daemon
     * doesn't start again by itself. It couldn't, because the swarm had no quorum of managers, or it has ended them
     * itself after it was killed. The watchdog mounts the Docker daemon's socket (docs/explanation/security.md). It needs
     * `hosts`. A change creates or removes the watchdogs.
     *
     * @default true
     * @group hosts
     */
    watchdog?: boolean;
    /**
     * An address that keepalived keeps on a host whose proxy serves, for several hosts:
     * `{address: 10.0.0.100, image: …}` (docs/how-to/floating-address.md). Without it, clients find the proxies by DNS
     * names with the addresses of all of them.
     *
     * @default none
     * @group hosts
     */
    floatingAddress?: FloatingAddressArgs;
    /**
     * Further stores behind the same proxy, each with its own hostnames, nodes, network, volumes and credentials:
     * `[{name: media, s3Host: …, consoleHost: …}, …]` (docs/reference/configuration.md#keys-of-additional-stores). An
     * added or removed store is loaded without replacing the proxy. Removing a store that has data is refused unless
     * `allowedChanges` contains `storeRemoval`. Can't be combined with `hosts`.
     *
     * @default none
     * @group stores
     */
    additionalStores?: AdditionalStoreArgs[];
}

/** A further store behind the proxy of an {@link ObjectStore}, on the same Docker host. */
export interface AdditionalStoreArgs extends StoreNodesArgs, StoreContentsArgs {
    /**
     * Name that distinguishes the store from the others: lower-case letters, digits and hyphens; can't be changed
     * later. On the Docker host its names begin with that of the {@link ObjectStore} and this one, 40 characters at
     * most together.
     */
    name: string;
    /** Public hostname of its S3 API. A change is loaded without replacing the proxy. */
    s3Host: pulumi.Input<string>;
    /** Public hostname of its console; must differ from all others. A change is loaded without replacing the proxy. */
    consoleHost: pulumi.Input<string>;
    /**
     * Whether clients may also name a bucket in the hostname (virtual-host style): `bucket.media.example.com` for the
     * `s3Host` `media.example.com`. A change replaces the nodes; for the proxy it is loaded without replacing it.
     *
     * @default false
     */
    virtualHostBuckets?: boolean;
    /**
     * Networks, in CIDR notation, from which clients may use the store's admin API on the S3 hostname. A network that
     * contains a gateway of the proxy's own networks is refused. A change is loaded without replacing the proxy.
     *
     * @default none; all clients get 403
     */
    adminNetworks?: string[];
    /**
     * Networks, in CIDR notation, from which clients may use the console's hostname; others get 403. A network that
     * contains a gateway is refused. A change is loaded without replacing the proxy.
     *
     * @default open to all clients
     */
    consoleNetworks?: string[];
    /**
     * Whether Pulumi protects the store's data volumes, and the credentials that open them, against deletion.
     *
     * @default that of the {@link ObjectStore}
     */
    retainData?: boolean;
}

/** Outputs of one of the {@link AdditionalStoreArgs}. */
export interface AdditionalStoreOutputs {
    /** URL of its S3 API. */
    s3Endpoint: string;
    /** URL of its console. */
    consoleUrl: string;
    /**
     * Its root access key.
     *
     * @secret
     */
    accessKey: string;
    /**
     * Its root secret key.
     *
     * @secret
     */
    secretKey: string;
    /** The access keys of its args `accessKeys`, by name. */
    accessKeys: { [name: string]: KeyPair };
    /** Names of its nodes' containers. */
    nodeNames: string[];
    /** Names of its data volumes. */
    volumeNames: string[];
}
