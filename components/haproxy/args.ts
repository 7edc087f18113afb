import type { AccessLog } from "./accessLog";
import type { AddressLimits } from "./limits";
import type { HaproxyService } from "./services";
import type { HaproxyStore } from "./stores";

/** A certificate that lies beside the configuration. */
export interface FixedCertificate {
    /** Name of the PEM file. */
    file: string;
    /** End of its validity, RFC 3339. */
    notAfter: string;
}

/** A certificate that changes while the configuration stays. */
export interface ChangingCertificate {
    /** Address of the ACME client, which answers challenges. */
    acmeAddress: string;
    /** The answer to {@link SELF_CHECK_PATH}, by which this proxy is recognised. */
    selfCheck: string;
}

/** What an HAProxy in front of stores is to do. */
export interface HaproxyConfigArgs extends AddressLimits {
    /** The stores behind, at least one. */
    stores: HaproxyStore[];
    /** Other services behind. */
    services: HaproxyService[];
    /** Port of the host by which clients reach TLS, as it stands in redirects. */
    httpsPort: number;
    /** The certificate: a file beside the configuration, or one that an ACME client looks after. */
    certificate: FixedCertificate | ChangingCertificate;
    /** HSTS max-age in seconds (RFC 6797, section 6.1.1); without it there is no such header. */
    hstsMaxAge?: number;
    /** Seconds that a worker of a former configuration has from the reload on to end its requests. */
    hardStopAfter: number;
    /** What the access log is made of. */
    accessLog: AccessLog;
}

/** Ports that HAProxy listens on in its container, high ones, so that it needs no capability. */
export const HTTP_PORT = 8080;

export const HTTPS_PORT = 8443;

/** Port of statistics and Prometheus metrics, answered on the node network alone. */
export const METRICS_PORT = 8404;
