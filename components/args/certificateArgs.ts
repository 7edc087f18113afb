import * as pulumi from "@pulumi/pulumi";

/**
 * External account binding: links the ACME account to an account in the CA's own customer database (RFC 8555, section
 * 7.3.4).
 */
export interface ExternalAccountBindingArgs {
    /** Key identifier that the CA issues. */
    keyId: string;
    /** MAC key that the CA issues, base64url. A secret. */
    hmacKey: pulumi.Input<string>;
}

/**
 * A certificate by ACME (RFC 8555). With the HTTP-01 challenge, which is the default, port 80 of both hostnames must lead to
 * this proxy. Over several hosts, one front end orders the certificate for all, and it must lead to their proxies.
 */
export interface AcmeArgs {
    /** Whether you agree to the CA's terms of service (RFC 8555, section 7.3.3). Refused unless true. */
    termsAgreed: boolean;
    /** Contact email address of the ACME account. Default: none. Another address means another account. */
    email?: string;
    /**
     * URL of the CA's directory (RFC 8555, section 7.1.1). Default: Let's Encrypt's production directory. For stacks whose
     * name marks them as development stacks (`dev`, `test`, `staging` …) the default is its staging directory, whose
     * certificates no client trusts. A change orders a new certificate.
     */
    directoryUrl?: string;
    /** Key type of the certificate: one of {@link ACME_KEY_TYPES}. Default: `ec256`. A change orders a new certificate. */
    keyType?: string;
    /** External account binding, if the CA requires one to identify the customer. Default: none. */
    externalAccountBinding?: ExternalAccountBindingArgs;
    /**
     * The DNS-01 challenge in place of HTTP-01: hostnames are proven by TXT records, and port 80 need not be reachable.
     * Required with `virtualHostBuckets`, whose certificate has a wildcard name. Default: none; HTTP-01. A change is loaded by
     * a reload of the proxy, and takes effect with the next order.
     */
    dns?: DnsChallengeArgs;
    /**
     * CA certificates in PEM that the client trusts for connections to the directory's server, in addition to the public
     * ones. Default: none.
     */
    trustedCertificates?: pulumi.Input<string>;
    /** Image of the ACME client lego 4, with an exact version. Default: `goacme/lego:v4.35.2`. */
    image?: pulumi.Input<string>;
    /**
     * IP addresses of the name servers that the client uses. With DNS-01 they must know the public records of the hostnames'
     * zones. Default: those of the Docker host.
     */
    nameServers?: string[];
    /**
     * Whether an order waits until both hostnames lead to this proxy, as seen from the client's container. Over several
     * hosts: at one of their addresses at least, to any of the proxies. Set it to false if the proxy can't reach its own
     * public address. Doesn't apply to DNS-01. Default: true.
     */
    preflight?: boolean;
    /**
     * Interval between two checks whether a renewal is due, in seconds, 1 to 86400. It varies randomly by a tenth. Default:
     * 3600.
     */
    checkInterval?: number;
    /**
     * Time from a failed order to the next attempt, in seconds, 1 to 86400. It doubles with each failure, up to six hours.
     * Default: 900, so that Let's Encrypt's limit of five failures an hour is never reached.
     */
    retryInterval?: number;
    /**
     * Time limit for an update to wait for the certificate, in seconds, 10 to 3600. Over several hosts, each front end has to
     * serve it within this time. Default: 300.
     */
    issueTimeout?: number;
    /** Any string without a line break; a change orders a new certificate, with a new key. Default: none. */
    reissuedAt?: string;
}

/** Key types that the ACME client supports. */
export const ACME_KEY_TYPES = ["ec256", "ec384", "rsa2048", "rsa3072", "rsa4096"];

/**
 * The DNS-01 challenge (RFC 8555, section 8.4): the ACME client proves the control of hostnames by TXT records, which it
 * creates by the API of the DNS provider. It needs no connection from the CA to the proxy, and is the only challenge for
 * wildcard names.
 */
export interface DnsChallengeArgs {
    /**
     * Code of the DNS provider in lego, such as `route53`, `cloudflare` or `rfc2136`: see
     * https://go-acme.github.io/lego/dns/. It serves the DNS zones of all hostnames of the certificate. A change takes effect
     * with the next order.
     */
    provider: string;
    /**
     * Environment variables that the provider needs and that aren't secret, by lego's names, such as `AWS_REGION`. Default:
     * none. A change takes effect with the next order; if the last one has failed, at once.
     */
    environment?: { [name: string]: pulumi.Input<string> };
    /**
     * Environment variables with the provider's credentials, by lego's names, such as `CLOUDFLARE_DNS_API_TOKEN`. All values
     * are secrets: they reach the client in a file that only its user can read, and are removed from its messages. Default:
     * none. A change takes effect as one of `environment` does.
     */
    secretEnvironment?: { [name: string]: pulumi.Input<string> };
    /**
     * Time from the creation of the TXT records until the CA is asked to check them, in seconds, 1 to 3600. Default: none; the
     * client asks the zone's own name servers until all of them have the records, for as long as the provider's variable
     * `…_PROPAGATION_TIMEOUT` says. Set it if the client can't reach these name servers.
     */
    propagationWait?: number;
}

/** Validity and renewal of a certificate that the deployment's own CA signs. */
export interface SelfSignedArgs {
    /**
     * Validity in days, 1 to 3650. Default: 397, since browsers accept at most 398 (CA/Browser Forum, Baseline
     * Requirements, 6.3.2).
     */
    validityDays?: number;
    /**
     * Number of days before expiry from which an update renews the certificate, 0 to 3650. Default: 132, a third of the
     * validity.
     */
    renewalDays?: number;
}

/**
 * Source of a front end's certificate for both hostnames: one of these three. Default: `selfSigned`. A change from one to
 * another is loaded without replacing the proxy.
 */
export interface CertificateArgs {
    /** Certificate chain followed by the private key, in one PEM (service contract, section 4, rule 2). A secret. */
    pem?: pulumi.Input<string>;
    /** Issued by the deployment's own CA, which clients must trust. */
    selfSigned?: SelfSignedArgs;
    /** Issued by a CA that supports ACME (RFC 8555). Ordered, renewed and loaded automatically. */
    acme?: AcmeArgs;
}
