import { ACME_FOLDER, AcmeStack, CONSOLE_HOST, PUBLIC_HOSTS, S3_HOST } from "./harness/acmeStack";
import { Pebble } from "./harness/pebble";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;

/**
 * Validity of the CA's certificates, in seconds. A client renews such a short-lived certificate in the second half of
 * its validity. On a busy machine, a certificate of 30 s expired before it was loaded, and an expired certificate is
 * never loaded.
 */
const VALIDITY = 60;

/** Seconds after which an update stops waiting for a certificate. */
const ISSUE_TIMEOUT = 15;

/** Seconds from the first failure to the next attempt. */
const RETRY_INTERVAL = 2;

describe("a certificate by ACME that can't be obtained", () => {
    let pebble: Pebble;
    let stack: AcmeStack;

    beforeAll(async () => {
        pebble = await Pebble.start(PUBLIC_HOSTS, { validitySeconds: VALIDITY });
        stack = await AcmeStack.create(pebble, {
            checkInterval: 1,
            retryInterval: RETRY_INTERVAL,
            issueTimeout: ISSUE_TIMEOUT,
        });
        // The store is already running.
        await stack.deployment.unset("certificate");
        await stack.deployment.up();
        await stack.configureAcme();
    }, 180 * SECOND);

    afterAll(async () => {
        await stack.remove();
        await pebble.remove();
    }, 120 * SECOND);

    describe("because a hostname doesn't resolve to the proxy", () => {
        /**
         * Expects that an update fails in time, that its message has the reason, and that nothing was requested from
         * the CA.
         */
        const expectFailure = async (reason: RegExp) => {
            const start = Date.now();
            const output = await stack.deployment.upFailing();
            expect(output).toMatch(reason);
            expect(output).not.toContain(`${S3_HOST} doesn't resolve`);
            expect(output).not.toContain(`of ${S3_HOST} `);
            // The store and the proxy need time as well.
            expect(Date.now() - start).toBeLessThan((ISSUE_TIMEOUT + 120) * SECOND);
            expect(await pebble.orders()).toBe(0);
        };

        test("but to nothing: `pulumi up` fails, says so, and nothing is ordered", async () => {
            await pebble.resolve(CONSOLE_HOST, undefined);
            await expectFailure(new RegExp(`${CONSOLE_HOST} doesn't resolve`));
        }, 180_000);

        test("but to another address: `pulumi up` fails with that address, and nothing is ordered", async () => {
            await pebble.resolve(CONSOLE_HOST, pebble.elsewhere);
            await expectFailure(
                new RegExp(`port 80 of ${CONSOLE_HOST} \\(${pebble.elsewhere}\\) doesn't reach this proxy`),
            );
        }, 120_000);

        test("leaves the previous certificate in use, and its expiry in the metrics", async () => {
            const { caCertificate } = await stack.deployment.outputs();
            for (const hostname of PUBLIC_HOSTS) {
                expect((await stack.served(hostname, caCertificate)).trusted).toBe(true);
            }
            const { certificate } = await stack.served();
            expect((await stack.metric("not_after_seconds")) * SECOND).toBe(Date.parse(certificate.validTo));
        });

        test("is obtained by the next `pulumi up` once the hostname resolves", async () => {
            await pebble.resolve(CONSOLE_HOST, pebble.address);
            await stack.deployment.up();
            const ca = await pebble.rootCertificate();
            const served = await stack.served(CONSOLE_HOST, ca);
            expect(served.trusted).toBe(true);
            expect(await pebble.issued()).toContain(served.serial);
            expect(await stack.metric("renewal_failures")).toBe(0);
        }, 120_000);
    });

    describe("when a renewal is due", () => {
        /**
         * Failed attempts in the client's log: the time, the number in a row, the reason, and the seconds until the
         * next attempt.
         */
        const failures = async () =>
            [
                ...(await stack.host.logs(stack.client)).matchAll(
                    /(\d{4}-\S+Z) attempt (\d+) failed: (.*); the next one in (\d+) s/g,
                ),
            ].map(([, time = "", count, reason = "", delay]) => ({
                time: Date.parse(time) / SECOND,
                count: Number(count),
                reason,
                delay: Number(delay),
            }));

        const currentSerial = async () => (await stack.served()).serial;

        /**
         * The serial number of the last certificate obtained, once it is served. A certificate that was issued may
         * never be obtained, if the CA became unavailable in the middle of its order.
         */
        const lastSerial = async () => {
            const last = await stack.obtainedSerial();
            await waitUntil("the last certificate is served", async () => (await currentSerial()) === last);
            return last;
        };

        /**
         * Expects that a new certificate of the CA is served without any action, once the cause of the failures is
         * gone.
         */
        const expectRecovery = async (former: string) => {
            await waitUntil("another certificate is served", async () => (await currentSerial()) !== former);
            const ca = await pebble.rootCertificate();
            for (const hostname of PUBLIC_HOSTS) {
                // It expires soon, so on a busy machine its successor may be the first one found valid.
                await waitUntil(
                    `${hostname} is served a certificate of the CA's`,
                    async () => (await stack.served(hostname, ca)).trusted,
                );
            }
            await waitUntil("no failures are counted", async () => (await stack.metric("renewal_failures")) === 0);
        };

        beforeAll(async () => {
            // Only the CA resolves the hostname to another address.
            await stack.configureAcme({ preflight: false });
            await stack.deployment.up();
        }, 120_000);

        afterEach(async () => {
            await pebble.resolve(CONSOLE_HOST, pebble.address);
            await pebble.comeBack();
            await stack.startClient();
        });

        test("and the CA refuses: the previous one is served, failures are counted, retries get less frequent; then it recovers", async () => {
            await pebble.resolve(CONSOLE_HOST, pebble.elsewhere);
            await waitUntil("an attempt has failed", async () => (await failures()).length > 0);
            const former = await lastSerial();
            await waitUntil("three attempts have failed", async () => (await failures()).length >= 3);

            const [first, second, third] = await failures();
            expect([first?.count, second?.count, third?.count]).toEqual([1, 2, 3]);
            expect([first?.delay, second?.delay, third?.delay]).toEqual(
                [1, 2, 4].map((times) => times * RETRY_INTERVAL),
            );
            expect(first?.reason).toContain(CONSOLE_HOST);
            // Times in the log are whole seconds.
            expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(RETRY_INTERVAL - 1);
            expect((third?.time ?? 0) - (second?.time ?? 0)).toBeGreaterThanOrEqual(2 * RETRY_INTERVAL - 1);
            await waitUntil("failures are counted", async () => (await stack.metric("renewal_failures")) >= 3);
            expect(await currentSerial()).toBe(former);

            await pebble.resolve(CONSOLE_HOST, pebble.address);
            await expectRecovery(former);
        }, 240_000);

        test("and the CA is unavailable: the previous one is served and the log says why, until the CA is back", async () => {
            const before = (await failures()).length;
            pebble.leave();
            // An order in progress may fail with a broken connection.
            await waitUntil("an attempt has failed since nobody listens", async () =>
                (await failures()).slice(before).some(({ reason }) => reason.includes("connection refused")),
            );
            const former = await lastSerial();

            await pebble.comeBack();
            await expectRecovery(former);
        }, 240_000);

        test("and the client's file is damaged: the previous one is served until a new one is ordered", async () => {
            const former = await stack.stopClient();
            await stack.onVolumes(`printf rubbish > ${ACME_FOLDER}/certificates/${S3_HOST}.crt`);
            expect(await currentSerial()).toBe(former);
            await stack.startClient();
            await expectRecovery(former);
        }, 240_000);

        test("and the CA has lost its accounts: the client registers a new one by itself", async () => {
            const former = await stack.stopClient();
            await pebble.forgetEverything();
            await stack.startClient();
            await expectRecovery(former);
            expect(await pebble.accounts()).toBe(2);
        }, 240_000);
    });
});
