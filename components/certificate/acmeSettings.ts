import * as pulumi from "@pulumi/pulumi";
import { isIP } from "node:net";
import { checkTrustedCertificates } from "../checks/certificatePem";
import { checkImage } from "../checks/imageChecks";
import { defaultOf, limitFailures } from "../args/schema";
import { under, type Problem } from "../checks/problem";
import { checkDnsChallenge } from "./dnsChallenge";
import { type ExternalAccountBindingArgs, type AcmeArgs, type DnsChallengeArgs } from "../args/certificateArgs";

/** {@link AcmeArgs} with every default filled in. */
export interface AcmeSettings {
    email: string;
    directoryUrl: string;
    keyType: string;
    externalAccountBinding?: ExternalAccountBindingArgs;
    dns?: DnsChallengeArgs;
    trustedCertificates?: pulumi.Input<string>;
    image: pulumi.Input<string>;
    nameServers: string[];
    preflight: boolean;
    checkInterval: number;
    retryInterval: number;
    issueTimeout: number;
    reissuedAt: string;
}

/** The ACME client's official image, used if none is configured. */
export const DEFAULT_LEGO_IMAGE = "goacme/lego:v4.35.2";

const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";
const LETS_ENCRYPT_STAGING = "https://acme-staging-v02.api.letsencrypt.org/directory";

/** Names of stacks that are deployed often. They would use up a CA's rate limits. */
const FOR_DEVELOPMENT = /(^|[-_.])(dev|development|test|testing|staging|sandbox|local|offline)([-_.]|$)/i;

/** Fills in the defaults. */
export function resolveAcme(args: AcmeArgs, stack: string): AcmeSettings {
    return {
        email: args.email ?? "",
        directoryUrl: args.directoryUrl ?? (FOR_DEVELOPMENT.test(stack) ? LETS_ENCRYPT_STAGING : LETS_ENCRYPT),
        keyType: args.keyType ?? defaultOf("AcmeArgs", "keyType"),
        externalAccountBinding: args.externalAccountBinding,
        dns: args.dns,
        trustedCertificates: args.trustedCertificates,
        image: args.image ?? DEFAULT_LEGO_IMAGE,
        nameServers: args.nameServers ?? [],
        preflight: args.preflight ?? args.dns === undefined,
        checkInterval: args.checkInterval ?? defaultOf("AcmeArgs", "checkInterval"),
        retryInterval: args.retryInterval ?? defaultOf("AcmeArgs", "retryInterval"),
        issueTimeout: args.issueTimeout ?? defaultOf("AcmeArgs", "issueTimeout"),
        reissuedAt: args.reissuedAt ?? "",
    };
}

/** The parameters of an order as a string: a different string orders another certificate. */
export function acmeOrder({ directoryUrl, keyType, reissuedAt }: AcmeSettings, hostnames: string[]): string {
    return [directoryUrl, keyType, acmeHostnames(hostnames), reissuedAt].join(" ").trim();
}

/** Hostnames in the format that the ACME client and the scripts of its certificates use. */
export function acmeHostnames(hostnames: string[]): string {
    return hostnames.map((hostname) => hostname.toLowerCase()).join(" ");
}

/** Every problem of these args that can be found without querying the engine. */
export function checkAcme(args: AcmeArgs, hostnames: string[]): Problem[] {
    const local = hostnames.filter((hostname) => /(^|\.)localhost\.?$/i.test(hostname));
    const wildcards = hostnames.filter((hostname) => hostname.startsWith("*."));
    return [
        ...(args.termsAgreed
            ? []
            : problem("termsAgreed", "is not true: read the CA's terms of service, and set it to true to agree")),
        ...(local.length === 0
            ? []
            : problem(
                  "directoryUrl",
                  `no CA issues a certificate for ${local.join(" and ")}: set s3Host and consoleHost to public names that resolve to this host, or remove certificate.acme`,
              )),
        ...(wildcards.length === 0 || args.dns !== undefined
            ? []
            : problem(
                  "directoryUrl",
                  `no CA issues a certificate for ${wildcards.join(" and ")} by HTTP-01, the default challenge: set certificate.acme.dns for DNS-01, give a certificate that you obtained otherwise (certificate.pem), or remove virtualHostBuckets`,
              )),
        ...(args.email === undefined || /^[^\s@,]+@[^\s@,]+$/.test(args.email)
            ? []
            : problem("email", `"${args.email}" is not an address: give one, such as operations@example.com`)),
        ...(args.directoryUrl === undefined ? [] : checkDirectory(args.directoryUrl)),
        ...checkBinding(args.externalAccountBinding),
        ...(args.dns === undefined
            ? []
            : under("dns", checkDnsChallenge(args.dns, [undefined, DEFAULT_LEGO_IMAGE].includes(imageName(args))))),
        ...(args.dns === undefined || args.preflight !== true
            ? []
            : problem(
                  "preflight",
                  "checks port 80, which the DNS-01 challenge of certificate.acme.dns doesn't use: remove it",
              )),
        ...(typeof args.trustedCertificates === "string"
            ? checkTrustedCertificates("trustedCertificates", args.trustedCertificates)
            : []),
        ...(typeof args.image === "string" ? checkImage("image", args.image) : []),
        ...(args.reissuedAt === undefined || !/[\r\n]/.test(args.reissuedAt)
            ? []
            : problem("reissuedAt", `${JSON.stringify(args.reissuedAt)} has a line break: give a string of one line`)),
        ...(args.nameServers ?? []).flatMap((server, index) =>
            isIP(server) === 0
                ? problem(`nameServers[${index}]`, `"${server}" is not an IP address: give one, such as 192.0.2.53`)
                : [],
        ),
        ...limitFailures("AcmeArgs", args),
    ];
}

/** The configured image, as far as it is known now. Undefined if none is configured. */
function imageName({ image }: AcmeArgs): string | undefined {
    return image === undefined || typeof image === "string" ? image : "";
}

function checkDirectory(directoryUrl: string): Problem[] {
    return URL.canParse(directoryUrl) && new URL(directoryUrl).protocol === "https:" && !/\s/.test(directoryUrl)
        ? []
        : problem("directoryUrl", `"${directoryUrl}" is not an https URL: give that of the CA's directory`);
}

function checkBinding(binding: ExternalAccountBindingArgs | undefined): Problem[] {
    if (binding === undefined) {
        return [];
    }
    const { keyId, hmacKey } = binding;
    return under("externalAccountBinding", [
        ...(typeof keyId === "string" && /^[!-~]+$/.test(keyId)
            ? []
            : problem("keyId", "is empty or holds a space: give it as the CA does")),
        ...(typeof hmacKey !== "string" || /^[A-Za-z0-9_-]+=*$/.test(hmacKey)
            ? []
            : problem("hmacKey", "is not base64url: give it as the CA does")),
    ]);
}

function problem(propertyPath: string, reason: string): Problem[] {
    return [{ propertyPath, reason }];
}
