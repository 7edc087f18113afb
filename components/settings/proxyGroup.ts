import type * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "../args/clusterEndpoints";
import type { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import type { Host } from "../docker/hosts";
import type { ProxyPeer } from "../haproxyConfig/args";

/** What a proxy gets from its deployment. */
export interface ProxyContext {
    host: Host;
    /** For `dependsOn`: known once everything holds that is required of the engines, and it is this proxy's turn. */
    allowed: pulumi.Output<pulumi.Resource[]>;
    /** The endpoints of each store's cluster, known before its nodes are healthy. Default: those in the args. */
    earlyEndpoints?: pulumi.Output<ClusterEndpoints>[];
    /** The self-signed certificate of all proxies. Default: the proxy makes its own. */
    selfSigned?: SelfSignedCertificate;
    /** What they share if the certificate is obtained by ACME. Default: the proxy obtains its own. */
    group?: ProxyGroup;
    /** Address from which a program on the host checks whether the proxy serves. Its requests aren't logged. Default: none. */
    checkedFrom?: string;
    /** Called before the proxy or its network may be replaced, once all that can refuse the change has passed. */
    beforeReplacement?: (proxy: DesiredProxy) => Promise<void>;
}

/** A proxy as it will be after the update. */
export interface DesiredProxy {
    /** Digest of the inputs of its container, as in its label. */
    inputs: pulumi.Output<string>;
    /** The network through which clients connect. Undefined for an existing one, which the update doesn't replace. */
    network: pulumi.Output<ClientNetwork | undefined>;
}

/** Proxies that share one certificate by ACME, as one of them sees it. */
export interface ProxyGroup {
    /** Name of their store. */
    storeName: string;
    /** Names of the hosts of all of them: an earlier one orders before a later one. */
    hosts: string[];
    /** Name of this one's host. */
    host: string;
    /** The others. */
    peers: pulumi.Output<ProxyPeer[]>;
    /** Certificate and key, in PEM, with which their proxies authenticate each other. */
    peersPem: pulumi.Output<string>;
    /** Known once all of them serve. A challenge can arrive at any of them. */
    serving: pulumi.Output<void>;
}

/** The network through which clients connect, as a proxy creates it. */
export interface ClientNetwork {
    name: string;
    /** Its IPv4 subnet, in CIDR notation. */
    subnet: string;
    /** Undefined without IPv6. */
    ipv6Subnet: string | undefined;
}
