import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";
import type { WithDefaults } from "../args/schema";
import type { AccessLog } from "./accessLog";
import type { ClientAddressArgs } from "./clientAddress";
import type { AddressLimits } from "./limits";
import type { HaproxyService } from "./services";
import type { HaproxyStore } from "./haproxyStore";

/** A certificate in the same folder as the configuration. */
export interface FixedCertificate {
    /** Name of the PEM file. */
    file: string;
    /** Its expiry time, RFC 3339. */
    notAfter: string;
}

/** A certificate that can change while the configuration stays the same. */
export interface ChangingCertificate {
    /** HTTP-01 challenges, which the proxy passes on. Default: none; the certificate is obtained by DNS-01. */
    challenges?: HttpChallenges;
    /** The other proxies that share the certificate. Default: none; the proxy is the only one. */
    peers?: ProxyPeer[];
}

/** How HTTP-01 challenges are answered. */
export interface HttpChallenges {
    /** Address of the ACME client, which answers them. */
    acmeAddress: string;
    /** The response to {@link SELF_CHECK_PATH}, which identifies this proxy. */
    selfCheck: string;
}

/** Another proxy of the same store. */
export interface ProxyPeer {
    /** Name of its host. */
    name: string;
    /** Address of its proxy on the node network. */
    address: string;
}

/** Args that haproxy.cfg has as they are. */
type AsGiven = Pick<WithDefaults<"HaproxyFrontEndArgs", HaproxyFrontEndArgs>, "hardStopAfter" | "hstsMaxAge">;

/** Settings of an HAProxy in front of stores. */
export interface HaproxyConfigArgs extends AddressLimits, AsGiven, ClientAddressArgs {
    /** The stores behind the proxy, at least one. */
    stores: HaproxyStore[];
    /** Other services behind the proxy. */
    services: HaproxyService[];
    /** Host port on which clients reach TLS, as used in redirects. */
    httpsPort: number;
    /** The certificate: a file in the same folder as the configuration, or one that an ACME client renews. */
    certificate: FixedCertificate | ChangingCertificate;
    /** Whether clients connect by IPv6 too. */
    ipv6: boolean;
    /** Format of the access log. */
    accessLog: AccessLog;
    /** Address from which a program on the proxy's host checks it. Those requests aren't logged. Default: none. */
    checkedFrom?: string;
}

/** Ports that HAProxy listens on in its container. They are above 1023, so that it needs no capability. */
export const HTTP_PORT = 8080;

export const HTTPS_PORT = 8443;

/** The ports that HAProxy listens on for IPv6, by those for IPv4. */
export const IPV6_PORTS = { [HTTP_PORT]: 8081, [HTTPS_PORT]: 8444 } as const;

/** Port on which the proxies of a store serve each other, on the node network only. */
export const PEERS_PORT = 8405;

/** Port of statistics and Prometheus metrics, served on the node network only. */
export const METRICS_PORT = 8404;
