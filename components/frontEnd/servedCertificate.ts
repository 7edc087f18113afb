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

/** Name of the PEM file beside haproxy.cfg. */
const CERTIFICATE_FILE = "certificate.pem";

/** What is served, as the configuration's volume has it. */
export interface ServedCertificate {
    files: { [name: string]: pulumi.Output<string> };
    /** Shell command that makes what the configuration names besides these files; none where it names nothing else. */
    preparation?: string;
    /** Environment variables of that command. */
    environment: { [name: string]: string };
    /** Certificate of the CA that clients have to trust; empty with `certificate.pem` and `certificate.acme`. */
    caCertificate: pulumi.Output<string>;
    /** End of validity of what lies in these files, RFC 3339. */
    notAfter: pulumi.Output<string>;
}

/** A certificate whose end is so near is warned of, in milliseconds: 14 days. */
const WARNED_BEFORE = 14 * 24 * 3600 * 1000;

/** Validity of what is served where no valid certificate is there until the first one is obtained, in days. */
const TEMPORARY_DAYS = 7;

/** The certificate of one of the three kinds. */
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
            const pem = pulumi.secret(certificate.pem).apply(async (given) => {
                refuse("HaproxyFrontEnd", checkCertificatePem("certificate.pem", given, hostnames, new Date()));
                const notAfter = notAfterOf(given);
                if (Date.parse(notAfter) - Date.now() < WARNED_BEFORE) {
                    await pulumi.log.warn(`the given certificate ends at ${notAfter}: give a renewed one before`);
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
                    HOSTNAMES: acmeHostnames(hostnames),
                    ORDER: acmeOrder(certificate, hostnames),
                    DAYS: String(TEMPORARY_DAYS),
                },
                caCertificate: pulumi.output(""),
                notAfter: pulumi.output(""),
            };
        }
    }
}

/** The volumes of a certificate by ACME. They stay, and are mounted, whatever is served, so that a switch is a reload. */
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

/** The ACME client's address: the last of the network, far from those that Docker gives out. */
export function acmeAddress({ publicSubnet }: HaproxyFrontEndSettings): pulumi.Output<string> {
    return publicSubnet.apply((subnet) => addressAt(subnet, networkSize(subnet) - 2));
}

/** Distinguishes this proxy from every other. */
export function selfCheck({ frontEndName }: HaproxyFrontEndSettings): string {
    return createHash("sha256")
        .update([pulumi.getProject(), pulumi.getStack(), frontEndName].join("/"))
        .digest("hex")
        .slice(0, 32);
}

/** What haproxy.cfg says of the certificate. */
export function configuredCertificate(
    settings: HaproxyFrontEndSettings,
    { notAfter }: ServedCertificate,
): pulumi.Output<FixedCertificate | ChangingCertificate> {
    return settings.certificate.kind === "acme"
        ? acmeAddress(settings).apply((address) => ({ acmeAddress: address, selfCheck: selfCheck(settings) }))
        : notAfter.apply((end) => ({ file: CERTIFICATE_FILE, notAfter: end }));
}
