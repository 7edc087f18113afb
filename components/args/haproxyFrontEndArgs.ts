import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "./clusterEndpoints";
import type { CertificateArgs } from "./certificateArgs";
import type { StoreMoveArgs, FrontEndService, FrontEndStore } from "./proxyStoreArgs";

/** Args of the proxy, shared by {@link HaproxyFrontEnd} and {@link ObjectStore}. */
export interface StoreEdgeArgs {
    /** Public hostname of the S3 API. A change is loaded without replacing the proxy. */
    s3Host?: pulumi.Input<string>;
    /** Public hostname of the console; must differ from the S3 hostname. A change is loaded without replacing the proxy. */
    consoleHost?: pulumi.Input<string>;
    /**
     * Whether clients may also name a bucket in the hostname (docs/how-to/clients.md#buckets-in-hostnames):
     * `bucket.s3.example.com` for the `s3Host` `s3.example.com`. Needs DNS records for `*.s3.example.com`, and a
     * certificate with that name. Path style keeps working. A {@link StorageCluster} of your own needs `bucketDomains`
     * as well. In an {@link ObjectStore}, a change replaces the nodes; for the proxy it is loaded without replacing it.
     *
     * @default false
     * @group proxy
     */
    virtualHostBuckets?: boolean;
    /**
     * Other services behind the proxy, each with its own hostname. An added service on another network replaces the
     * proxy.
     *
     * @default none
     * @group proxy
     */
    services?: FrontEndService[];
    /**
     * Host port for HTTP, which redirects to HTTPS. A change replaces the proxy.
     *
     * @default 80
     * @range 1..65535
     * @group proxy
     */
    httpPort?: pulumi.Input<number>;
    /**
     * Host port for HTTPS. A change replaces the proxy. In an {@link ObjectStore} with MinIO, it also replaces the nodes,
     * which know the URL of their console.
     *
     * @default 443
     * @range 1..65535
     * @group proxy
     */
    httpsPort?: pulumi.Input<number>;
    /**
     * Host address that both ports are published on. A change replaces the proxy.
     *
     * @default `0.0.0.0`
     * @group proxy
     */
    publishAddress?: string;
    /**
     * Source of the certificate: `pem`, `acme` or `selfSigned` (docs/how-to/certificates.md). A change is loaded
     * without replacing the proxy.
     *
     * @default self-signed
     * @group certificate
     */
    certificate?: CertificateArgs;
    /**
     * IPv4 network through which clients connect, in CIDR notation, /16 to /29. A change replaces the network and the
     * proxy.
     *
     * @default a /24 within 10.192.0.0/11, derived from the proxy's name
     * @group proxy
     */
    publicSubnet?: string;
    /**
     * IPv6 network through which clients connect, /48 to /112, such as `fd12:3456:789a::/64`
     * (docs/how-to/restrict-access.md#ipv6). With it, both ports are also published on `publishIpv6Address`. The proxy
     * sees the address of an IPv6 client if the Docker daemon translates addresses itself: Docker 27 and newer by default,
     * older ones with `ip6tables`. On others, all IPv6 clients have the gateway's address. It can't be combined with
     * `publicNetworkName`. A change replaces the network and the proxy.
     *
     * @default none; ports are published on `publishAddress` alone
     * @group proxy
     */
    publicIpv6Subnet?: string;
    /**
     * Host address that both ports are published on in addition, if there is a `publicIpv6Subnet`. A change replaces
     * the proxy.
     *
     * @default `::`, every IPv6 address; `::1` if `publishAddress` is a loopback address
     * @group proxy
     */
    publishIpv6Address?: string;
    /**
     * Name of an existing Docker network through which clients connect, instead of one that the proxy creates. It
     * must not be an internal network. An ACME client takes its last address. A change replaces the proxy.
     *
     * @default none; the proxy creates a network with `publicSubnet`
     * @group proxy
     */
    publicNetworkName?: pulumi.Input<string>;
    /**
     * Networks, in CIDR notation, from which clients may use the store's admin API on the S3 hostname, such as
     * `["10.1.0.0/16"]`. A network that contains a gateway of the proxy's own networks is refused: clients that connect
     * through the Docker host itself, and all IPv6 clients, have that address. A change is loaded without replacing the
     * proxy.
     *
     * @default none; all clients get 403
     * @group clients
     */
    adminNetworks?: string[];
    /**
     * Networks, in CIDR notation, from which clients may use the console's hostname; others get 403. A network that
     * contains a gateway is refused, as for `adminNetworks`. A change is loaded without replacing the proxy.
     *
     * @default open to all clients
     * @group clients
     */
    consoleNetworks?: string[];
    /**
     * Networks, in CIDR notation, of proxies and load balancers that clients connect through, such as
     * `["10.3.0.0/24"]`: their `X-Forwarded-For` counts (docs/how-to/behind-a-proxy.md). From these, and only from
     * these, the client's address is read: from the right, up to the first address that isn't in these networks, at
     * most five. That address is used in limits, `adminNetworks`, `consoleNetworks` and the access log, and the store
     * gets it. An address in these networks itself never counts as one of `adminNetworks` or `consoleNetworks`.
     * Connections from these networks have no limit of their own; requests have the limit of their client. A network
     * that contains a gateway is refused, as for `adminNetworks`, unless `publishAddress` is a loopback address. A
     * change is loaded without replacing the proxy.
     *
     * @default none; clients connect directly
     * @group clients
     */
    trustedProxies?: string[];
    /**
     * `required`: each connection, on both ports, must begin with a PROXY protocol header, version 1 or 2, with the
     * client's address. Only `trustedProxies` may connect then. A header without an address (`UNKNOWN`, `LOCAL`) is
     * that of a proxy's own health check. A change is loaded without replacing the proxy.
     *
     * @default none; a connection with such a header is refused
     * @oneOf required
     * @group clients
     */
    proxyProtocol?: string;
    /**
     * A move of the store's clients to another store, which `npm run move` sets (docs/how-to/move.md). A change is
     * loaded without replacing the proxy.
     *
     * @default none
     * @group proxy
     */
    move?: StoreMoveArgs;
    /**
     * HSTS max-age in seconds (`Strict-Transport-Security`, RFC 6797): for that time browsers use only HTTPS for these
     * hostnames; start low (docs/how-to/restrict-access.md#hsts). 0 ends it. Browsers keep the old value until they
     * receive a new one. A change is loaded without replacing the proxy.
     *
     * @default the header isn't sent
     * @range 0..315360000
     * @group proxy
     */
    hstsMaxAge?: number;
    /**
     * Maximum number of concurrent connections of one client address to the HTTPS port; to the HTTP port, which only
     * redirects, at most a 64th of `openFiles`. Further connections are closed at once. The same limit applies to
     * concurrent requests of one address (HTTP/2 can have a hundred on one connection); further requests get 503
     * `SlowDown`. An IPv6 client is counted by the first 64 bits of its address. A change is loaded without replacing
     * the proxy.
     *
     * @default an eighth of `openFiles`, which is a quarter of all connections that the proxy accepts, and a third of
     * those of the HTTPS port
     * @range 1..1048576
     * @group proxy
     */
    maxConnectionsPerAddress?: number;
    /**
     * Time after a reload (a renewed certificate causes one), in seconds, after which requests from before the reload
     * are cut off (HAProxy manual, `hard-stop-after`). Until then a transfer goes on as long as data moves, in an old
     * worker process. That process takes about 10 MB of memory in addition to its connections. There are at most 50 of
     * these, one for each reload that a transfer has outlived. A change is loaded without replacing the proxy.
     *
     * @default 86400
     * @range 60..604800
     * @group proxy
     */
    hardStopAfter?: number;
    /**
     * Number of the address that this proxy takes among those that a node network reserves for proxies. Each proxy of
     * the same cluster needs a different number. Has no effect for stores that have no trusted proxy addresses. A
     * change replaces the proxy.
     *
     * @default 1
     * @range 1..6
     * @program
     */
    proxyNumber?: number;
    /**
     * Format of the proxy's access log: HAProxy's own `text`, `json` (one object per line, with a request id), or
     * `errors` (text, failed requests only). The request id is in the response too (`X-Request-Id`). `errors` (HAProxy
     * manual, `option dontlog-normal`) saves a fifth of the proxy's CPU if objects are small. A change is loaded
     * without replacing the proxy.
     *
     * @default `text`
     * @oneOf text, json, errors
     * @group proxy
     */
    accessLog?: string;
    /**
     * Additional labels for the containers, such as a team or a cost centre. A change replaces the proxy.
     *
     * @default none
     */
    labels?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
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

/** Args of {@link HaproxyFrontEnd}. */
export interface HaproxyFrontEndArgs extends StoreEdgeArgs {
    /**
     * The cluster behind the proxy: {@link StorageCluster.endpoints}, known once every node is healthy. Together with the
     * two hostnames it is the short form of `stores` for one store. It can't be combined with `stores`.
     */
    cluster?: pulumi.Input<ClusterEndpoints>;
    /**
     * Several stores, at least one, each with its own hostnames. The component's outputs are those of the first store.
     * The backends of a store don't change if other stores are added or removed. A running proxy joins the network of
     * an added store, and is not replaced.
     *
     * @default one store, of `cluster`
     */
    stores?: FrontEndStore[];
    /**
     * Image of HAProxy 3.2 on Debian, with an exact version. A change replaces the proxy.
     *
     * @default `haproxy:3.2.26`
     */
    image?: pulumi.Input<string>;
    /**
     * Name of the proxy on the Docker host: prefix of its container, volumes and network.
     *
     * @default the component's name
     */
    frontEndName?: string;
    /**
     * Limit of open files. HAProxy accepts half as many connections. A change replaces the proxy.
     *
     * @default 20000
     * @range 1024..1048576
     */
    openFiles?: number;
    /**
     * Whether Pulumi protects against deletion: the self-signed certificate's CA, and the volumes with the ACME
     * account, its keys and certificates.
     *
     * @default true
     */
    retainCertificates?: boolean;
    /**
     * Time limit for the proxy to become healthy, and for a configuration to be loaded, in seconds.
     *
     * @default 60
     * @range 10..3600
     */
    readyTimeout?: number;
}
