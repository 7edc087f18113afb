import type * as pulumi from "@pulumi/pulumi";
import type { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import type { FrontEndPeer } from "../haproxy/args";
import type { CheckedOptions } from "../preflight/engineSnapshot";

/** Options of a front end that shares its certificate with others. */
export interface FrontEndOptions extends CheckedOptions {
    /** The self-signed certificate of all of them. Default: the front end makes its own. */
    selfSigned?: SelfSignedCertificate;
    /** What they share if the certificate is obtained by ACME. Default: the front end obtains its own. */
    group?: FrontEndGroup;
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

/** The self-signed certificate that front ends share. Undefined for a front end with its own. */
export function sharedCertificateOf(opts?: FrontEndOptions): SelfSignedCertificate | undefined {
    return opts?.selfSigned;
}

/** The group of a front end. Undefined for a front end that is alone. */
export function groupOf(opts?: FrontEndOptions): FrontEndGroup | undefined {
    return opts?.group;
}
