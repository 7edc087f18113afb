import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";

const HOURS_PER_YEAR = 365 * 24;

/**
 * A key, and a certificate that it has signed itself. Whoever shows it, and accepts only it, is a proxy of one store. It is
 * valid for ten years. Updates in the last five renew it.
 *
 * @returns Both in PEM, as a secret.
 */
export function peerCertificate(name: string, opts: pulumi.CustomResourceOptions): pulumi.Output<string> {
    const key = new tls.PrivateKey(`${name}-key`, { algorithm: "ECDSA", ecdsaCurve: "P256" }, opts);
    const certificate = new tls.SelfSignedCert(
        name,
        {
            privateKeyPem: key.privateKeyPem,
            subject: { commonName: name },
            isCaCertificate: true,
            validityPeriodHours: 10 * HOURS_PER_YEAR,
            earlyRenewalHours: 5 * HOURS_PER_YEAR,
            allowedUses: ["cert_signing", "digital_signature", "server_auth", "client_auth"],
        },
        opts,
    );
    return pulumi.secret(pulumi.concat(certificate.certPem, key.privateKeyPemPkcs8));
}
