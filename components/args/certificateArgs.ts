import * as pulumi from "@pulumi/pulumi";

/**
 * External account binding: links the ACME account to an account in the CA's own customer database (RFC 8555, section
 * 7.3.4).
 */
export interface ExternalAccountBindingArgs {
    /** Key identifier that the CA issues. */
    keyId: string;
    /**
     * MAC key that the CA issues, base64url.
     *
     * @secret
     */
    hmacKey: pulumi.Input<string>;
}

/**
 * A certificate by ACME (RFC 8555). With the HTTP-01 challenge, which is the default, port 80 of both hostnames must lead to
 * this proxy. Over several hosts, one proxy orders the certificate for all, and it must lead to their proxies.
 */
export interface AcmeArgs {
    /** Whether you agree to the CA's terms of service (RFC 8555, section 7.3.3). Refused unless true. */
    termsAgreed: boolean;
    /**
     * Contact email address of the ACME account; another address means another account.
     *
     * @default none
     */
    email?: string;
    /**
     * URL of the CA's directory (RFC 8555, section 7.1.1). For stacks whose name marks them as development stacks
     * (`dev`, `test`, `staging` …) the default is its staging directory, whose certificates no client trusts. A change
     * orders a new certificate.
     *
     * @default Let's Encrypt's production directory
     */
    directoryUrl?: string;
    /**
     * Key type of the certificate. A change orders a new certificate.
     *
     * @default `ec256`
     * @oneOf ec256, ec384, rsa2048, rsa3072, rsa4096
     */
    keyType?: string;
    /**
     * External account binding, if the CA requires one to identify the customer.
     *
     * @default none
     */
    externalAccountBinding?: ExternalAccountBindingArgs;
    /**
     * The DNS-01 challenge in place of HTTP-01 (docs/how-to/certificates.md#by-dns-01): hostnames are proven by TXT
     * records, and port 80 need not be reachable. Required with `virtualHostBuckets`, whose certificate has a wildcard
     * name. A change is loaded by a reload of the proxy, and takes effect with the next order.
     *
     * @default none; HTTP-01
     */
    dns?: DnsChallengeArgs;
    /**
     * CA certificates in PEM that the client trusts for connections to the directory's server, in addition to the
     * public ones.
     *
     * @default none
     * @file
     */
    trustedCertificates?: pulumi.Input<string>;
    /**
     * Image of the ACME client lego 4, with an exact version.
     *
     * @default `goacme/lego:v4.35.2`
     */
    image?: pulumi.Input<string>;
    /**
     * IP addresses of the name servers that the client uses. With DNS-01 they must know the public records of the
     * hostnames' zones.
     *
     * @default those of the Docker host
     */
    nameServers?: string[];
    /**
     * Whether an order waits until both hostnames lead to this proxy, as seen from the client's container; not with
     * `dns`. Over several hosts: at one of their addresses at least, to any of the proxies. Set it to false if the
     * proxy can't reach its own public address.
     *
     * @default true
     */
    preflight?: boolean;
    /**
     * Interval between two checks whether a renewal is due, in seconds. It varies randomly by a tenth.
     *
     * @default 3600
     * @range 1..86400
     */
    checkInterval?: number;
    /**
     * Time from a failed order to the next attempt, in seconds; it doubles with each failure, up to six hours. By
     * default Let's Encrypt's limit of five failures an hour is never reached.
     *
     * @default 900
     * @range 1..86400
     */
    retryInterval?: number;
    /**
     * Time limit for an update to wait for the certificate, in seconds. Over several hosts, each proxy has to serve
     * it within this time.
     *
     * @default 300
     * @range 10..3600
     */
    issueTimeout?: number;
    /**
     * Any string without a line break; a change orders a new certificate, with a new key.
     *
     * @default none
     */
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
     * Environment variables that the provider needs and that aren't secret, by lego's names, such as `AWS_REGION`. A
     * change takes effect with the next order; if the last one has failed, at once.
     *
     * @default none
     */
    environment?: { [name: string]: pulumi.Input<string> };
    /**
     * Environment variables with the provider's credentials, by lego's names, such as `CLOUDFLARE_DNS_API_TOKEN`. They
     * reach the client in a file that only its user can read, and are removed from its messages. A change takes effect
     * as one of `environment` does.
     *
     * @default none
     * @secret
     */
    secretEnvironment?: { [name: string]: pulumi.Input<string> };
    /**
     * Time from the creation of the TXT records until the CA is asked to check them, in seconds. Without it, the client
     * asks for as long as the provider's variable `…_PROPAGATION_TIMEOUT` says. Set it if the client can't reach the
     * zone's name servers.
     *
     * @default none; the client asks the zone's own name servers until all of them have the records
     * @range 1..3600
     */
    propagationWait?: number;
}

/** Validity and renewal of a certificate that the deployment's own CA signs. */
export interface SelfSignedArgs {
    /**
     * Validity in days. Browsers accept at most 398 (CA/Browser Forum, Baseline Requirements, 6.3.2).
     *
     * @default 397
     * @range 1..3650
     */
    validityDays?: number;
    /**
     * Number of days before expiry from which an update renews the certificate.
     *
     * @default 132
     * @range 0..3650
     */
    renewalDays?: number;
}

/**
 * Source of a proxy's certificate for both hostnames: one of these three. Default: `selfSigned`. A change from one to
 * another is loaded without replacing the proxy.
 */
export interface CertificateArgs {
    /**
     * Certificate chain followed by the private key, in one PEM (service contract, section 4, rule 2).
     *
     * @default none
     * @secret
     * @file
     */
    pem?: pulumi.Input<string>;
    /**
     * Issued by the deployment's own CA, which clients must trust.
     *
     * @default if neither `pem` nor `acme` is set
     */
    selfSigned?: SelfSignedArgs;
    /**
     * Issued by a CA that supports ACME (RFC 8555), ordered, renewed and loaded automatically:
     * `{termsAgreed: true, email: …}`.
     *
     * @default none
     */
    acme?: AcmeArgs;
}
