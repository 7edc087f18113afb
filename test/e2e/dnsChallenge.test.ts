import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import { defaultClientFor, recordHosts } from "./clients/javascriptSdk";
import { AcmeStack, CONSOLE_HOST, PUBLIC_HOSTS, S3_HOST } from "./harness/acmeStack";
import { requestPlain } from "./harness/clients";
import { Pebble } from "./harness/pebble";
import { minioStore } from "./harness/stores";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;

const WILDCARD = `*.${S3_HOST}`;

const BUCKET = "by-hostname";

const KEY_NAME = "acme-key";

/** Validity of the CA's certificates, in seconds. They are renewed in the second half of it. */
const VALIDITY = 120;

/** A store whose bucket hostnames are certified by TXT records, which its client creates by RFC 2136. */
describe("a certificate by DNS-01 for buckets in hostnames", () => {
    const [secret, wrongSecret, otherWrongSecret] = [1, 2, 3].map(() => randomBytes(32).toString("base64")) as [
        string,
        string,
        string,
    ];
    let pebble: Pebble;
    let stack: AcmeStack;
    let ca: string;

    const challenge = (tsigSecret: string, provider = "rfc2136") => ({
        dns: {
            provider,
            environment: {
                DNSUPDATE_NAMESERVER: pebble.address,
                DNSUPDATE_TSIG_ALGORITHM: "hmac-sha256",
                DNSUPDATE_TSIG_KEY: KEY_NAME,
                DNSUPDATE_POLLING_INTERVAL: 1,
                DNSUPDATE_SEQUENCE_INTERVAL: 1,
            },
            secretEnvironment: { DNSUPDATE_TSIG_SECRET: tsigSecret },
        },
    });
    const clientLog = () => stack.host.logs(stack.client);
    /** Failed attempts in the log of the client's current container. */
    const failures = async () => (await clientLog()).match(/attempt \d+ failed/g)?.length ?? 0;

    beforeAll(async () => {
        pebble = await Pebble.start([...PUBLIC_HOSTS, WILDCARD], {
            validitySeconds: VALIDITY,
            zone: {
                name: "example.test",
                key: { name: KEY_NAME, secret },
                aliases: { [`_acme-challenge.${CONSOLE_HOST}`]: "console.challenges.example.test" },
            },
        });
        // The interval is so long that only a change of the credentials leads to another attempt in time.
        stack = await AcmeStack.create(
            pebble,
            { ...challenge(wrongSecret), checkInterval: 1, retryInterval: 3600, issueTimeout: 60 },
            { ...minioStore().config, virtualHostBuckets: "true" },
        );
    }, 120 * SECOND);

    afterAll(async () => {
        await stack.remove();
        await pebble.remove();
    }, 120 * SECOND);

    test("with wrong credentials `pulumi up` fails, says what to check, and doesn't show them", async () => {
        const output = await stack.deployment.upFailing();
        expect(output).toMatch(/error presenting token: .*bad authentication/);
        expect(output).toContain(
            "Check acme.dns: environment and secretEnvironment need what the provider rfc2136 asks for",
        );
        expect(output).not.toContain(wrongSecret);
        expect(await failures()).toBe(1);
        expect(await pebble.issued()).toEqual([]);
        expect((await stack.served()).certificate.subjectAltName).toBe(
            [...PUBLIC_HOSTS, WILDCARD].map((name) => `DNS:${name}`).join(", "),
        );
    }, 300_000);

    test("with corrected ones it is ordered at once and served, without a replaced proxy", async () => {
        const proxy = (await stack.containers()).get(stack.proxy);
        await stack.configureAcme(challenge(secret));
        await stack.deployment.up();
        ca = await pebble.rootCertificate();
        for (const hostname of [...PUBLIC_HOSTS, `${BUCKET}.${S3_HOST}`]) {
            const { trusted, certificate } = await stack.served(hostname, ca);
            expect([hostname, trusted]).toEqual([hostname, true]);
            expect(certificate.subjectAltName?.split(", ").sort()).toEqual(
                [...PUBLIC_HOSTS, WILDCARD].map((name) => `DNS:${name}`).sort(),
            );
        }
        expect((await stack.containers()).get(stack.proxy)).toBe(proxy);
    }, 180_000);

    test("AWS SDK for JavaScript with its default addressing", async () => {
        const outputs = { ...(await stack.deployment.outputs()), caCertificate: ca };
        const client = defaultClientFor(outputs, {});
        const hosts = recordHosts(client);
        await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
        await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "key", Body: "content" }));
        const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "key" }));
        expect(await got.Body?.transformToString()).toBe("content");
        expect([...hosts]).toEqual([`${BUCKET}.${S3_HOST}`]);
        client.destroy();
    }, 60_000);

    test("port 80 redirects every request, those for HTTP-01 challenges too", async () => {
        const { httpPort, httpsPort } = stack.deployment;
        const target = "/.well-known/acme-challenge/token";
        expect(await requestPlain(httpPort, "GET", target, CONSOLE_HOST)).toEqual({
            status: 301,
            location: `https://${CONSOLE_HOST}:${httpsPort}${target}`,
        });
    });

    test("a second update and a refresh change nothing", async () => {
        expect(Object.keys((await stack.deployment.up()).changes)).toEqual(["same"]);
        await stack.deployment.refresh();
        expect(Object.keys((await stack.deployment.up()).changes)).toEqual(["same"]);
    }, 240_000);

    test("it is renewed, and the renewed one is served", async () => {
        const { serial } = await stack.served();
        await waitUntil("another certificate is served", async () => (await stack.served()).serial !== serial);
        expect((await stack.served(`${BUCKET}.${S3_HOST}`, ca)).trusted).toBe(true);
    }, 300_000);

    test("credentials that fail at a renewal are reported, and corrected ones are used at once", async () => {
        await stack.configureAcme(challenge(otherWrongSecret));
        await stack.deployment.up();
        await waitUntil("a renewal fails", async () => (await stack.metric("renewal_failures")) > 0);
        expect(await clientLog()).toMatch(/attempt 1 failed: .*bad authentication.* Check acme\.dns/);
        expect((await stack.served(S3_HOST, ca)).trusted).toBe(true);
        await stack.configureAcme(challenge(secret));
        const { serial } = await stack.served();
        await stack.deployment.up();
        await waitUntil("another certificate is served", async () => (await stack.served()).serial !== serial);
        await waitUntil("no failures are counted", async () => (await stack.metric("renewal_failures")) === 0);
    }, 300_000);

    test("a provider that the client doesn't have is refused before anything is changed", async () => {
        const before = await stack.containers();
        await stack.configureAcme(challenge(secret, "of-no-release"));
        expect(await stack.deployment.upFailing()).toContain(
            '"of-no-release" is not a DNS provider of the ACME client',
        );
        expect([...(await stack.containers())]).toEqual([...before]);
        await stack.configureAcme(challenge(secret));
    }, 180_000);

    test("no secret is in state, in `docker inspect` or in a log", async () => {
        const secrets = [secret, wrongSecret, otherWrongSecret].flatMap((value) => [value, JSON.stringify(value)]);
        expect(await stack.placesWith(secrets)).toEqual([]);
    }, 60_000);
});
