import "../../fakes/imageAtOnce";
import "../../fakes/noHostAsked";
import { DockerEngine } from "../../../../components/docker/engine";
import { HaproxyFrontEnd } from "../../../../components";
import { checkAcme, resolveAcme } from "../../../../components/certificate/acmeSettings";
import { mockEngine, settled, secretValue, type RegisteredResource } from "../../fakes/mockEngine";
import { hosts, cluster, containers } from "../../fakes/frontEndParts";

describe("a proxy with a certificate by ACME", () => {
    const acme = {
        termsAgreed: true,
        email: "operations@example.com",
        directoryUrl: "https://ca.example.com/directory",
        externalAccountBinding: { keyId: "customer-7", hmacKey: "c2VjcmV0" },
        nameServers: ["192.0.2.53"],
        keyType: "rsa3072",
        preflight: false,
        checkInterval: 600,
        retryInterval: 60,
        reissuedAt: "today",
    };
    let resources: RegisteredResource[];

    beforeAll(async () => {
        const engine: Partial<DockerEngine> = { readFile: () => Promise.resolve(undefined) };
        jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
        resources = await mockEngine();
        new HaproxyFrontEnd("edge", { ...hosts, cluster, publicSubnet: "10.200.9.0/24", certificate: { acme } });
        await settled(resources);
    });

    test("has a client that reaches the CA, and a loader without network access", () => {
        const { "edge-acme-client": client, "edge-acme-deployer": deployer } = containers(resources);
        expect(client).toMatchObject({
            name: "edge-acme",
            image: "sha256:goacme/lego:v4.35.2",
            user: "99:99",
            readOnly: true,
            capabilities: { drops: ["ALL"] },
            dns: ["192.0.2.53"],
            networksAdvanced: [{ name: "edge-public", ipv4Address: "10.200.9.254" }],
            volumes: [
                { volumeName: "edge-acme", containerPath: "/var/lib/acme" },
                { volumeName: "edge-configuration", readOnly: true },
            ],
        });
        expect(client).not.toHaveProperty("ports");
        expect(deployer).toMatchObject({
            name: "edge-certificate",
            user: "99:99",
            networkMode: "none",
            readOnly: true,
        });
    });

    test("has the client's image before anything is changed", () => {
        const names = resources.map(({ name }) => name);
        expect(names).toContain("edge-acme-image");
        expect(names.indexOf("edge-acme-image")).toBeLessThan(names.indexOf("edge-configuration-writer"));
    });

    test("has every setting in the place where the client reads it", () => {
        expect(containers(resources)["edge-acme-client"]?.["envs"]).toEqual(
            expect.arrayContaining([
                "CHECK_INTERVAL=600",
                "DIRECTORY_URL=https://ca.example.com/directory",
                "EMAIL=operations@example.com",
                "HOSTNAMES=s3.example.com console.example.com",
                "KEY_TYPE=rsa3072",
                "PREFLIGHT=false",
                "RETRY_INTERVAL=60",
                "SECRETS=/usr/local/etc/haproxy/current",
                expect.stringMatching(/^SELF_CHECK=[0-9a-f]{32}$/),
                "ORDER=https://ca.example.com/directory rsa3072 s3.example.com console.example.com today",
            ]),
        );
    });

    test("keeps the account's secrets in a file that isn't in the container's description", () => {
        const uploads = secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
            file: string;
            content: string;
        }[];
        expect(uploads.find(({ file }) => file === "/uploads/acme.environment")?.content).toBe(
            "ACME_TEXTS_TO_REMOVE='c2VjcmV0'\nLEGO_EAB_HMAC='c2VjcmV0'\nLEGO_EAB_KID='customer-7'\n",
        );
        expect(JSON.stringify(containers(resources)["edge-acme-client"])).not.toContain("c2VjcmV0");
    });

    test("lets challenges pass on port 80, and redirects everything else to HTTPS", () => {
        const [configuration] = secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
            content: string;
        }[];
        expect(configuration?.content).toContain("use_backend acme if { path_beg /.well-known/acme-challenge/ }");
        expect(configuration?.content).toContain("%[pathq] unless { path_beg /.well-known/acme-challenge/ }");
        expect(configuration?.content).toContain("server acme 10.200.9.254:8402");
        expect(configuration?.content).toContain("ssl crt /run/certificate/current/certificate.pem");
    });

    test("refuses what no CA would accept, with all problems at once", () => {
        const wrong = {
            termsAgreed: false,
            email: "nobody",
            directoryUrl: "http://ca.example.com/directory",
            keyType: "dsa1024",
            externalAccountBinding: { keyId: "", hmacKey: "not base64url" },
            nameServers: ["ns1.example.com"],
            retryInterval: 0,
            reissuedAt: "today\nagain",
        };
        const given = { s3Host: "s3.localhost", consoleHost: "console.example.com", cluster };
        const refusal = () => new HaproxyFrontEnd("edge", { ...given, certificate: { acme: wrong } });
        for (const part of [
            "certificate.acme.termsAgreed: is not true",
            "certificate.acme.directoryUrl: no CA issues a certificate for s3.localhost",
            'certificate.acme.email: "nobody" is not an address',
            'certificate.acme.directoryUrl: "http://ca.example.com/directory" is not an https URL',
            'certificate.acme.keyType: "dsa1024" is not known: give one of ec256',
            "certificate.acme.externalAccountBinding.keyId: is empty",
            "certificate.acme.externalAccountBinding.hmacKey: is not base64url",
            'certificate.acme.nameServers[0]: "ns1.example.com" is not an IP address',
            "certificate.acme.retryInterval: 0 is not allowed",
            'certificate.acme.reissuedAt: "today\\nagain" has a line break',
        ]) {
            expect(refusal).toThrow(part);
        }
    });

    test("refuses a DNS-01 challenge that can't work, with all problems at once and without a value", () => {
        const dns = {
            provider: "route35",
            environment: { lower: "a", AWS_REGION: "eu", ORDER: "b", LEGO_DEBUG_DNS_API_HTTP_CLIENT: "true" },
            secretEnvironment: { AWS_REGION: "hidden", PATH: "hidden", LEGO_EAB_KID: "hidden" },
            propagationWait: 0,
        };
        const given = { ...hosts, cluster, certificate: { acme: { termsAgreed: true, preflight: true, dns } } };
        let message = "";
        try {
            new HaproxyFrontEnd("edge", given);
        } catch (error) {
            message = (error as Error).message;
        }
        for (const part of [
            'certificate.acme.dns.provider: "route35" is not a DNS provider of the ACME client: did you mean route53?',
            'certificate.acme.dns.environment["lower"]: is not the name of a variable',
            "certificate.acme.dns.environment.AWS_REGION: is in secretEnvironment too",
            "certificate.acme.dns.environment.ORDER: is set by the component itself",
            "certificate.acme.dns.environment.LEGO_DEBUG_DNS_API_HTTP_CLIENT: makes the client print credentials",
            "certificate.acme.dns.secretEnvironment.PATH: is set by",
            "certificate.acme.dns.secretEnvironment.LEGO_EAB_KID: is set by",
            "certificate.acme.dns.propagationWait: 0 is not allowed",
            "certificate.acme.preflight: checks port 80",
        ]) {
            expect(message).toContain(part);
        }
        expect(message).not.toContain("hidden");
    });

    test.each([
        ["manual", undefined, '"manual" asks a person at each renewal'],
        ["Route53", undefined, '"Route53" is not the code of a DNS provider'],
        ["of-a-later-release", undefined, "is not a DNS provider of the ACME client: give one of https://"],
        ["of-a-later-release", "registry.example.com/lego:v4.99.0", undefined],
    ])("a DNS provider %s with the image %s", (provider, image, refusal) => {
        const acmeArgs = { termsAgreed: true, dns: { provider }, image };
        const found = checkAcme(acmeArgs, ["s3.example.com"]).map(({ reason }) => reason);
        expect(found).toEqual(refusal === undefined ? [] : [expect.stringContaining(refusal)]);
    });

    test("refuses two kinds of certificate at once", () => {
        const given = { ...hosts, cluster, certificate: { pem: "one", acme } };
        expect(() => new HaproxyFrontEnd("edge", given)).toThrow(
            "certificate: pem and acme are set: set only one of them",
        );
    });
});

test.each([
    ["dev", "https://acme-staging-v02.api.letsencrypt.org/directory"],
    ["team-test", "https://acme-staging-v02.api.letsencrypt.org/directory"],
    ["production", "https://acme-v02.api.letsencrypt.org/directory"],
    ["device", "https://acme-v02.api.letsencrypt.org/directory"],
])("a stack with the name %s orders from %s by default", (stack, directory) => {
    expect(resolveAcme({ termsAgreed: true }, stack).directoryUrl).toBe(directory);
});
