import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import type { Problem } from "./problem";

/** A certificate with its private key, as HAProxy reads it, and who vouches for it. */
export interface ServedCertificate {
    /** Chain first, then the private key (service contract, section 4, rule 2). A secret. */
    pem: pulumi.Output<string>;
    /** Certificate of the authority that clients have to trust; empty where it is for them to know. */
    caCertificate: pulumi.Output<string>;
    /** End of validity of the certificate itself, RFC 3339. */
    notAfter: pulumi.Output<string>;
}

/** Args of {@link SelfSignedCertificate}. */
export interface SelfSignedCertificateArgs {
    /** Names that the certificate covers. A change replaces the certificate, not the authority. */
    hostnames: string[];
    /** Whether Pulumi refuses to delete the authority, which clients were told to trust. */
    retainAuthority: boolean;
    /** Validity, in days. Default: 397, since browsers take at most 398 (CA/Browser Forum, Baseline Requirements, 6.3.2). */
    validityDays?: number;
    /** An update within so many days of the end renews the certificate. Default: 132, a third of the validity. */
    renewalDays?: number;
}

const HOURS_PER_DAY = 24;

/** Validity of the authority: as long as anything that trusts it by hand may live. */
const AUTHORITY_DAYS = 10 * 365;

/**
 * An authority of the deployment's own and a certificate by it: ECDSA on P-256. The first update close to its end
 * renews the certificate; the authority, and so what clients trust, stays.
 */
export class SelfSignedCertificate extends pulumi.ComponentResource {
    /** Chain and key in one; a secret. */
    readonly pem: pulumi.Output<string>;
    /** Certificate of the authority, for clients to trust. */
    readonly caCertificate: pulumi.Output<string>;
    /** End of the certificate's validity, RFC 3339. */
    readonly notAfter: pulumi.Output<string>;

    constructor(name: string, args: SelfSignedCertificateArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:SelfSignedCertificate", name, {}, opts);
        const childOptions = { parent: this, dependsOn: opts?.dependsOn };
        const kept = { ...childOptions, protect: args.retainAuthority };
        const key = { algorithm: "ECDSA", ecdsaCurve: "P256" };

        const authorityKey = new tls.PrivateKey(`${name}-ca-key`, key, kept);
        const authority = new tls.SelfSignedCert(
            `${name}-ca`,
            {
                privateKeyPem: authorityKey.privateKeyPem,
                subject: { commonName: `${name} CA` },
                isCaCertificate: true,
                setSubjectKeyId: true,
                validityPeriodHours: AUTHORITY_DAYS * HOURS_PER_DAY,
                allowedUses: ["cert_signing", "crl_signing"],
            },
            kept,
        );
        const leafKey = new tls.PrivateKey(`${name}-key`, key, childOptions);
        const request = new tls.CertRequest(
            `${name}-request`,
            {
                privateKeyPem: leafKey.privateKeyPem,
                subject: { commonName: args.hostnames[0] },
                dnsNames: args.hostnames,
            },
            childOptions,
        );
        const leaf = new tls.LocallySignedCert(
            name,
            {
                certRequestPem: request.certRequestPem,
                caPrivateKeyPem: authorityKey.privateKeyPem,
                caCertPem: authority.certPem,
                validityPeriodHours: (args.validityDays ?? 397) * HOURS_PER_DAY,
                earlyRenewalHours: (args.renewalDays ?? 132) * HOURS_PER_DAY,
                allowedUses: ["digital_signature", "server_auth"],
            },
            childOptions,
        );

        this.pem = pulumi.secret(pulumi.concat(leaf.certPem, leafKey.privateKeyPemPkcs8));
        this.caCertificate = authority.certPem;
        this.notAfter = leaf.validityEndTime;
        this.registerOutputs({ pem: this.pem, caCertificate: this.caCertificate, notAfter: this.notAfter });
    }
}

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const KEY_BLOCK = /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----[^-]+-----END ([A-Z]+ )?PRIVATE KEY-----/;

/**
 * What stands against serving a PEM: chain first, then the key that belongs to it, in force, covering every hostname
 * (service contract, section 4, rule 2). Never shows what it holds.
 */
export function checkCertificatePem(propertyPath: string, pem: string, hostnames: string[], now: Date): Problem[] {
    const problem = (reason: string): Problem => ({ propertyPath, reason });
    const certificateBlocks = [...pem.matchAll(CERTIFICATE_BLOCK)];
    const keyBlocks = [...pem.matchAll(new RegExp(KEY_BLOCK, "g"))];
    if (certificateBlocks.length === 0) {
        return [problem("holds no certificate: give the chain, the server's certificate first, then its private key")];
    }
    if (keyBlocks.length === 0) {
        return [problem("holds no private key: append the key, without a passphrase, after the chain")];
    }
    const problems: Problem[] = [];
    if (keyBlocks.length > 1) {
        problems.push(problem(`holds ${keyBlocks.length} private keys: keep the one that belongs to the certificate`));
    }
    if ((keyBlocks[0]?.index ?? 0) < (certificateBlocks.at(-1)?.index ?? 0)) {
        problems.push(problem("holds its private key before the end of the chain: put the chain first, then the key"));
    }
    let chain: X509Certificate[];
    let key: KeyObject;
    try {
        chain = certificateBlocks.map(([block]) => new X509Certificate(block));
        key = createPrivateKey(keyBlocks[0]?.[0] ?? "");
    } catch {
        return [
            ...problems,
            problem("can't be read: give PEM blocks as OpenSSL writes them, the key without a passphrase"),
        ];
    }
    return [...problems, ...checkChain(chain, key, hostnames, now).map(problem)];
}

/** What stands against trusting a PEM: certificates that can be read, and nothing but these. Never shows what it holds. */
export function checkTrustedCertificates(propertyPath: string, pem: string): Problem[] {
    const blocks = pem.match(CERTIFICATE_BLOCK) ?? [];
    if (blocks.length === 0) {
        return [{ propertyPath, reason: "holds no certificate: give those of the authorities to trust, in PEM" }];
    }
    if (KEY_BLOCK.test(pem)) {
        return [{ propertyPath, reason: "holds a private key, which trust doesn't need: take it out" }];
    }
    try {
        blocks.forEach((block) => new X509Certificate(block));
        return [];
    } catch {
        return [
            { propertyPath, reason: "holds a certificate that can't be read: give PEM blocks as OpenSSL writes them" },
        ];
    }
}

/** End of validity of the first certificate in a PEM, RFC 3339. */
export function notAfterOf(pem: string): string {
    const [block = ""] = pem.match(CERTIFICATE_BLOCK) ?? [];
    return new Date(new X509Certificate(block).validTo).toISOString();
}

function checkChain(chain: X509Certificate[], key: KeyObject, hostnames: string[], now: Date): string[] {
    const [leaf] = chain as [X509Certificate, ...X509Certificate[]];
    const reasons: string[] = [];
    if (!leaf.checkPrivateKey(key)) {
        reasons.push("holds a private key that doesn't belong to its first certificate: give the matching one");
    }
    if (new Date(leaf.validTo) <= now) {
        reasons.push(`expired on ${new Date(leaf.validTo).toISOString()}: renew it`);
    }
    if (new Date(leaf.validFrom) > now) {
        reasons.push(`is not valid before ${new Date(leaf.validFrom).toISOString()}: check this host's clock`);
    }
    const missing = hostnames.filter((hostname) => leaf.checkHost(hostname) === undefined);
    if (missing.length > 0) {
        reasons.push(`doesn't cover ${missing.join(" and ")}: give one certificate for both hostnames`);
    }
    if (chain.some((certificate, place) => place > 0 && chain[place - 1]?.checkIssued(certificate) === false)) {
        reasons.push("holds a chain out of order: the server's certificate first, each issuer after what it issued");
    }
    return reasons;
}
