import * as pulumi from "@pulumi/pulumi";
import { checkAcme, resolveAcme, type AcmeArgs, type AcmeSettings } from "./acmeSettings";
import { checkCertificatePem } from "../inputs/certificatePem";
import { checkInteger } from "../inputs/inputChecks";
import { under, type Problem } from "../inputs/problem";
import type { SelfSignedArgs } from "./selfSignedCertificate";

/**
 * Source of a front end's certificate for both hostnames: one of these three. Default: `selfSigned`. A change from one to
 * another is loaded without replacing the proxy.
 */
export interface CertificateArgs {
    /** Certificate chain followed by the private key, in one PEM (service contract, section 4, rule 2). A secret. */
    pem?: pulumi.Input<string>;
    /** Issued by the deployment's own CA, which clients must trust. */
    selfSigned?: SelfSignedArgs;
    /** Issued by a CA that supports ACME (RFC 8555). Ordered, renewed and loaded automatically. */
    acme?: AcmeArgs;
}

/** {@link CertificateArgs} as one of its three kinds. */
export type CertificateSource =
    | { kind: "given"; pem: pulumi.Input<string> }
    | ({ kind: "selfSigned" } & SelfSignedArgs)
    | ({ kind: "acme" } & AcmeSettings);

const MAXIMUM_DAYS = 10 * 365;

/** Fills in the defaults. */
export function resolveCertificate({ pem, selfSigned, acme }: CertificateArgs, stack: string): CertificateSource {
    if (acme !== undefined) {
        return { kind: "acme", ...resolveAcme(acme, stack) };
    }
    return pem !== undefined ? { kind: "given", pem } : { kind: "selfSigned", ...selfSigned };
}

/** Every problem of these args that can be found without querying the engine. */
export function checkCertificate(args: CertificateArgs, hostnames: string[]): Problem[] {
    const kinds = Object.entries(args).flatMap(([kind, value]) => (value === undefined ? [] : [kind]));
    if (kinds.length > 1) {
        const reason = `${kinds.join(" and ")} are set: set only one of them, since one certificate is served`;
        return [{ propertyPath: "certificate", reason }];
    }
    return under("certificate", [
        ...(typeof args.pem === "string" ? checkCertificatePem("pem", args.pem, hostnames, new Date()) : []),
        ...(args.selfSigned === undefined ? [] : under("selfSigned", checkSelfSigned(args.selfSigned))),
        ...(args.acme === undefined ? [] : under("acme", checkAcme(args.acme, hostnames))),
    ]);
}

function checkSelfSigned({ validityDays, renewalDays }: SelfSignedArgs): Problem[] {
    return [
        ...(validityDays === undefined ? [] : checkInteger("validityDays", validityDays, 1, MAXIMUM_DAYS)),
        ...(renewalDays === undefined ? [] : checkInteger("renewalDays", renewalDays, 0, MAXIMUM_DAYS)),
    ];
}
