import { isIP } from "node:net";
import { generate } from "selfsigned";

/** Parts of a certificate, in PEM, for tests to put together. */
export interface TestCertificate {
    certificate: string;
    key: string;
    issuer: string;
}

/** A certificate of one's own as the value of the config key `certificate`. */
export function ownCertificate({ certificate, issuer, key }: TestCertificate): string {
    return JSON.stringify({ pem: certificate + issuer + key });
}

const DAY_MILLISECONDS = 24 * 3600 * 1000;

/**
 * Creates a certificate for hostnames or addresses, signed by a new CA. It is valid from `fromDays` to `toDays` after
 * now.
 */
export async function makeCertificate(
    hostnames: string[],
    fromDays = -1,
    toDays = 90,
    keyType: "ec" | "rsa" = "ec",
    rsaBits = 2048,
): Promise<TestCertificate> {
    const options = {
        keyType,
        keySize: rsaBits,
        algorithm: "sha256",
        notBeforeDate: new Date(Date.now() + fromDays * DAY_MILLISECONDS),
        notAfterDate: new Date(Date.now() + toDays * DAY_MILLISECONDS),
    };
    const ca = await generate([{ name: "commonName", value: "a CA for tests" }], {
        ...options,
        extensions: [{ name: "basicConstraints", cA: true }],
    });
    const leaf = await generate([{ name: "commonName", value: hostnames[0] }], {
        ...options,
        extensions: [
            { name: "basicConstraints", cA: false },
            { name: "subjectAltName", altNames: hostnames.map(alternativeName) },
        ],
        ca: { key: ca.private, cert: ca.cert },
    });
    const line = (pem: string) => `${pem.trimEnd()}\n`;
    return { certificate: line(leaf.cert), key: line(leaf.private), issuer: line(ca.cert) };
}

function alternativeName(host: string): { type: 2; value: string } | { type: 7; ip: string } {
    return isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host };
}
