import * as pulumi from "@pulumi/pulumi";
import { SelfSignedCertificate } from "../../../components/certificate/selfSignedCertificate";

// A certificate that is valid for a day. Any update within `renewalDays` of its expiry renews it.
const { caCertificate, notAfter } = new SelfSignedCertificate("certificate", {
    hostnames: ["s3.localhost", "console.localhost"],
    retainCa: false,
    validityDays: 1,
    renewalDays: new pulumi.Config("object-store").requireNumber("renewalDays"),
});

export { caCertificate, notAfter };
