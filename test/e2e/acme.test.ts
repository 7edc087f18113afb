import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate, ownCertificate, type TestCertificate } from "../certificates";
import {
    ACME_FOLDER,
    AcmeStack,
    CERTIFICATE_FOLDER,
    PUBLIC_HOSTS,
    S3_HOST,
    type ServedCertificate,
} from "./harness/acmeStack";
import { requestPlain } from "./harness/clients";
import { Pebble } from "./harness/pebble";
import { MANNERS, ShortRequests } from "./harness/shortRequests";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;

/** User and group ids in HAProxy's official image. */
const PROXY_USER = "99:99";

const CHALLENGES = "/.well-known/acme-challenge/";

/** Seconds between the client's checks. The client checks many times during each test. */
const CHECK_INTERVAL = 2;

describe("a certificate by ACME", () => {
    const customer = { keyId: "customer", hmacKey: randomBytes(48).toString("base64url") };
    let pebble: Pebble;
    let stack: AcmeStack;
    /** Certificate that was served before the client obtained the first one. */
    let temporary: ServedCertificate | undefined;
    /** Certificate of the issuing CA. */
    let ca: string;
    let serial: string;
    /** Number of orders for the first certificate: some may have failed at a slow CA. */
    let orders: number;

    beforeAll(async () => {
        pebble = await Pebble.start(PUBLIC_HOSTS, {
            refusedNonces: 30,
            validationDelay: 4,
            externalAccounts: { [customer.keyId]: customer.hmacKey },
        });
        stack = await AcmeStack.create(pebble, {
            checkInterval: CHECK_INTERVAL,
            retryInterval: 1,
            externalAccountBinding: customer,
        });
        let isUp = false;
        const up = stack.deployment.up().finally(() => (isUp = true));
        const watch = async () => {
            while (temporary === undefined && !isUp) {
                temporary = await stack.served().catch(() => undefined);
                await sleep(20);
            }
        };
        await Promise.all([up, watch()]);
        ca = await pebble.rootCertificate();
        ({ serial } = await stack.served());
        orders = await pebble.orders();
    }, 240 * SECOND);

    afterAll(async () => {
        await stack.remove();
        await pebble.remove();
    }, 120 * SECOND);

    /**
     * Expects that the first certificate is still served after several checks of the client, and that nothing was
     * ordered since.
     */
    const expectNoOrder = async () => {
        await sleep(2 * CHECK_INTERVAL * SECOND);
        expect(await stack.served(S3_HOST, ca)).toMatchObject({ serial, trusted: true });
        const asked = { orders: await pebble.orders(), accounts: await pebble.accounts() };
        expect({ ...asked, issued: await pebble.issued() }).toEqual({ orders, accounts: 1, issued: [serial] });
    };

    test("is served for both hostnames once `pulumi up` has ended, however slow and moody the CA", async () => {
        for (const hostname of PUBLIC_HOSTS) {
            const served = await stack.served(hostname, ca);
            expect([hostname, served.trusted, served.serial]).toEqual([hostname, true, serial]);
        }
        expect(await pebble.issued()).toEqual([serial]);
    });

    test("replaces a self-signed one, valid for at most seven days", () => {
        if (temporary === undefined) {
            throw new Error("nothing was served before the certificate");
        }
        const { certificate } = temporary;
        expect(certificate.verify(certificate.publicKey)).toBe(true);
        expect(Date.parse(certificate.validTo) - Date.now()).toBeLessThanOrEqual(7 * DAY);
        expect(PUBLIC_HOSTS.map((hostname) => certificate.checkHost(hostname))).toEqual(PUBLIC_HOSTS);
        expect(temporary.serial).not.toBe(serial);
    });

    test("has its expiry in the output certificateNotAfter and in the metrics on the node network", async () => {
        const end = Date.parse((await stack.served()).certificate.validTo);
        expect(Date.parse((await stack.deployment.outputs()).certificateNotAfter)).toBe(end);
        expect((await stack.metric("not_after_seconds")) * SECOND).toBe(end);
        expect(await stack.metric("renewal_failures")).toBe(0);
    });

    test("leaves nothing to change for a second update, nor for one after a refresh", async () => {
        expect(Object.keys((await stack.deployment.up()).changes)).toEqual(["same"]);
        await stack.deployment.refresh();
        expect(Object.keys((await stack.deployment.up()).changes)).toEqual(["same"]);
    }, 120_000);

    test("uses port 80 for the challenge folder only; all other requests are redirected", async () => {
        const { httpPort, httpsPort } = stack.deployment;
        const outside = [
            "/",
            "/.well-known/",
            "/.well-known/acme-challenge",
            "/.well-known/acme-challenges/a",
            `/a${CHALLENGES}b`,
        ];
        for (const target of outside) {
            const { status, location } = await requestPlain(httpPort, "GET", target, S3_HOST);
            expect([status, location]).toEqual([301, `https://${S3_HOST}:${httpsPort}${target}`]);
        }
        for (const hostname of PUBLIC_HOSTS) {
            const { status, location } = await requestPlain(httpPort, "GET", `${CHALLENGES}nobodys-token`, hostname);
            expect(location).toBeUndefined();
            expect(status).toBeGreaterThanOrEqual(400);
        }
    });

    test("has no secret in state, in `docker inspect` or in a log", async () => {
        const files = ["certificates/*.key", "accounts/*/*/keys/*.key"].map((path) => `${ACME_FOLDER}/${path}`);
        const read = `cat ${files.join(" ")} | while read -r line; do echo "line $line"; done`;
        const keys = [...(await stack.onVolumes(read)).matchAll(/line ([A-Za-z0-9+/=]{36,})$/gm)].map(
            ([, line = ""]) => line,
        );
        expect(keys.length).toBeGreaterThanOrEqual(4);
        const secrets = [...keys, customer.hmacKey, "PRIVATE KEY"];

        expect(await stack.placesWith(secrets)).toEqual([]);
    }, 60_000);

    test("is readable by the proxy's user only, as are all files that belong to it", async () => {
        const list = [
            `du -a ${ACME_FOLDER} ${CERTIFICATE_FOLDER} | while read -r size path; do`,
            "stat -c '%F|%a|%u:%g|%n|' \"$path\"",
            "done",
        ];
        const found = [
            ...(await stack.onVolumes(list.join("\n"))).matchAll(
                /(regular[a-z ]* file|directory)\|(\d+)\|(.*?)\|(.*?)\|/g,
            ),
        ].map(([, kind = "", mode, owner, path = ""]) => ({ kind, mode, owner, path }));
        const others = found.filter(
            ({ kind, mode, owner }) => owner !== PROXY_USER || mode !== (kind === "directory" ? "700" : "600"),
        );
        expect(others).toEqual([]);
        expect(found.map(({ path }) => path)).toEqual(
            expect.arrayContaining([`${ACME_FOLDER}/certificates/${S3_HOST}.key`]),
        );
        for (const container of [stack.proxy, stack.client, stack.deployer]) {
            expect((await stack.host.inspect(container)).Config.User).toBe(PROXY_USER);
        }
    }, 60_000);

    test("is ordered once: ten restarts of all its containers order nothing more", async () => {
        for (let restart = 0; restart < 10; restart++) {
            await Promise.all(
                [stack.client, stack.deployer].map((name) => stack.host.docker.getContainer(name).restart()),
            );
        }
        await expectNoOrder();
    }, 120_000);

    test("is ordered once: after a replacement of the proxy, and after down and up, nothing more is ordered", async () => {
        const proxy = (await stack.containers()).get(stack.proxy);
        await stack.deployment.configure({ openFiles: "19000" });
        await stack.deployment.up();
        expect((await stack.containers()).get(stack.proxy)).not.toBe(proxy);
        await expectNoOrder();

        await stack.deployment.down();
        expect([...(await stack.containers()).keys()]).toEqual([]);
        await stack.deployment.up();
        await expectNoOrder();
    }, 180_000);

    test("is replaced by a configured and a self-signed one, and comes back, by reloads that fail no request", async () => {
        const given = await makeCertificate(PUBLIC_HOSTS);
        const proxy = (await stack.containers()).get(stack.proxy);
        // Another test checks which certificate is served.
        const tls = { ca, servername: S3_HOST, rejectUnauthorized: false };
        const loads = MANNERS.map((manner) => ({
            manner,
            requests: new ShortRequests(manner, { port: stack.deployment.httpsPort, tls }, "/service/echo"),
        }));
        try {
            await stack.deployment.configure({ certificate: ownCertificate(given) });
            await stack.deployment.up();
            expect((await stack.served(S3_HOST, given.issuer)).trusted).toBe(true);
            const containers = [...(await stack.containers()).keys()];
            expect(containers.filter((name) => [stack.client, stack.deployer].includes(name))).toEqual([]);

            await stack.deployment.unset("certificate");
            await stack.deployment.up();
            const { caCertificate } = await stack.deployment.outputs();
            expect((await stack.served(S3_HOST, caCertificate)).trusted).toBe(true);

            await stack.configureAcme();
            await stack.deployment.up();
            await expectNoOrder();
        } finally {
            await Promise.all(loads.map(({ requests }) => requests.stop()));
        }
        expect((await stack.containers()).get(stack.proxy)).toBe(proxy);
        for (const { manner, requests } of loads) {
            const { answered, failures } = await requests.stop();
            expect({ manner, failures }).toEqual({ manner, failures: [] });
            expect(answered).toBeGreaterThan(50);
        }
    }, 240_000);

    describe("whose successor can't be served", () => {
        const [obtained, key] = ["crt", "key"].map((kind) => `certificates/${S3_HOST}.${kind}`);

        beforeAll(async () => {
            await stack.host.docker.getContainer(stack.client).stop();
            await stack.onVolumes(`cd ${ACME_FOLDER}; mkdir /acme/kept; cp -a certificates ready kept`);
        }, 60_000);

        afterAll(async () => {
            await stack.onVolumes(`cd ${ACME_FOLDER}; cp -a kept/certificates kept/ready .; rm -r kept`);
            await stack.host.docker.getContainer(stack.client).start();
        }, 60_000);

        /** Writes files as if the client had just obtained them. */
        const obtain = (chain: string, privateKey: string) =>
            stack.onVolumes(
                [
                    `cd ${ACME_FOLDER}`,
                    `printf %s '${chain}' > ${obtained}; printf %s '${privateKey}' > ${key}`,
                    `digest=$(cat ${obtained} ${key} | sha256sum)`,
                    'printf "%s %s\\n" "${digest%% *}" "$(cat obtained)" > ready.next',
                    `chown ${PROXY_USER} ready.next; mv ready.next ready`,
                ].join("\n"),
            );

        const whole = (made: TestCertificate): [string, string] => [made.certificate + made.issuer, made.key];

        test.each<[string, () => Promise<[string, string]>]>([
            ["no certificate at all", () => Promise.resolve(["rubbish\n", "rubbish\n"])],
            [
                "one with another one's key",
                async () => [whole(await makeCertificate(PUBLIC_HOSTS))[0], (await makeCertificate(PUBLIC_HOSTS)).key],
            ],
            ["one that has ended", async () => whole(await makeCertificate(PUBLIC_HOSTS, -20, -10))],
            ["one for another hostname", async () => whole(await makeCertificate([S3_HOST, "other.example.test"]))],
        ])("%s: the previous one stays in use, and the log says why", async (_, make) => {
            const refusals = async () => (await stack.host.logs(stack.deployer)).match(/refused/g)?.length ?? 0;
            const before = await refusals();
            await obtain(...(await make()));
            await waitUntil("the log says that it is refused", async () => (await refusals()) > before);
            expect(await refusals()).toBe(before + 1);
            expect(await stack.served(S3_HOST, ca)).toMatchObject({ serial, trusted: true });
        });
    });

    test("is still served, without another order, once everything is restored", expectNoOrder, 60_000);
});
