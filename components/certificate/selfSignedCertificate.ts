import { defaultOf } from "../args/schema";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import type { SelfSignedArgs } from "../args/certificateArgs";

/** Args of {@link SelfSignedCertificate}. */
export interface SelfSignedCertificateArgs extends SelfSignedArgs {
    /** Names that the certificate covers. A change replaces the certificate, not the CA. */
    hostnames: pulumi.Input<string[]>;
    /** Whether Pulumi protects the CA, which clients were set up to trust, against deletion. */
    retainCa: boolean;
}

const HOURS_PER_DAY = 24;

/** Validity of the CA in days: as long as any client that was configured by hand to trust it may be in use. */
const CA_DAYS = 10 * 365;

/**
 * The deployment's own CA and a certificate that it signs: ECDSA on P-256. The first update close to the certificate's
 * expiry renews it. The CA stays the same, so clients keep trusting it.
 */
export class SelfSignedCertificate extends pulumi.ComponentResource {
    /** Chain and key in one PEM; a secret. */
    readonly pem: pulumi.Output<string>;
    /** Certificate of the CA, which clients must trust. */
    readonly caCertificate: pulumi.Output<string>;
    /** Expiry time of the certificate, RFC 3339. */
    readonly notAfter: pulumi.Output<string>;

    constructor(name: string, args: SelfSignedCertificateArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:SelfSignedCertificate", name, {}, opts);
        const childOptions = { parent: this, dependsOn: opts?.dependsOn };
        const kept = { ...childOptions, protect: args.retainCa };
        const dnsNames = pulumi.output(args.hostnames);
        const key = { algorithm: "ECDSA", ecdsaCurve: "P256" };

        const caKey = new tls.PrivateKey(`${name}-ca-key`, key, kept);
        const ca = new tls.SelfSignedCert(
            `${name}-ca`,
            {
                privateKeyPem: caKey.privateKeyPem,
                subject: { commonName: `${name} CA` },
                isCaCertificate: true,
                setSubjectKeyId: true,
                validityPeriodHours: CA_DAYS * HOURS_PER_DAY,
                allowedUses: ["cert_signing", "crl_signing"],
            },
            kept,
        );
        const leafKey = new tls.PrivateKey(`${name}-key`, key, childOptions);
        const request = new tls.CertRequest(
            `${name}-request`,
            {
                privateKeyPem: leafKey.privateKeyPem,
                subject: { commonName: dnsNames.apply(([first = ""]) => first) },
                dnsNames,
            },
            childOptions,
        );
        const leaf = new tls.LocallySignedCert(
            name,
            {
                certRequestPem: request.certRequestPem,
                caPrivateKeyPem: caKey.privateKeyPem,
                caCertPem: ca.certPem,
                validityPeriodHours: (args.validityDays ?? defaultOf("SelfSignedArgs", "validityDays")) * HOURS_PER_DAY,
                earlyRenewalHours: (args.renewalDays ?? defaultOf("SelfSignedArgs", "renewalDays")) * HOURS_PER_DAY,
                allowedUses: ["digital_signature", "server_auth"],
            },
            childOptions,
        );

        this.pem = pulumi.secret(pulumi.concat(leaf.certPem, leafKey.privateKeyPemPkcs8));
        this.caCertificate = ca.certPem;
        this.notAfter = leaf.validityEndTime;
        this.registerOutputs({ pem: this.pem, caCertificate: this.caCertificate, notAfter: this.notAfter });
    }
}
