import * as pulumi from "@pulumi/pulumi";
import type { CertificateArgs } from "../certificate/certificateSource";
import type { FrontEndService, FrontEndStore } from "./frontEndBackends";
import type { ClusterEndpoints } from "../traffic/clusterEndpoints";

/** Args of the way in, in {@link HaproxyFrontEnd} and in {@link ObjectStore}. */
export interface StoreEdgeArgs {
    /** Public hostname of the S3 API. A change is loaded without replacing the proxy. */
    s3Host?: string;
    /** Public hostname of the console, another one. A change is loaded without replacing the proxy. */
    consoleHost?: string;
    /** Other services by hostnames of their own. Default: none. One more on another network replaces the proxy. */
    services?: FrontEndService[];
    /** Port of the host for HTTP, 1 to 65535: redirected to HTTPS. Default: 80. A change replaces the proxy. */
    httpPort?: number;
    /** Port of the host for HTTPS, 1 to 65535. Default: 443. A change replaces the proxy. */
    httpsPort?: number;
    /** Address of the host that both ports are published on. Default: `0.0.0.0`. A change replaces the proxy. */
    publishAddress?: string;
    /** Where the certificate comes from. Default: self-signed. A change is loaded without replacing the proxy. */
    certificate?: CertificateArgs;
    /**
     * IPv4 network that clients' connections come by, in CIDR notation, /16 to /29. Default: a /24 within 10.192.0.0/11
     * that follows from the front end's name. A change replaces the network and the proxy.
     */
    publicSubnet?: string;
    /**
     * Name of a Docker network that is there already, which clients come by in place of one of the front end's own; not an
     * internal one. An ACME client takes the last of its addresses. Default: a network of its own, with `publicSubnet`.
     * A change replaces the proxy.
     */
    publicNetworkName?: pulumi.Input<string>;
    /**
     * Networks, in CIDR notation, from which the store's admin API may be used on the S3 hostname. A network that holds
     * a gateway of the proxy's own networks is refused: whoever comes by way of the Docker host itself, and every IPv6
     * client, has that address. Default: none, 403 for everybody. A change is loaded without replacing the proxy.
     */
    adminNetworks?: string[];
    /**
     * Networks, in CIDR notation, that the console's hostname is open to; others get 403. Refused where it holds a
     * gateway, as for `adminNetworks`. Default: open to everybody. A change is loaded without replacing the proxy.
     */
    consoleNetworks?: string[];
    /**
     * Seconds for which browsers use nothing but HTTPS for these hostnames (`Strict-Transport-Security`, RFC 6797), 0 to
     * 315360000; 0 ends it. It can't be taken back before browsers have heard so. Default: the header isn't sent. A
     * change is loaded without replacing the proxy.
     */
    hstsMaxAge?: number;
    /**
     * Connections that one address may have at once, over both ports, 1 to 1048576; more are closed at once. Default: a
     * quarter of `openFiles`, which is half of all that the proxy takes. As many requests of one address
     * run at once, of which HTTP/2 has a hundred on one connection; more get 503 `SlowDown`. A change is loaded without
     * replacing the proxy.
     */
    maxConnectionsPerAddress?: number;
    /**
     * Seconds from a reload after which what still runs of before it is cut off, 60 to 604800 (HAProxy manual, `hard-stop-after`).
     * Until then a transfer goes on for as long as it moves, in a process of its own that takes some 10 MB of memory besides its
     * connections; 50 of these at most, one for each reload that a transfer has outlived. Default: 86400, a day. A change is loaded
     * without replacing the proxy.
     */
    hardStopAfter?: number;
    /**
     * Which of the addresses that a node network keeps for proxies this one takes, 1 to 6: another one for each proxy of the same
     * cluster. Without effect for stores that trust no address. Default: 1. A change replaces the proxy.
     */
    proxyNumber?: number;
    /**
     * What the proxy's access log is made of: `text`, HAProxy's own format; `json`, one object a line, with an id of each
     * request, which the answer has too (`X-Request-Id`); or `errors`, the text of requests that failed alone (HAProxy manual,
     * `option dontlog-normal`), which saves a fifth of the proxy's CPU where objects are small. Default: `text`. A change is loaded
     * without replacing the proxy.
     */
    accessLog?: string;
    /** More labels for the containers, such as a team or a cost centre. Default: none. A change replaces the proxy. */
    labels?: { [name: string]: string };
    /**
     * Host of the engine that the Docker provider deploys to, for what the program itself asks of it. Default: that of the provider that is
     * passed to the component, else of the config keys (`docker:context`, `docker:host` …), else of the environment, as the provider takes
     * them. Refused where the provider talks to another engine.
     */
    dockerHost?: pulumi.Input<string>;
}

/** Args of {@link HaproxyFrontEnd}. */
export interface HaproxyFrontEndArgs extends StoreEdgeArgs {
    /**
     * The cluster behind: {@link StorageCluster.endpoints}, known once every node is healthy. With the two hostnames it is
     * the short form of `stores` for one store, and excludes that.
     */
    cluster?: pulumi.Input<ClusterEndpoints>;
    /**
     * Several stores, each with hostnames of its own, at least one. The outputs are those of the first. Default: one, of
     * `cluster`. Stores keep their backends whatever comes and goes beside them; one more or less replaces the proxy.
     */
    stores?: FrontEndStore[];
    /** Image of HAProxy 3.2 on Debian, with an exact version. Default: `haproxy:3.2.26`. A change replaces the proxy. */
    image?: pulumi.Input<string>;
    /** Name on the Docker host, prefix of its container, volumes and network. Default: the component's name. */
    frontEndName?: string;
    /**
     * Limit of open files, 1024 to 1048576; HAProxy takes half as many connections. Default: 20000. A change replaces
     * the proxy.
     */
    openFiles?: number;
    /**
     * Whether Pulumi refuses to delete the self-signed certificate's CA, and the volumes with the ACME account, its keys
     * and certificates. Default: true.
     */
    retainCertificates?: boolean;
    /** Limit for the proxy to become healthy, and for a configuration to be loaded, in seconds, 10 to 3600. Default: 60. */
    readyTimeout?: number;
}
