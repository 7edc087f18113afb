import type { Server } from "node:net";
import { addressAt } from "../../components/naming/ipv4Network";
import { AcmeStack, PUBLIC_HOSTS } from "./harness/acmeStack";
import { freeSubnet } from "./harness/freeResources";
import { LoadBalancer } from "./harness/loadBalancer";
import { Pebble } from "./harness/pebble";
import { startRelay } from "./harness/relay";
import { waitUntil } from "./harness/wait";

/** The load balancer's place in the public network. */
const PLACE = 120;

/** Address of this host that only the load balancer uses: clients and the CA connect to the load balancer's own address. */
const BEHIND = "127.0.0.2";

/** The CA and clients reach port 80 and the HTTPS port only through a load balancer that sends the PROXY protocol. */
describe("a certificate by ACME behind a load balancer", () => {
    let pebble: Pebble;
    let stack: AcmeStack;
    let balancer: LoadBalancer | undefined;
    const relays: Server[] = [];

    beforeAll(async () => {
        pebble = await Pebble.start(PUBLIC_HOSTS);
        const publicSubnet = await freeSubnet();
        const address = addressAt(publicSubnet, PLACE);
        stack = await AcmeStack.create(
            pebble,
            { checkInterval: 2, retryInterval: 1 },
            {
                publishAddress: BEHIND,
                publicSubnet,
                trustedProxies: JSON.stringify([`${address}/32`]),
                proxyProtocol: "required",
            },
        );
        const connect = async () => {
            const isRunning = async () =>
                (await stack.containers()).has(stack.proxy) && (await stack.host.inspect(stack.proxy)).State.Running;
            await waitUntil("the proxy runs", isRunning);
            balancer = await LoadBalancer.start(stack.deployment, PLACE);
            const reached = (port: number, listener: "plainPort" | "version1") =>
                startRelay({ host: pebble.address, port }, { host: address, port: LoadBalancer.portOf(listener) });
            relays.push(await reached(80, "plainPort"));
            relays.push(await reached(stack.deployment.httpsPort, "version1"));
        };
        await Promise.all([stack.deployment.up(), connect()]);
    }, 240_000);

    afterAll(async () => {
        relays.forEach((relay) => relay.close());
        await balancer?.remove();
        await stack.remove();
        await pebble.remove();
    }, 120_000);

    test("is ordered by HTTP-01 and served through the load balancer", async () => {
        const ca = await pebble.rootCertificate();
        const [serial] = await pebble.issued();
        for (const hostname of PUBLIC_HOSTS) {
            expect(await stack.served(hostname, ca)).toMatchObject({ serial, trusted: true });
        }
    });

    test("is renewed in the same way", async () => {
        const [first] = await pebble.issued();
        await stack.configureAcme({ reissuedAt: "once" });
        await stack.deployment.up();
        const issued = await pebble.issued();
        expect(issued).toEqual([first, expect.any(String)]);
        expect((await stack.served()).serial).toBe(issued[1]);
    }, 120_000);
});
