import { AcmeStack, PUBLIC_HOSTS } from "./harness/acmeStack";
import { freeSubnet } from "./harness/freeResources";
import { Pebble } from "./harness/pebble";
import { stackDefaults } from "./harness/stackDefaults";
import { SteadyRequests } from "./harness/steadyRequests";

/** Hostnames of the store that is added. */
const MEDIA_HOSTS = ["media.example.test", "media-console.example.test"];

const ALL_HOSTS = [...PUBLIC_HOSTS, ...MEDIA_HOSTS];

describe("one certificate by ACME for several stores", () => {
    let pebble: Pebble;
    let stack: AcmeStack;
    let ca: string;

    beforeAll(async () => {
        pebble = await Pebble.start(ALL_HOSTS);
        stack = await AcmeStack.create(pebble, { checkInterval: 2, retryInterval: 1 });
        await stack.deployment.up();
        ca = await pebble.rootCertificate();
    }, 240_000);

    afterAll(async () => {
        await stack.remove();
        await pebble.remove();
    }, 120_000);

    /** Updates the stack while clients of its own store connect. None of them may get another certificate than one of the CA. */
    const updated = async () => {
        const requests = new SteadyRequests(async () => {
            const { trusted } = await stack.served(PUBLIC_HOSTS[0], ca);
            expect(trusted).toBe(true);
        });
        await stack.deployment.up().finally(() => requests.stop());
        const { answered, failures } = await requests.stop();
        expect(failures).toEqual([]);
        expect(answered).toBeGreaterThan(10);
    };

    const expectServed = async (hostnames: string[]) => {
        const issued = await pebble.issued();
        for (const hostname of hostnames) {
            const { serial, trusted, certificate } = await stack.served(hostname, ca);
            expect([hostname, trusted, serial]).toEqual([hostname, true, issued.at(-1)]);
            expect(certificate.subjectAltName?.split(", ").sort()).toEqual(
                hostnames.map((name) => `DNS:${name}`).sort(),
            );
        }
        return issued;
    };

    test("an added store's hostnames are in a new one, which is served once the update has ended", async () => {
        const proxy = (await stack.host.inspect(stack.proxy)).Id;
        const { profile, image } = await stackDefaults(stack.deployment.clusterName);
        const [s3Host, consoleHost] = MEDIA_HOSTS;
        const media = { name: "media", s3Host, consoleHost, retainData: false, allowDrivesOnOneDevice: true };
        await stack.deployment.configure({
            additionalStores: JSON.stringify([{ ...media, profile, image, subnet: await freeSubnet() }]),
        });
        await updated();
        expect(await expectServed(ALL_HOSTS)).toHaveLength(2);
        expect((await stack.host.inspect(stack.proxy)).Id).toBe(proxy);
    }, 300_000);

    test("a second update changes nothing", async () => {
        expect(Object.keys((await stack.deployment.up()).changes)).toEqual(["same"]);
    }, 120_000);

    test("without the store the next one has only the hostnames that are left", async () => {
        await stack.deployment.configure({
            additionalStores: "[]",
            allowedChanges: JSON.stringify(["storeRemoval"]),
        });
        await updated();
        expect(await expectServed(PUBLIC_HOSTS)).toHaveLength(3);
    }, 300_000);
});
