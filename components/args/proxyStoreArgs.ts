import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "./clusterEndpoints";

/**
 * A move of a store's clients to another store, which has the same hostnames and root keys and a copy of the objects: to
 * other hosts, or to another layout of drives.
 */
export interface StoreMoveArgs {
    /** The other store's proxies, each an IPv4 address with the port for HTTPS, as `10.0.0.1:443`. */
    to: string[];
    /**
     * Certificates of the CAs that issued the other store's certificate, as PEM.
     *
     * @default the public CAs that Node.js contains
     * @file
     */
    trustedCertificates?: string;
    /**
     * Name of this move: lower-case letters, digits and hyphens, 40 characters at most. The state of a move with
     * another name has no effect.
     *
     * @default `move`
     */
    name?: string;
    /**
     * Whether all requests are forwarded to the other store. Before that they go to this store, until
     * `npm run move -- switch` has switched the running proxies.
     *
     * @default false
     */
    done?: boolean;
}

/** One store behind a proxy. */
export interface FrontEndStore {
    /**
     * Name that distinguishes the store from the proxy's other stores; it is part of the names of its backends.
     * Lower-case letters, digits and hyphens, 40 characters at most. After a change the store is unavailable until two
     * health checks have passed.
     *
     * @default none, which is allowed for one store of a proxy
     */
    name?: string;
    /**
     * The cluster: {@link StorageCluster.endpoints}, known once every node is healthy.
     */
    cluster: pulumi.Input<ClusterEndpoints>;
    /** Public hostname of its S3 API. A change is loaded without replacing the proxy. */
    s3Host: pulumi.Input<string>;
    /**
     * Public hostname of its console; must differ from `s3Host`. A change is loaded without replacing the proxy. In an
     * {@link ObjectStore} with MinIO, it replaces the nodes, which know the URL of their console.
     */
    consoleHost: pulumi.Input<string>;
    /**
     * Whether clients may also name a bucket in the hostname: `bucket.s3.example.com` for the `s3Host`
     * `s3.example.com`. The cluster needs this `s3Host` in its `bucketDomains`, and the certificate the name
     * `*.s3.example.com`. A change is loaded without replacing the proxy.
     *
     * @default false
     */
    virtualHostBuckets?: boolean;
    /**
     * Networks, in CIDR notation, from which clients may use the store's admin API on the S3 hostname. A network that
     * contains a gateway of the proxy's own networks is refused: clients that connect through the Docker host itself,
     * and all IPv6 clients, have that address. A change is loaded without replacing the proxy.
     *
     * @default none; all clients get 403
     */
    adminNetworks?: string[];
    /**
     * Networks, in CIDR notation, from which clients may use the console's hostname; others get 403. A network that
     * contains a gateway is refused, as for `adminNetworks`. A change is loaded without replacing the proxy.
     *
     * @default open to all clients
     */
    consoleNetworks?: string[];
    /**
     * A move of the store's clients to another store (docs/how-to/move.md). A change is loaded without replacing the
     * proxy.
     *
     * @default none
     */
    move?: StoreMoveArgs;
}

/** Another HTTP service behind a proxy, for example an application beside the store. WebSockets are supported. */
export interface FrontEndService {
    /**
     * Name of the service, part of the name of its backend: lower-case letters, digits and hyphens, 40 characters at most.
     */
    name: string;
    /** Its public hostname. A change is loaded without replacing the proxy. */
    hostname: pulumi.Input<string>;
    /** Name of the Docker network that its containers are attached to. The proxy joins it. A change replaces the proxy. */
    networkName: pulumi.Input<string>;
    /** Its containers. A change is loaded without replacing the proxy. */
    servers: FrontEndServiceServer[];
    /**
     * Path of the health check: answers with a status from 200 to 399 while a container can serve.
     *
     * @default `/`
     */
    healthPath?: string;
}

/** One container of a service. */
export interface FrontEndServiceServer {
    /** Its name or alias on the service's network, resolved again every few seconds, or its IPv4 address. */
    host: string;
    /**
     * Port that it listens on without TLS.
     *
     * @range 1..65535
     */
    port: number;
}

/** The URLs of one store behind a proxy. */
export interface StoreUrls {
    /** URL of the S3 API. */
    s3Endpoint: string;
    /** URL of the console. */
    consoleUrl: string;
}
