import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import { ACME_SECRETS, ACME_TRUSTED, CERTIFICATE_DIRECTORY } from "../certificate/acmeScripts";
import { acmeHostnames, acmeOrder } from "../certificate/acmeSettings";
import { checkCertificatePem, notAfterOf } from "../inputs/certificatePem";
import { labelList } from "../engine/containerBasics";
import type { ChangingCertificate, FixedCertificate } from "../haproxy/args";
import type { HaproxyFrontEndSettings } from "./haproxyFrontEndSettings";
import { addressAt, networkSize } from "../naming/ipv4Network";
import { environmentFile } from "../store/nodeEnvironment";
import { refuse } from "../inputs/problem";
import { script } from "../engine/script";
import type { SelfSignedCertificate } from "../certificate/selfSignedCertificate";

/** Name of the PEM file in the same folder as haproxy.cfg. */
const CERTIFICATE_FILE = "certificate.pem";

/** The served certificate, as files in the configuration's volume. */
export interface ServedCertificate {
    files: { [name: string]: pulumi.Output<string> };
    /**
     * Shell command that creates what the configuration needs in addition to these files. Undefined if it needs nothing
     * else.
     */
    preparation?: string;
    /** Environment variables of that command. */
    environment: { [name: string]: pulumi.Input<string> };
    /** Certificate of the CA that clients must trust. Empty with `certificate.pem` and `certificate.acme`. */
    caCertificate: pulumi.Output<string>;
    /** Expiry time of the certificate in these files, RFC 3339. */
    notAfter: pulumi.Output<string>;
}

/** Time before a certificate's expiry from which a warning is logged, in milliseconds: 14 days. */
const WARNED_BEFORE = 14 * 24 * 3600 * 1000;

/**
 * Validity of the temporary certificate, in days. It is served if no valid certificate exists, until the first one is
 * obtained.
 */
const TEMPORARY_DAYS = 7;

/** The served certificate, for each of the three kinds of source. */
export function servedCertificate(
    { certificate, hostnames }: HaproxyFrontEndSettings,
    selfSigned: SelfSignedCertificate,
): ServedCertificate {
    switch (certificate.kind) {
        case "selfSigned":
            return {
                files: { [CERTIFICATE_FILE]: selfSigned.pem },
                environment: {},
                caCertificate: selfSigned.caCertificate,
                notAfter: selfSigned.notAfter,
            };
        case "given": {
            const pem = pulumi.all([pulumi.secret(certificate.pem), hostnames]).apply(async ([given, names]) => {
                refuse("HaproxyFrontEnd", checkCertificatePem("certificate.pem", given, names, new Date()));
                const notAfter = notAfterOf(given);
                if (Date.parse(notAfter) - Date.now() < WARNED_BEFORE) {
                    await pulumi.log.warn(`the configured certificate expires at ${notAfter}: renew it before then`);
                }
                return given;
            });
            return {
                files: { [CERTIFICATE_FILE]: pem },
                environment: {},
                caCertificate: pulumi.output(""),
                notAfter: pulumi.unsecret(pem.apply(notAfterOf)),
            };
        }
        case "acme": {
            const { externalAccountBinding: binding, trustedCertificates: trusted } = certificate;
            const account = binding && {
                [ACME_SECRETS]: environmentFile({
                    LEGO_EAB_KID: binding.keyId,
                    LEGO_EAB_HMAC: pulumi.secret(binding.hmacKey),
                }),
            };
            return {
                files: { ...account, ...(trusted && { [ACME_TRUSTED]: pulumi.output(trusted) }) },
                preparation: 'sh -c "$PREPARE_CERTIFICATE"',
                environment: {
                    PREPARE_CERTIFICATE: script(__dirname, "prepareCertificate.sh"),
                    CERTIFICATES: CERTIFICATE_DIRECTORY,
                    HOSTNAMES: hostnames.apply(acmeHostnames),
                    ORDER: hostnames.apply((names) => acmeOrder(certificate, names)),
                    DAYS: String(TEMPORARY_DAYS),
                },
                caCertificate: pulumi.output(""),
                notAfter: pulumi.output(""),
            };
        }
    }
}

/**
 * The volumes of a certificate by ACME. They are kept and mounted for every kind of certificate, so that a switch needs
 * only a reload.
 */
export function certificateVolumes(
    name: string,
    { frontEndName, certificate, retainCertificates }: HaproxyFrontEndSettings,
    labels: { [name: string]: string },
    opts: pulumi.CustomResourceOptions,
): { acme: pulumi.Output<string>; certificate: pulumi.Output<string> } {
    const protect = retainCertificates && certificate.kind === "acme";
    const volume = (place: string) =>
        new docker.Volume(
            `${name}-${place}-volume`,
            { name: `${frontEndName}-${place}`, labels: labelList(labels) },
            { ...opts, protect, ignoreChanges: ["labels"] },
        ).name;
    return { acme: volume("acme"), certificate: volume("certificate") };
}

/** The ACME client's address: the last one of the network, far from those that Docker assigns. */
export function acmeAddress({ publicSubnet }: HaproxyFrontEndSettings): pulumi.Output<string> {
    return publicSubnet.apply((subnet) => addressAt(subnet, networkSize(subnet) - 2));
}

/** Value that distinguishes this proxy from all others. */
export function selfCheck({ frontEndName }: HaproxyFrontEndSettings): string {
    return createHash("sha256")
        .update([pulumi.getProject(), pulumi.getStack(), frontEndName].join("/"))
        .digest("hex")
        .slice(0, 32);
}

/** The certificate's settings for haproxy.cfg. */
export function configuredCertificate(
    settings: HaproxyFrontEndSettings,
    { notAfter }: ServedCertificate,
): pulumi.Output<FixedCertificate | ChangingCertificate> {
    return settings.certificate.kind === "acme"
        ? acmeAddress(settings).apply((address) => ({ acmeAddress: address, selfCheck: selfCheck(settings) }))
        : notAfter.apply((end) => ({ file: CERTIFICATE_FILE, notAfter: end }));
}
