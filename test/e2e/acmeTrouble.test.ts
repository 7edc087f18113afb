import { ACME_FOLDER, AcmeStack, CONSOLE_HOST, PUBLIC_HOSTS, S3_HOST } from "./harness/acmeStack";
import { Pebble } from "./harness/pebble";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;

/** Seconds that the authority's certificates are valid for: a client renews one of so few in the second half of them. */
const VALIDITY = 30;

/** Seconds for which an update waits in vain. */
const ISSUE_TIMEOUT = 15;

/** Seconds from the first failure to the next attempt. */
const RETRY_INTERVAL = 2;

describe("a certificate by ACME that can't be had", () => {
    let pebble: Pebble;
    let stack: AcmeStack;

    beforeAll(async () => {
        pebble = await Pebble.start(PUBLIC_HOSTS, { validitySeconds: VALIDITY });
        stack = await AcmeStack.create(pebble, {
            checkInterval: 1,
            retryInterval: RETRY_INTERVAL,
            issueTimeout: ISSUE_TIMEOUT,
        });
        // A store that is live already.
        await stack.deployment.unset("acme");
        await stack.deployment.up();
        await stack.configureAcme();
    }, 180 * SECOND);

    afterAll(async () => {
        await stack.remove();
        await pebble.remove();
    }, 120 * SECOND);

    describe("since a hostname doesn't lead to the proxy", () => {
        /** Expects that an update fails in time, for a reason that it tells, and asked nothing of the authority. */
        const expectFailure = async (reason: RegExp) => {
            const start = Date.now();
            const output = await stack.deployment.upFailing();
            expect(output).toMatch(reason);
            expect(output).not.toContain(`${S3_HOST} doesn't resolve`);
            expect(output).not.toContain(`of ${S3_HOST} `);
            // The store and the proxy take their time as well.
            expect(Date.now() - start).toBeLessThan((ISSUE_TIMEOUT + 120) * SECOND);
            expect(await pebble.orders()).toBe(0);
        };

        test("but resolves to nothing: `pulumi up` fails, says so, and nothing is ordered", async () => {
            await pebble.resolve(CONSOLE_HOST, undefined);
            await expectFailure(new RegExp(`${CONSOLE_HOST} doesn't resolve`));
        }, 180_000);

        test("but to another address: `pulumi up` fails, says which one, and nothing is ordered", async () => {
            await pebble.resolve(CONSOLE_HOST, pebble.elsewhere);
            await expectFailure(new RegExp(`port 80 of ${CONSOLE_HOST} \\(${pebble.elsewhere}\\) isn't this proxy's`));
        }, 120_000);

        test("leaves the certificate in force that was served before, and its end in the metrics", async () => {
            const { caCertificate } = await stack.deployment.outputs();
            for (const hostname of PUBLIC_HOSTS) {
                expect((await stack.served(hostname, caCertificate)).trusted).toBe(true);
            }
            const { certificate } = await stack.served();
            expect((await stack.metric("not_after_seconds")) * SECOND).toBe(Date.parse(certificate.validTo));
        });

        test("is had by the next `pulumi up` once it does", async () => {
            await pebble.resolve(CONSOLE_HOST, pebble.address);
            await stack.deployment.up();
            const authority = await pebble.rootCertificate();
            const served = await stack.served(CONSOLE_HOST, authority);
            expect(served.trusted).toBe(true);
            expect(await pebble.issued()).toContain(served.serial);
            expect(await stack.metric("renewal_failures")).toBe(0);
        }, 120_000);
    });

    describe("when a renewal is due", () => {
        /** Failed attempts, as the client's log has them: when, which in a row, why, and seconds until the next. */
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
         * The serial of the last certificate obtained, once it is served. One that was issued may never be obtained: the
         * authority has left in the middle of its order.
         */
        const lastSerial = async () => {
            const last = await stack.obtainedSerial();
            await waitUntil("the last certificate is served", async () => (await currentSerial()) === last);
            return last;
        };

        /** Expects that, with the cause gone, a certificate of the authority's that is new is served with nobody's help. */
        const expectRecovery = async (former: string) => {
            await waitUntil("another certificate is served", async () => (await currentSerial()) !== former);
            const authority = await pebble.rootCertificate();
            for (const hostname of PUBLIC_HOSTS) {
                // It ends soon, so on a busy machine it may be its successor that is whole.
                await waitUntil(
                    `${hostname} is served a certificate of the authority's`,
                    async () => (await stack.served(hostname, authority)).trusted,
                );
            }
            await waitUntil("no failures are counted", async () => (await stack.metric("renewal_failures")) === 0);
        };

        beforeAll(async () => {
            // The authority alone is to find the hostname elsewhere.
            await stack.configureAcme({ preflight: false });
            await stack.deployment.up();
        }, 120_000);

        afterEach(async () => {
            await pebble.resolve(CONSOLE_HOST, pebble.address);
            await pebble.comeBack();
            await stack.startClient();
        });

        test("and the authority refuses: the former is served, failures are counted, attempts get rarer; then it heals", async () => {
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
            // Times are told in whole seconds.
            expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(RETRY_INTERVAL - 1);
            expect((third?.time ?? 0) - (second?.time ?? 0)).toBeGreaterThanOrEqual(2 * RETRY_INTERVAL - 1);
            await waitUntil("failures are counted", async () => (await stack.metric("renewal_failures")) >= 3);
            expect(await currentSerial()).toBe(former);

            await pebble.resolve(CONSOLE_HOST, pebble.address);
            await expectRecovery(former);
        }, 240_000);

        test("and the authority is away: the former is served and the log says why, until it is back", async () => {
            const before = (await failures()).length;
            pebble.leave();
            // One that was under way may fail by a connection that was cut.
            await waitUntil("an attempt has failed since nobody listens", async () =>
                (await failures()).slice(before).some(({ reason }) => reason.includes("connection refused")),
            );
            const former = await lastSerial();

            await pebble.comeBack();
            await expectRecovery(former);
        }, 240_000);

        test("and the client's file is damaged: the former is served until another one is ordered", async () => {
            const former = await stack.stopClient();
            const before = (await failures()).length;
            await stack.onVolumes(`printf rubbish > ${ACME_FOLDER}/certificates/${S3_HOST}.crt`);
            await stack.startClient();
            await waitUntil("an attempt has failed", async () => (await failures()).length > before);
            await expectRecovery(former);
        }, 240_000);

        test("and the authority has lost its accounts: another one is registered with nobody's help", async () => {
            const former = await stack.stopClient();
            await pebble.forgetEverything();
            await stack.startClient();
            await expectRecovery(former);
            expect(await pebble.accounts()).toBe(2);
        }, 240_000);
    });
});
