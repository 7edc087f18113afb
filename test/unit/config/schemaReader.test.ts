import * as pulumi from "@pulumi/pulumi";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { schemaOf } from "../../../components/args/schema";
import { keysOf, readArgs } from "../../../config/schemaReader";

/** What is read from a config, with its failures as text. */
function read(config: { [key: string]: string }): { args: { [key: string]: unknown }; failures: string[] } {
    pulumi.runtime.setAllConfig(
        Object.fromEntries(Object.entries(config).map(([key, value]) => [`object-store:${key}`, value])),
    );
    const { args, problems } = readArgs(new pulumi.Config("object-store"), "ObjectStoreArgs");
    return { args, failures: problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`) };
}

const PEM = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n";

test("the keys are the args of a store, except those of programs", () => {
    const all = Object.keys(schemaOf("ObjectStoreArgs").properties);
    const keys = Object.keys(keysOf("ObjectStoreArgs"));
    expect(all.filter((arg) => !keys.includes(arg)).sort()).toEqual(["dockerHost", "proxyNumber"]);
});

test("texts, numbers, truth values and JSON become what their args are", () => {
    const { args, failures } = read({
        profile: "minio",
        nodeCount: "4",
        cpus: "1.5",
        egress: "true",
        pools: '[{"nodeCount": 4, "drivePaths": [["/mnt/a"]]}]',
        certificate: '{"acme": {"termsAgreed": true}}',
    });
    expect(failures).toEqual([]);
    expect(args).toEqual({
        profile: "minio",
        nodeCount: 4,
        cpus: 1.5,
        egress: true,
        pools: [{ nodeCount: 4, drivePaths: [["/mnt/a"]] }],
        certificate: { acme: { termsAgreed: true } },
    });
});

test("what isn't of its arg's type is left out, and all of it is reported at once", () => {
    const { args, failures } = read({ nodeCount: "four", egress: "perhaps", pools: "4", hosts: "[", memory: "64" });
    expect(args).toEqual({ memory: 64 });
    expect(failures).toEqual([
        'nodeCount: "four" is not a number: give digits, with a dot before fractions, such as 4 or 1.5',
        expect.stringMatching(/^pools: 4 is not a list: give one, such as/),
        'egress: "perhaps" is not allowed: give true or false',
        expect.stringMatching(/^hosts: is not valid JSON: give a list/),
    ]);
});

test("a mistyped key is refused with the closest known key; a key without a close one, with all keys", () => {
    const [near, far] = read({ nodecuont: "4", something: "1" }).failures;
    expect(near).toBe("nodecuont: is not a config key of this program: did you mean nodeCount?");
    expect(far).toContain("something: is not a config key of this program: give one of s3Host, consoleHost");
});

test("nested values of a map are refused by name and never shown; other values become text", () => {
    const nested = JSON.stringify({ A: { secret: "hidden" }, B: ["hidden"], C: null, D: 5 });
    const { args, failures } = read({
        environment: JSON.stringify({ D: 5, E: true, F: "text" }),
        secretEnvironment: nested,
    });
    expect(args).toEqual({ environment: { D: "5", E: "true", F: "text" } });
    expect(failures).toEqual([
        expect.stringMatching(/^secretEnvironment.A: is a map: give text/),
        expect.stringMatching(/^secretEnvironment.B: is a list: give text/),
        expect.stringMatching(/^secretEnvironment.C: is nothing: give text/),
    ]);
    expect(failures.join()).not.toContain("hidden");
});

test("variables of a DNS provider become text; nested ones are refused by name and never shown", () => {
    const acme = (dns: object) => read({ certificate: JSON.stringify({ acme: { termsAgreed: true, dns } }) });
    const environment = { DNSUPDATE_TTL: 60, DNSUPDATE_NAMESERVER: "192.0.2.53" };
    expect(acme({ provider: "rfc2136", environment }).args).toEqual({
        certificate: {
            acme: {
                termsAgreed: true,
                dns: {
                    provider: "rfc2136",
                    environment: { DNSUPDATE_TTL: "60", DNSUPDATE_NAMESERVER: "192.0.2.53" },
                },
            },
        },
    });
    const { failures } = acme({ environment: "hidden", secretEnvironment: { A: { b: "hidden" } } });
    expect(failures).toEqual([
        expect.stringMatching(/^certificate\.acme\.dns\.provider: is missing/),
        expect.stringMatching(/^certificate\.acme\.dns\.environment: is not a map of names to values/),
        expect.stringMatching(/^certificate\.acme\.dns\.secretEnvironment\.A: is a map: give text/),
    ]);
    expect(failures.join()).not.toContain("hidden");
});

describe("the content of a file", () => {
    const file = join(tmpdir(), `certificates-${process.pid}.pem`);

    beforeAll(() => writeFileSync(file, PEM));

    test("is read where its name is given, in place of the content, at any depth", () => {
        const { args, failures } = read({
            certificate: JSON.stringify({ pem: { file } }),
            additionalTrustedCertificates: JSON.stringify({ file }),
            move: JSON.stringify({ to: ["10.0.0.1:443"], trustedCertificates: PEM }),
        });
        expect(failures).toEqual([]);
        expect(args).toEqual({
            certificate: { pem: PEM },
            additionalTrustedCertificates: PEM,
            move: { to: ["10.0.0.1:443"], trustedCertificates: PEM },
        });
    });

    test("is refused without being shown, if it is no PEM, or stands where its file's name belongs", () => {
        const { args, failures } = read({
            certificate: JSON.stringify({ pem: { file: PEM } }),
            additionalTrustedCertificates: "certificates.pem",
            move: JSON.stringify({ to: [], trustedCertificates: { file: "/no/such.pem" } }),
        });
        expect(args).toEqual({});
        expect(failures.sort()).toEqual([
            'additionalTrustedCertificates: is not a PEM: give one, or {"file": "PATH"} for the file that holds it',
            "certificate.pem: holds a PEM itself: give the path of the file that holds it",
            "move.trustedCertificates: \"/no/such.pem\" can't be read (ENOENT): give the path of a PEM file, from the program's folder",
        ]);
    });
});
