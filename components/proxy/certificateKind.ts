import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import {
    ACME_SECRETS,
    ACME_TRUSTED,
    CERTIFICATE_DIRECTORY,
    PEERS_CONFIGURATION_FILE,
    PEERS_FILE,
    TEXTS_TO_REMOVE,
} from "../certificate/acmeScripts";
import { acmeHostnames, acmeOrder, type AcmeSettings } from "../certificate/acmeSettings";
import { textsToRemove } from "../certificate/dnsChallenge";
import type { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import { labelList } from "../docker/containerArgs";
import { script } from "../docker/script";
import type { ChangingCertificate, FixedCertificate } from "../haproxyConfig/args";
import { checkCertificatePem, notAfterOf } from "../checks/certificatePem";
import { refuse } from "../checks/refusal";
import { addressAt, networkSize } from "../naming/ipv4Network";
import { environmentFile } from "../store/nodeEnvironment";
import type { ProxyGroup } from "../settings/proxyGroup";
import type { ProxySettings } from "../settings/proxySettings";
import type { SelfSignedArgs } from "../args/certificateArgs";

/** A kind of certificate: what a proxy deploys and serves for it. */
export interface CertificateKind {
    /** Validity and renewal of the self-signed certificate, which exists for every kind. */
    selfSigned: SelfSignedArgs;
    /** Settings of the ACME client. Undefined if there is none. */
    acme?: AcmeSettings;
    /** The certificate as the proxy gets it. */
    served: (selfSigned: SelfSignedCertificate) => ServedCertificate;
}

/** The served certificate: files in the configuration's volume, and what haproxy.cfg says of it. */
export interface ServedCertificate {
    files: { [name: string]: pulumi.Input<string> };
    /** Shell command that creates what the configuration needs in addition to these files. Undefined if it needs nothing. */
    preparation?: string;
    /** Environment variables of that command. */
    environment: { [name: string]: pulumi.Input<string> };
    configured: pulumi.Output<FixedCertificate | ChangingCertificate>;
    /** Certificate of the CA that clients must trust. Empty with `certificate.pem` and `certificate.acme`. */
    caCertificate: pulumi.Output<string>;
    /** Expiry time of the certificate in these files, RFC 3339. */
    notAfter: pulumi.Output<string>;
}

/** Name of the PEM file in the same folder as haproxy.cfg. */
const CERTIFICATE_FILE = "certificate.pem";

/** Time before a certificate's expiry from which a warning is logged, in milliseconds: 14 days. */
const WARNED_BEFORE = 14 * 24 * 3600 * 1000;

/**
 * Validity of the temporary certificate, in days. It is served if no valid certificate exists, until the first one is
 * obtained.
 */
const TEMPORARY_DAYS = 7;

/**
 * The kind of certificate that these settings ask for.
 *
 * @param group The group of the proxy, if it shares a certificate by ACME.
 */
export function certificateKind(settings: ProxySettings, group?: ProxyGroup): CertificateKind {
    const { certificate } = settings;
    switch (certificate.kind) {
        case "selfSigned":
            return { selfSigned: certificate, served: selfSignedFiles };
        case "given":
            return { selfSigned: {}, served: () => givenFiles(certificate.pem, settings) };
        case "acme":
            return { selfSigned: {}, acme: certificate, served: () => acmeFiles(certificate, settings, group) };
    }
}

function selfSignedFiles({ pem, caCertificate, notAfter }: SelfSignedCertificate): ServedCertificate {
    return fixed(pem, caCertificate, notAfter);
}

/** A certificate of the user's own, checked again once its content and the hostnames are known. */
function givenFiles(given: pulumi.Input<string>, { hostnames }: ProxySettings): ServedCertificate {
    const pem = pulumi.all([pulumi.secret(given), hostnames]).apply(async ([text, names]) => {
        refuse("HaproxyFrontEnd", checkCertificatePem("certificate.pem", text, names, new Date()));
        const notAfter = notAfterOf(text);
        if (Date.parse(notAfter) - Date.now() < WARNED_BEFORE) {
            await pulumi.log.warn(`the configured certificate expires at ${notAfter}: renew it before then`);
        }
        return text;
    });
    return fixed(pem, pulumi.output(""), pulumi.unsecret(pem.apply(notAfterOf)));
}

function fixed(
    pem: pulumi.Output<string>,
    caCertificate: pulumi.Output<string>,
    notAfter: pulumi.Output<string>,
): ServedCertificate {
    return {
        files: { [CERTIFICATE_FILE]: pem },
        environment: {},
        configured: notAfter.apply((end) => ({ file: CERTIFICATE_FILE, notAfter: end })),
        caCertificate,
        notAfter,
    };
}

/** The ACME client's secrets. The certificate itself is in a volume that the client's loader writes. */
function acmeFiles(acme: AcmeSettings, settings: ProxySettings, group?: ProxyGroup): ServedCertificate {
    const { trustedCertificates: trusted } = acme;
    const { hostnames } = settings;
    return {
        files: {
            ...secretsFile(acme),
            ...(trusted && { [ACME_TRUSTED]: trusted }),
            ...(group && { [PEERS_CONFIGURATION_FILE]: group.peersPem }),
        },
        preparation: ["PREPARE_CERTIFICATE", ...(group ? ["PLACE_PEERS_FILE"] : [])]
            .map((name) => `sh -c "$${name}"`)
            .join("\n"),
        environment: {
            ...(group && {
                PLACE_PEERS_FILE: script(__dirname, "placePeersFile.sh"),
                PEERS_CONFIGURATION_FILE,
                PEERS_FILE,
            }),
            PREPARE_CERTIFICATE: script(__dirname, "prepareCertificate.sh"),
            CERTIFICATES: CERTIFICATE_DIRECTORY,
            HOSTNAMES: hostnames.apply(acmeHostnames),
            ORDER: hostnames.apply((names) => acmeOrder(acme, names)),
            DAYS: String(TEMPORARY_DAYS),
        },
        configured: pulumi.all([acmeAddress(settings), group?.peers]).apply(([address, peers]) => ({
            ...(acme.dns === undefined && {
                challenges: { acmeAddress: address, selfCheck: selfCheck(settings, group) },
            }),
            peers,
        })),
        caCertificate: pulumi.output(""),
        notAfter: pulumi.output(""),
    };
}

/** The variables that the ACME client needs and that nobody else may see. Empty if there are none. */
function secretsFile({ externalAccountBinding: binding, dns }: AcmeSettings): {
    [name: string]: pulumi.Output<string>;
} {
    const secrets = {
        ...(binding && { LEGO_EAB_HMAC: pulumi.secret(binding.hmacKey) }),
        ...dns?.secretEnvironment,
    };
    const variables = { ...(binding && { LEGO_EAB_KID: binding.keyId }), ...dns?.environment, ...secrets };
    if (Object.keys(variables).length === 0) {
        return {};
    }
    const removed = pulumi.output(secrets).apply((known) => textsToRemove(Object.values(known)));
    return { [ACME_SECRETS]: pulumi.secret(environmentFile({ ...variables, [TEXTS_TO_REMOVE]: removed })) };
}

/**
 * The volumes of a certificate by ACME. They are kept and mounted for every kind of certificate, so that a switch needs
 * only a reload.
 */
export function certificateVolumes(
    name: string,
    { frontEndName, retainCertificates }: ProxySettings,
    { acme }: CertificateKind,
    labels: { [name: string]: string },
    opts: pulumi.CustomResourceOptions,
): { acme: pulumi.Output<string>; certificate: pulumi.Output<string> } {
    const protect = retainCertificates && acme !== undefined;
    const volume = (place: string) =>
        new docker.Volume(
            `${name}-${place}-volume`,
            { name: `${frontEndName}-${place}`, labels: labelList(labels) },
            { ...opts, protect, ignoreChanges: ["labels"] },
        ).name;
    return { acme: volume("acme"), certificate: volume("certificate") };
}

/** The ACME client's address: the last one of the network, far from those that Docker assigns. */
export function acmeAddress({ publicSubnet }: ProxySettings): pulumi.Output<string> {
    return publicSubnet.apply((subnet) => addressAt(subnet, networkSize(subnet) - 2));
}

/** Value that distinguishes this proxy, or the proxies of its group, from all others. */
export function selfCheck({ frontEndName }: ProxySettings, group?: ProxyGroup): string {
    return createHash("sha256")
        .update([pulumi.getProject(), pulumi.getStack(), group?.storeName ?? frontEndName].join("/"))
        .digest("hex")
        .slice(0, 32);
}
