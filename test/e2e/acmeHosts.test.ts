import { DockerHost } from "./harness/dockerHost";
import { withAnotherBinary, type DerivedImage } from "./harness/rolloutImage";
import { testImages } from "./harness/testRun";
import { waitUntil } from "./harness/wait";
import { holdersOf } from "./hosts/addressTarget";
import { AcmeOnHosts } from "./hosts/acmeOnHosts";

const MINUTE = 60_000;

/** Validity of the CA's certificates, in seconds. Once the clients look for it, they are renewed within that time. */
const VALIDITY = 180;

/** Longest time from the first proxy that serves a new certificate to the last one, in seconds, on a busy machine. */
const SERVED_WITHIN = 15;

/** Longest time from the death of the host that orders to a certificate that another one has obtained, in seconds. */
const TAKEN_OVER_WITHIN = 120;

const ALL = ["a", "b", "c"];

describe("a certificate by ACME for three proxies with a floating address", () => {
    let acme: AcmeOnHosts;
    let image: DerivedImage | undefined;

    beforeAll(async () => {
        acme = await AcmeOnHosts.create({ validitySeconds: VALIDITY, validationDelay: 4 });
    }, 4 * MINUTE);

    afterAll(async () => {
        await acme.remove();
        await image?.remove();
    }, 2 * MINUTE);

    /** Waits until hosts serve a certificate that was issued after those that are known. */
    const untilRenewed = (hosts: string[], known: string[]) => acme.untilCommon(hosts, (one) => !known.includes(one));

    test(
        "is ordered once for all in the first deployment, in which the CA asks at the floating address, and is served by all",
        async () => {
            await acme.resolveToFloatingAddress();
            await acme.target.up();
            const { serial } = await acme.untilCommon(ALL, undefined, SERVED_WITHIN);
            expect(await acme.pebble.issued()).toEqual([serial]);
            expect(await acme.pebble.orders()).toBe(1);
            expect(await acme.pebble.accounts()).toBe(1);
            expect(await acme.log("a", "acme")).toContain("obtained a certificate");
            // From the one that ordered it, or from the third one, which has taken it over from there.
            expect(await acme.log("b", "acme")).toMatch(/took over the certificate of proxy [ac]/);
            expect(await acme.log("b", "acme")).not.toContain("obtained a certificate");
            expect(Date.parse(acme.target.outputs.certificateNotAfter)).toBeGreaterThan(0);
        },
        6 * MINUTE,
    );

    test(
        "shows no key in a description, a log or the plain state, and changes nothing by another update",
        async () => {
            const texts = [acme.target.deployment.state()];
            for (const host of ALL) {
                for (const part of ["acme", "certificate", "exchange"] as const) {
                    const described = await acme.target.engine(host).inspect(acme.name(host, part));
                    texts.push(JSON.stringify(described), await acme.log(host, part));
                }
            }
            expect(texts.filter((text) => text.includes("PRIVATE KEY"))).toEqual([]);
            const { changes } = await acme.target.deployment.up();
            expect(Object.keys(changes)).toEqual(["same"]);
        },
        3 * MINUTE,
    );

    test(
        "is renewed by the same one alone, also if the CA asks a proxy that hasn't ordered it, and all serve it within seconds",
        async () => {
            await acme.resolve("b");
            const known = await acme.pebble.issued();
            await acme.configure({ checkInterval: 10 });
            await acme.target.deployment.up();
            const { serial, seconds } = await untilRenewed(ALL, known);
            console.log(`served by all ${seconds.toFixed(1)} s after the first`);
            expect(seconds).toBeLessThan(SERVED_WITHIN);
            expect(await acme.pebble.issued()).toContain(serial);
            for (const host of ["b", "c"]) {
                expect(await acme.log(host, "acme")).not.toContain("obtained a certificate");
                expect(await acme.log(host, "exchange")).toContain("proxy a orders");
            }
        },
        6 * MINUTE,
    );

    test(
        "is renewed by the same one alone after the floating address, at which the CA asks, has moved to another one",
        async () => {
            await acme.resolveToFloatingAddress();
            expect(await acme.moveFloatingAddress()).toBe("b");
            const known = await acme.pebble.issued();
            const { serial } = await untilRenewed(ALL, known);
            expect(await acme.log("b", "acme")).not.toContain("obtained a certificate");
            await waitUntil("clients of the floating address get it, or the next one", async () => {
                const served = await acme.serialAtFloatingAddress();
                return served === serial || (await acme.pebble.issued()).slice(known.length).includes(served);
            });
            expect(await acme.moveFloatingAddress()).toBe("a");
        },
        6 * MINUTE,
    );

    test(
        "is renewed at the floating address after another image has replaced every proxy, and moved the address",
        async () => {
            const { deployment, hosts } = acme.target;
            const ids = () =>
                Promise.all(hosts.hosts.map(async ({ name }) => (await acme.target.proxyOf(name).inspect()).Id));
            const before = await ids();
            image = await withAnotherBinary(new DockerHost(), testImages().haproxy, {
                path: "/etc/debian_version",
                ending: "next",
            });
            await hosts.load([image.reference]);
            await deployment.configure({ haproxyImage: image.reference });
            await deployment.up();
            expect((await ids()).filter((id) => before.includes(id))).toEqual([]);
            expect(await holdersOf(acme.target)).toEqual(["b"]);
            const known = await acme.pebble.issued();
            await untilRenewed(ALL, known);
            expect(await acme.pebble.accounts()).toBe(1);
            expect(await acme.moveFloatingAddress()).toBe("a");
        },
        8 * MINUTE,
    );

    test(
        "is obtained by the next proxy if the host that orders dies in the middle of an order",
        async () => {
            await acme.resolve();
            const before = await acme.pebble.orders();
            await waitUntil("the renewal is ordered", async () => (await acme.pebble.orders()) > before);
            await acme.target.hosts.kill("a");
            const died = Date.now();
            const known = await acme.pebble.issued();
            await acme.resolveToFloatingAddress();
            await untilRenewed(["b", "c"], known);
            const seconds = (Date.now() - died) / 1000;
            console.log(`another certificate ${seconds.toFixed(1)} s after the death of the host that ordered`);
            expect(seconds).toBeLessThan(TAKEN_OVER_WITHIN);
            expect(await acme.log("b", "exchange")).toContain("this proxy orders");
            expect(await acme.log("c", "acme")).toContain("took over the certificate of proxy b");
            expect(await acme.pebble.accounts()).toBe(1);
        },
        8 * MINUTE,
    );

    test(
        "an update goes on while that host is down, if the config says so",
        async () => {
            const { deployment } = acme.target;
            await deployment.configure({ unreachableHosts: JSON.stringify(["a"]), hstsMaxAge: "77" });
            await deployment.up();
            const { certificateNotAfter } = await deployment.outputs();
            expect(Date.parse(certificateNotAfter)).toBeGreaterThan(Date.now() - VALIDITY * 1000);
        },
        4 * MINUTE,
    );

    test(
        "is taken over by that host when it is back",
        async () => {
            await acme.target.hosts.start("a");
            await acme.untilCommon(ALL);
            await waitUntil("it has taken over a certificate", async () =>
                /took over the certificate of proxy [bc]/.test(await acme.log("a", "acme")),
            );
            await acme.target.untilWhole(180);
            await acme.target.deployment.unset("unreachableHosts");
            await acme.target.deployment.up();
            expect(await acme.pebble.accounts()).toBe(1);
        },
        8 * MINUTE,
    );

    test(
        "is taken over by a proxy that has lost its files, and that orders nothing",
        async () => {
            const engine = acme.target.engine("b");
            const client = engine.docker.getContainer(acme.name("b", "acme"));
            const ready = () =>
                engine.exec(acme.name("b", "exchange"), ["cat", "/var/lib/acme/ready"]).catch(() => undefined);
            const obtained = async () => (await acme.log("b", "acme")).split("obtained a certificate").length;
            await acme.untilCommon(ALL);
            const before = await obtained();
            await client.stop();
            await engine.exec(acme.name("b", "exchange"), ["/bin/sh", "-c", "rm -rf /var/lib/acme/*"]);
            expect(await ready()).toBeUndefined();
            await client.start();
            await waitUntil("it has a certificate again", async () => (await ready()) !== undefined, SERVED_WITHIN);
            await acme.untilCommon(ALL);
            expect(await obtained()).toBe(before);
            expect(await acme.pebble.accounts()).toBe(1);
        },
        5 * MINUTE,
    );

    test(
        "goes with the proxy of a host that isn't to have one any more",
        async () => {
            const { deployment } = acme.target;
            await acme.resolve("b");
            await deployment.configure({ frontEndHosts: JSON.stringify(["a", "b"]) });
            await deployment.up();
            const left = await acme.target.engine("c").namesOf(`${deployment.clusterName}-c-`);
            // The host has a node still, and so a watchdog.
            expect(left.filter((name) => !name.endsWith("-watchdog"))).toEqual([]);
            await acme.untilCommon(["a", "b"]);
        },
        6 * MINUTE,
    );
});
