import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import type { Problem } from "./problem";

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/**
 * Size in bits of the smallest RSA key that OpenSSL serves at its default security level, 2 (its
 * SSL_CTX_set_security_level(3)).
 */
const SMALLEST_RSA_KEY = 2048;

/** Stands for the name of any bucket where a certificate has to cover all of them. */
const ANY_BUCKET = "a-bucket-of-any-name";

const KEY_BLOCK = /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----[^-]+-----END ([A-Z]+ )?PRIVATE KEY-----/;

/**
 * Problems that prevent serving a PEM. It must contain the chain first, then the matching key; it must be currently valid
 * and cover every hostname (service contract, section 4, rule 2). Messages never show its content.
 */
export function checkCertificatePem(propertyPath: string, pem: string, hostnames: string[], now: Date): Problem[] {
    const problem = (reason: string): Problem => ({ propertyPath, reason });
    const certificateBlocks = [...pem.matchAll(CERTIFICATE_BLOCK)];
    const keyBlocks = [...pem.matchAll(new RegExp(KEY_BLOCK, "g"))];
    if (certificateBlocks.length === 0) {
        return [
            problem("contains no certificate: set the chain, the server's certificate first, then its private key"),
        ];
    }
    if (keyBlocks.length === 0) {
        return [problem("contains no private key: append the key, without a passphrase, after the chain")];
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

/**
 * Problems that prevent trusting a PEM. It must contain readable certificates and nothing else. Messages never show its
 * content.
 */
export function checkTrustedCertificates(propertyPath: string, pem: string): Problem[] {
    const blocks = pem.match(CERTIFICATE_BLOCK) ?? [];
    if (blocks.length === 0) {
        return [{ propertyPath, reason: "contains no certificate: set those of the CAs to trust, in PEM" }];
    }
    if (KEY_BLOCK.test(pem)) {
        return [{ propertyPath, reason: "contains a private key, which isn't needed here: remove it" }];
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

/** Expiry time of the first certificate in a PEM, RFC 3339. */
export function notAfterOf(pem: string): string {
    const [block = ""] = pem.match(CERTIFICATE_BLOCK) ?? [];
    return new Date(new X509Certificate(block).validTo).toISOString();
}

function checkChain(chain: X509Certificate[], key: KeyObject, hostnames: string[], now: Date): string[] {
    const [leaf] = chain as [X509Certificate, ...X509Certificate[]];
    const reasons: string[] = [];
    const { modulusLength } = leaf.publicKey.asymmetricKeyDetails ?? {};
    if (modulusLength !== undefined && modulusLength < SMALLEST_RSA_KEY) {
        reasons.push(`has an RSA key of ${modulusLength} bits, which HAProxy doesn't load: give one of 2048 or more`);
    }
    if (!leaf.checkPrivateKey(key)) {
        reasons.push("holds a private key that doesn't belong to its first certificate: give the matching one");
    }
    if (new Date(leaf.validTo) <= now) {
        reasons.push(`expired on ${new Date(leaf.validTo).toISOString()}: renew it`);
    }
    if (new Date(leaf.validFrom) > now) {
        reasons.push(`is not valid before ${new Date(leaf.validFrom).toISOString()}: check this host's clock`);
    }
    const missing = hostnames.filter((hostname) => leaf.checkHost(hostname.replace(/^[*]/, ANY_BUCKET)) === undefined);
    if (missing.length > 0) {
        const wanted = hostnames.some((hostname) => hostname.startsWith("*."))
            ? `${hostnames.join(", ")}, since virtualHostBuckets gives buckets hostnames of their own`
            : "both hostnames";
        reasons.push(`doesn't cover ${missing.join(" and ")}: give one certificate for ${wanted}`);
    }
    if (chain.some((certificate, index) => index > 0 && chain[index - 1]?.checkIssued(certificate) === false)) {
        reasons.push("holds a chain out of order: the server's certificate first, each issuer after what it issued");
    }
    return reasons;
}
