import type * as pulumi from "@pulumi/pulumi";
import type { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import type { FrontEndPeer } from "../haproxyConfig/args";
import type { CheckedOptions } from "./context";

/** Options of a front end that is one of several of a store. */
export interface FrontEndOptions extends CheckedOptions {
    /** The self-signed certificate of all of them. Default: the front end makes its own. */
    selfSigned?: SelfSignedCertificate;
    /** What they share if the certificate is obtained by ACME. Default: the front end obtains its own. */
    group?: FrontEndGroup;
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

/** Front ends that share one certificate by ACME, as one of them sees it. */
export interface FrontEndGroup {
    /** Name of their store. */
    storeName: string;
    /** Names of the hosts of all of them: an earlier one orders before a later one. */
    hosts: string[];
    /** Name of this one's host. */
    host: string;
    /** The others. */
    peers: pulumi.Output<FrontEndPeer[]>;
    /** Certificate and key, in PEM, with which their proxies authenticate each other. */
    peersPem: pulumi.Output<string>;
    /** Known once all of them serve. A challenge can arrive at any of them. */
    serving: pulumi.Output<void>;
}

/** The options that a front end which is one of several has beyond those of a component. */
export function frontEndOptions(opts: FrontEndOptions = {}): FrontEndOptions {
    return opts;
}

/** The network through which clients connect, as a front end creates it. */
export interface ClientNetwork {
    name: string;
    /** Its IPv4 subnet, in CIDR notation. */
    subnet: string;
    /** Undefined without IPv6. */
    ipv6Subnet: string | undefined;
}
