import { DockerHost } from "../harness/dockerHost";
import { expectSuccess, InterruptCheckout } from "../harness/interruptCheckout";
import { killAll, killTree, processOf, processTree } from "../harness/interruptProcessTree";
import { minioStore } from "../harness/stores";
import { EVERY_INTERRUPTION, interruptedSuite } from "../suites/interrupted";

describe("an update that is killed at every step of every resource, and repeated", () =>
    interruptedSuite(minioStore, EVERY_INTERRUPTION));

describe("after an update that was killed", () => {
    const host = new DockerHost();
    let checkout: InterruptCheckout;

    beforeEach(async () => {
        checkout = await InterruptCheckout.create();
    }, 60_000);

    afterEach(() => checkout.remove(), 60_000);

    test("npm run down keeps a data volume that the state doesn't know, and npm run up takes it over", async () => {
        const volume = `${checkout.clusterName}-pool1-node1-drive1`;
        const { running } = await checkout.upTo(`after create volume ${volume}`);
        killTree(running.pid);

        const down = await checkout.start("down").ended;
        expectSuccess(down);
        expect(down.output).toMatch(new RegExp(`Kept[^]*${volume}`));
        expect(await host.namesOf(checkout.clusterName)).toContain(volume);
        await checkout.up();
        await checkout.up();

        const removal = await checkout.start("down", "--delete-data", "--yes").ended;
        expectSuccess(removal);
        expect(await host.namesOf(checkout.clusterName)).toEqual([]);
    }, 600_000);

    test("a resource that the engine still creates for it during the next update fails that update, and the one after succeeds", async () => {
        const name = `${checkout.clusterName}-pool1-node1`;
        const first = await checkout.upTo(`before create container ${name}`);
        const pulumi = processOf(first.running.pid, "pulumi");
        const providers = processTree(pulumi).filter((pid) => pid !== pulumi);
        try {
            killAll([pulumi]);
            const second = await checkout.upTo(`before create container ${name}`);
            // The providers of a killed update give up their requests. The engine may have got one before.
            const created = new Promise<void>((resolve) => {
                checkout.door.gate = (moment) => {
                    if (moment === `after create container ${name}`) {
                        resolve();
                    }
                    return false;
                };
            });
            first.goOn();
            await created;
            second.goOn();
            const { code, output } = await second.running.ended;
            expect(code).toBe(1);
            expect(output).toContain("is already in use");
        } finally {
            killAll(providers);
        }
        const { Id: left } = await host.inspect(name);
        await checkout.up();
        expect((await host.inspect(name)).Id).not.toBe(left);
        expect(checkout.pending()).toEqual([]);
    }, 600_000);
});
