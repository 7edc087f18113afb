import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "./clusterEndpoints";
import type { CertificateArgs } from "./certificateArgs";
import type { StoreMoveArgs, FrontEndService, FrontEndStore } from "./proxyStoreArgs";

/** Args of the front end, shared by {@link HaproxyFrontEnd} and {@link ObjectStore}. */
export interface StoreEdgeArgs {
    /** Public hostname of the S3 API. A change is loaded without replacing the proxy. */
    s3Host?: pulumi.Input<string>;
    /** Public hostname of the console; must differ from the S3 hostname. A change is loaded without replacing the proxy. */
    consoleHost?: pulumi.Input<string>;
    /**
     * Whether clients may also name a bucket in the hostname (virtual-host style): `bucket.s3.example.com` for the `s3Host`
     * `s3.example.com`. Needs DNS records for `*.s3.example.com`, and a certificate with that name. Path style keeps working.
     * A {@link StorageCluster} of your own needs `bucketDomains` as well. Default: false, path style only. In an
     * {@link ObjectStore}, a change replaces the nodes; for the proxy it is loaded without replacing it.
     */
    virtualHostBuckets?: boolean;
    /**
     * Other services behind the proxy, each with its own hostname. Default: none. An added service on another network
     * replaces the proxy.
     */
    services?: FrontEndService[];
    /** Host port for HTTP, 1 to 65535. Requests to it are redirected to HTTPS. Default: 80. A change replaces the proxy. */
    httpPort?: pulumi.Input<number>;
    /** Host port for HTTPS, 1 to 65535. Default: 443. A change replaces the proxy. */
    httpsPort?: pulumi.Input<number>;
    /** Host address that both ports are published on. Default: `0.0.0.0`. A change replaces the proxy. */
    publishAddress?: string;
    /** Source of the certificate. Default: self-signed. A change is loaded without replacing the proxy. */
    certificate?: CertificateArgs;
    /**
     * IPv4 network through which clients connect, in CIDR notation, /16 to /29. Default: a /24 within 10.192.0.0/11,
     * derived from the front end's name. A change replaces the network and the proxy.
     */
    publicSubnet?: string;
    /**
     * IPv6 network through which clients connect, /48 to /112, such as `fd12:3456:789a::/64`. With it, both ports are also
     * published on `publishIpv6Address`. The proxy sees the address of an IPv6 client if the engine translates addresses
     * itself: Docker 27 and newer by default, older ones with `ip6tables`. On others, all IPv6 clients have the gateway's
     * address. It can't be combined with `publicNetworkName`. Default: none; ports are published on `publishAddress` alone.
     * A change replaces the network and the proxy.
     */
    publicIpv6Subnet?: string;
    /**
     * Host address that both ports are published on in addition, if there is a `publicIpv6Subnet`. Default: `::`, every
     * IPv6 address; `::1` if `publishAddress` is a loopback address. A change replaces the proxy.
     */
    publishIpv6Address?: string;
    /**
     * Name of an existing Docker network through which clients connect, instead of one that the front end creates. It must
     * not be an internal network. An ACME client takes its last address. Default: none; the front end creates a network
     * with `publicSubnet`. A change replaces the proxy.
     */
    publicNetworkName?: pulumi.Input<string>;
    /**
     * Networks, in CIDR notation, from which clients may use the store's admin API on the S3 hostname. A network that
     * contains a gateway of the proxy's own networks is refused: clients that connect through the Docker host itself, and
     * all IPv6 clients, have that address. Default: none; all clients get 403. A change is loaded without replacing the
     * proxy.
     */
    adminNetworks?: string[];
    /**
     * Networks, in CIDR notation, from which clients may use the console's hostname; others get 403. A network that
     * contains a gateway is refused, as for `adminNetworks`. Default: open to all clients. A change is loaded without
     * replacing the proxy.
     */
    consoleNetworks?: string[];
    /**
     * Networks, in CIDR notation, of proxies and load balancers that clients connect through. From these, and only from
     * these, the client's address is read: from `X-Forwarded-For`, from the right, up to the first address that isn't in
     * these networks, at most five. That address is used in limits, `adminNetworks`, `consoleNetworks` and the access log,
     * and the store gets it. An address in these networks itself never counts as one of `adminNetworks` or
     * `consoleNetworks`. Connections from these networks have no limit of their own; requests have the limit of their
     * client. A network that contains a gateway is refused, as for `adminNetworks`, unless `publishAddress` is a loopback
     * address. Default: none; clients connect directly. A change is loaded without replacing the proxy.
     */
    trustedProxies?: string[];
    /**
     * `required`: each connection, on both ports, must begin with a PROXY protocol header, version 1 or 2, with the
     * client's address. Only `trustedProxies` may connect then. A header without an address (`UNKNOWN`, `LOCAL`) is that of
     * a proxy's own health check. Default: none; a connection with such a header is refused. A change is loaded without
     * replacing the proxy.
     */
    proxyProtocol?: string;
    /**
     * A move of the store's clients to another store (docs/how-to/move.md). Default: none. A change is loaded without replacing
     * the proxy.
     */
    move?: StoreMoveArgs;
    /**
     * HSTS max-age in seconds, 0 to 315360000 (`Strict-Transport-Security`, RFC 6797): for that time browsers use only
     * HTTPS for these hostnames. 0 ends it. Browsers keep the old value until they receive a new one. Default: the header
     * isn't sent. A change is loaded without replacing the proxy.
     */
    hstsMaxAge?: number;
    /**
     * Maximum number of concurrent connections of one client address to the HTTPS port, 1 to 1048576; to the HTTP port, which
     * only redirects, at most a 64th of `openFiles`. Further connections are closed at once. Default: an eighth of `openFiles`,
     * which is a quarter of all connections that the proxy accepts, and a third of those of the HTTPS port. The same limit applies to concurrent requests of one address (HTTP/2 can have a hundred on one connection); further
     * requests get 503 `SlowDown`. An IPv6 client is counted by the first 64 bits of its address. A change is loaded
     * without replacing the proxy.
     */
    maxConnectionsPerAddress?: number;
    /**
     * Time after a reload, in seconds, after which requests from before the reload are cut off, 60 to 604800 (HAProxy
     * manual, `hard-stop-after`). Until then a transfer goes on as long as data moves, in an old worker process. That
     * process takes about 10 MB of memory in addition to its connections. There are at most 50 of these, one for each
     * reload that a transfer has outlived. Default: 86400 (one day). A change is loaded without replacing the proxy.
     */
    hardStopAfter?: number;
    /**
     * Number of the address that this proxy takes among those that a node network reserves for proxies, 1 to 6. Each proxy
     * of the same cluster needs a different number. Has no effect for stores that have no trusted proxy addresses. Default:
     * 1. A change replaces the proxy.
     */
    proxyNumber?: number;
    /**
     * Format of the proxy's access log. `text`: HAProxy's own format. `json`: one JSON object per line, with a request id
     * that the response has too (`X-Request-Id`). `errors`: the text format, for failed requests only (HAProxy manual,
     * `option dontlog-normal`); this saves a fifth of the proxy's CPU if objects are small. Default: `text`. A change is
     * loaded without replacing the proxy.
     */
    accessLog?: string;
    /**
     * Additional labels for the containers, such as a team or a cost centre. Default: none. A change replaces the proxy.
     */
    labels?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
    /**
     * Docker host that the Docker provider deploys to. The program itself sends queries to it. Default: the host of the
     * provider that is passed to the component; without one the config keys (`docker:context`, `docker:host` …); without
     * these the environment, as the provider reads it. Refused if the provider uses another engine.
     */
    dockerHost?: pulumi.Input<string>;
}

/** Args of {@link HaproxyFrontEnd}. */
export interface HaproxyFrontEndArgs extends StoreEdgeArgs {
    /**
     * The cluster behind the proxy: {@link StorageCluster.endpoints}, known once every node is healthy. Together with the
     * two hostnames it is the short form of `stores` for one store. It can't be combined with `stores`.
     */
    cluster?: pulumi.Input<ClusterEndpoints>;
    /**
     * Several stores, at least one, each with its own hostnames. The component's outputs are those of the first store.
     * Default: one store, of `cluster`. The backends of a store don't change if other stores are added or removed. A running
     * proxy joins the network of an added store, and is not replaced.
     */
    stores?: FrontEndStore[];
    /** Image of HAProxy 3.2 on Debian, with an exact version. Default: `haproxy:3.2.26`. A change replaces the proxy. */
    image?: pulumi.Input<string>;
    /**
     * Name of the front end on the Docker host: prefix of its container, volumes and network. Default: the component's
     * name.
     */
    frontEndName?: string;
    /**
     * Limit of open files, 1024 to 1048576. HAProxy accepts half as many connections. Default: 20000. A change replaces the
     * proxy.
     */
    openFiles?: number;
    /**
     * Whether Pulumi protects against deletion: the self-signed certificate's CA, and the volumes with the ACME account,
     * its keys and certificates. Default: true.
     */
    retainCertificates?: boolean;
    /**
     * Time limit for the proxy to become healthy, and for a configuration to be loaded, in seconds, 10 to 3600. Default:
     * 60.
     */
    readyTimeout?: number;
}
