import {
    checkCertificatePem,
    checkTrustedCertificates,
    notAfterOf,
} from "../../../../components/checks/certificatePem";
import { makeCertificate, type TestCertificate } from "../../../certificates";

const HOSTNAMES = ["s3.example.com", "console.example.com"];
const DAY_MILLISECONDS = 24 * 3600 * 1000;

describe("a given PEM", () => {
    let good: TestCertificate;
    const reasonsOf = (pem: string, now = new Date()) =>
        checkCertificatePem("certificate.pem", pem, HOSTNAMES, now).map(({ reason }) => reason);

    beforeAll(async () => {
        good = await makeCertificate(HOSTNAMES);
    });

    test("is accepted: certificate, then key", () => {
        expect(reasonsOf(good.certificate + good.key)).toEqual([]);
    });

    test("is accepted: certificate, issuer, then key", () => {
        expect(reasonsOf(good.certificate + good.issuer + good.key)).toEqual([]);
    });

    test("is accepted: a wildcard certificate for both hostnames", async () => {
        const wildcard = await makeCertificate(["*.example.com"]);
        expect(reasonsOf(wildcard.certificate + wildcard.key)).toEqual([]);
    });

    test("needs the wildcard name if buckets have hostnames", async () => {
        const names = [...HOSTNAMES, "*.s3.example.com"];
        const reasons = ({ certificate, key }: TestCertificate) =>
            checkCertificatePem("certificate.pem", certificate + key, names, new Date()).map(({ reason }) => reason);
        expect(reasons(await makeCertificate(names))).toEqual([]);
        expect(reasons(await makeCertificate(["*.example.com"]))).toEqual([
            "doesn't cover *.s3.example.com: give one certificate for s3.example.com, console.example.com, " +
                "*.s3.example.com, since virtualHostBuckets gives buckets hostnames of their own",
        ]);
    });

    test("is refused without a certificate", () => {
        expect(reasonsOf(good.key)).toEqual([expect.stringContaining("contains no certificate")]);
    });

    test("is refused without a key", () => {
        expect(reasonsOf(good.certificate)).toEqual([expect.stringContaining("contains no private key")]);
    });

    test("is refused with the key before the chain", () => {
        expect(reasonsOf(good.key + good.certificate)).toEqual([
            expect.stringContaining("private key before the end of the chain"),
        ]);
    });

    test("is refused with the chain in the wrong order", () => {
        const reasons = reasonsOf(good.issuer + good.certificate + good.key);
        expect(reasons).toContainEqual(expect.stringContaining("chain out of order"));
    });

    test("is refused with two keys", () => {
        expect(reasonsOf(good.certificate + good.key + good.key)).toEqual([
            expect.stringContaining("holds 2 private keys"),
        ]);
    });

    test("is refused with a key that doesn't match", async () => {
        const other = await makeCertificate(HOSTNAMES);
        expect(reasonsOf(good.certificate + other.key)).toEqual([expect.stringContaining("doesn't belong")]);
    });

    test("is refused when it has expired", async () => {
        const expired = await makeCertificate(HOSTNAMES, -20, -10);
        expect(reasonsOf(expired.certificate + expired.key)).toEqual([
            expect.stringContaining(`expired on ${notAfterOf(expired.certificate)}`),
        ]);
    });

    test("is refused before its validity starts", () => {
        const lastWeek = new Date(Date.now() - 7 * DAY_MILLISECONDS);
        expect(reasonsOf(good.certificate + good.key, lastWeek)).toEqual([
            expect.stringContaining("is not valid before"),
        ]);
    });

    test("is refused when it doesn't cover both hostnames", async () => {
        const half = await makeCertificate(HOSTNAMES.slice(0, 1));
        expect(reasonsOf(half.certificate + half.key)).toEqual([
            expect.stringContaining("doesn't cover console.example.com"),
        ]);
    });

    test("is refused with a message, not an exception, if it can't be parsed", () => {
        const broken = good.certificate.replace(/^[A-Za-z0-9+/]{20}/m, "A".repeat(20));
        expect(reasonsOf(broken + good.key)).toEqual([expect.stringContaining("can't be read")]);
    });

    test("is refused with an RSA key that HAProxy can't load", async () => {
        const weak = await makeCertificate(HOSTNAMES, -1, 90, "rsa", 1024);
        expect(reasonsOf(weak.certificate + weak.key)).toEqual([expect.stringContaining("RSA key of 1024 bits")]);
        const strong = await makeCertificate(HOSTNAMES, -1, 90, "rsa");
        expect(reasonsOf(strong.certificate + strong.key)).toEqual([]);
    });

    test("reports every problem at once, and never its content", async () => {
        const other = await makeCertificate(["other.example.com"], -20, -10);
        const reasons = reasonsOf(other.certificate + good.key);
        expect(reasons).toHaveLength(3);
        expect(reasons.join()).not.toContain("-----");
    });
});

describe("certificates to trust", () => {
    const reasonsOf = (pem: string) =>
        checkTrustedCertificates("additionalTrustedCertificates", pem).map(({ reason }) => reason);

    test("have to be valid certificates, without keys", async () => {
        const { certificate, issuer, key } = await makeCertificate(HOSTNAMES);
        expect(reasonsOf(issuer)).toEqual([]);
        expect(reasonsOf(issuer + certificate)).toEqual([]);
        expect(reasonsOf("")).toEqual([expect.stringContaining("contains no certificate")]);
        expect(reasonsOf(issuer + key)).toEqual([expect.stringContaining("contains a private key")]);
        const broken = issuer.replace(/^[A-Za-z0-9+/]{20}/m, "A".repeat(20));
        expect(reasonsOf(broken)).toEqual([expect.stringContaining("can't be read")]);
    });
});
