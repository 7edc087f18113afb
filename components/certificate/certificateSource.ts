import { limitFailures } from "../args/schema";
import * as pulumi from "@pulumi/pulumi";
import { checkAcme, resolveAcme, type AcmeSettings } from "./acmeSettings";
import { checkCertificatePem } from "../checks/certificatePem";
import { under, type Problem } from "../checks/problem";
import type { SelfSignedArgs, CertificateArgs } from "../args/certificateArgs";

/** {@link CertificateArgs} as one of its three kinds. */
export type CertificateSource =
    | { kind: "given"; pem: pulumi.Input<string> }
    | ({ kind: "selfSigned" } & SelfSignedArgs)
    | ({ kind: "acme" } & AcmeSettings);

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
        ...(args.selfSigned === undefined ? [] : under("selfSigned", limitFailures("SelfSignedArgs", args.selfSigned))),
        ...(args.acme === undefined ? [] : under("acme", checkAcme(args.acme, hostnames))),
    ]);
}
