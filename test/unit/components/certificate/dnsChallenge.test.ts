import "../../fakes/imageAtOnce";
import "../../fakes/noHostAsked";
import { DockerEngine } from "../../../../components/docker/engine";
import { HaproxyFrontEnd } from "../../../../components";
import { DEFAULT_LEGO_IMAGE } from "../../../../components/certificate/acmeSettings";
import { missingProvider } from "../../../../components/certificate/dnsProviderProbe";
import { mockEngine, settled, secretValue, type RegisteredResource } from "../../fakes/mockEngine";
import { cluster, hosts, containers } from "../../fakes/frontEndParts";

describe("a proxy with a certificate by DNS-01", () => {
    const acme = {
        termsAgreed: true,
        externalAccountBinding: { keyId: "customer-7", hmacKey: "c2VjcmV0" },
        dns: {
            provider: "httpreq",
            environment: { HTTPREQ_ENDPOINT: "https://dns.example.com" },
            secretEnvironment: { HTTPREQ_PASSWORD: "it's a/secret", HTTPREQ_USERNAME: "eve" },
            propagationWait: 20,
        },
    };
    let resources: RegisteredResource[];

    beforeAll(async () => {
        const engine: Partial<DockerEngine> = { readFile: () => Promise.resolve(undefined) };
        jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
        resources = await mockEngine();
        const known = { ...cluster, bucketDomains: [hosts.s3Host] };
        const given = { ...hosts, cluster: known, publicSubnet: "10.200.9.0/24", virtualHostBuckets: true };
        new HaproxyFrontEnd("edge", { ...given, certificate: { acme } });
        await settled(resources);
    });

    const uploads = () =>
        secretValue(containers(resources)["edge-configuration-writer"]?.["uploads"]) as {
            file: string;
            content: string;
        }[];

    test("orders the wildcard name too, and asks port 80 nothing before", () => {
        expect(containers(resources)["edge-acme-client"]?.["envs"]).toEqual(
            expect.arrayContaining([
                "DNS_PROVIDER=httpreq",
                "HOSTNAMES=s3.example.com console.example.com *.s3.example.com",
                "PREFLIGHT=false",
                "PROPAGATION_WAIT=20",
            ]),
        );
    });

    test("has credentials only in the file that the client reads, with the texts that messages must not have", () => {
        expect(uploads().find(({ file }) => file === "/uploads/acme.environment")?.content).toBe(
            [
                "ACME_TEXTS_TO_REMOVE='it%27s%20a%2Fsecret\nit%27s+a%2Fsecret\nit'\\''s a/secret\nc2VjcmV0'",
                "HTTPREQ_ENDPOINT='https://dns.example.com'",
                "HTTPREQ_PASSWORD='it'\\''s a/secret'",
                "HTTPREQ_USERNAME='eve'",
                "LEGO_EAB_HMAC='c2VjcmV0'",
                "LEGO_EAB_KID='customer-7'",
                "",
            ].join("\n"),
        );
        expect(JSON.stringify(resources.filter(({ name }) => name !== "edge-configuration-writer"))).not.toMatch(
            /a\/secret|c2VjcmV0/,
        );
    });

    test("redirects every request on port 80, challenges too", () => {
        const [configuration] = uploads();
        expect(configuration?.content).toContain("%[pathq]\n");
        expect(configuration?.content).not.toContain("acme");
        expect(configuration?.content).toContain("ssl crt /run/certificate/current/certificate.pem");
    });
});

test.each([
    ["a client that has the provider", undefined, "built/lego:4", []],
    [
        "a client that hasn't",
        "lego ends with exit code 1 in it",
        "built/lego:4",
        [
            {
                propertyPath: "certificate.acme.dns.provider",
                reason: expect.stringContaining(
                    '"httpreq" is not a DNS provider of the ACME client in the configured image (lego ends with exit code 1 in it)',
                ) as string,
            },
        ],
    ],
    ["the default client, which is not asked", "not asked", DEFAULT_LEGO_IMAGE, []],
])("before an update, %s", async (_, refusal, image, problems) => {
    const asked = jest.fn(() => Promise.resolve(refusal));
    const settings = { dns: { provider: "httpreq" }, image };
    const found = await missingProvider(settings, { image: "sha256:id", owner: "edge" }, { oneShots: { try: asked } });
    expect(found).toEqual(problems);
    expect(asked).toHaveBeenCalledTimes(image === DEFAULT_LEGO_IMAGE ? 0 : 1);
});
