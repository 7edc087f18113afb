import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { VirtualHosts } from "../../tools/playground/virtualHosts";
import { CHAOS_BUCKET } from "./chaos/chaosClient";
import { Load, type LoadTarget } from "./chaos/load";
import { ObjectLedger } from "./chaos/objectLedger";
import { POPULATIONS } from "./chaos/operations";
import { untilNoneAils } from "./chaos/untilWhole";
import { verifyObjects } from "./chaos/verification";
import type { Checkout } from "./harness/checkout";
import { s3ClientFor } from "./harness/clients";
import { deployCheckoutOnHosts, type CheckoutOnHosts } from "./hosts/checkoutOnHosts";
import { CLIENTS_TIMEOUT } from "./hosts/hostsTarget";
import { commandsOf } from "./harness/documentCommands";
import { minioStore } from "./harness/stores";

const MINUTE = 60_000;

/** Number of hosts that the store runs on. One more machine waits to replace one of them. */
const COUNT = 4;

/** Place of the lost host. It is a manager of the swarm, and not the first one. */
const LOST = 1;

describe("a host that is gone for good, replaced as docs/how-to/replace-a-host.md says", () => {
    const store = minioStore();
    const ledger = new ObjectLedger();
    let deployed: CheckoutOnHosts;
    let hosts: VirtualHosts;
    let checkout: Checkout;
    let target: LoadTarget;

    const socketOf = (index: number) => hosts.hosts[index]?.dockerHost ?? "";

    /** Runs a command line of the docker client on one of the hosts. */
    const docker = (index: number, command: string) => checkout.shell(`docker -H ${socketOf(index)} ${command}`).trim();

    const drive = (node: number) => `${checkout.clusterName}-pool1-node${node}-drive1`;

    /** Every file of the load's objects on a node's drive, with the parts of the objects. */
    const files = (machine: number, node: number): string[] => {
        const folder = join(docker(machine, `volume inspect -f '{{.Mountpoint}}' ${drive(node)}`), CHAOS_BUCKET);
        return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    };

    beforeAll(async () => {
        deployed = await deployCheckoutOnHosts(store, { nodes: COUNT, machines: COUNT + 1 });
        ({ hosts, checkout } = deployed);
        const outputs = checkout.outputs();
        target = { store, outputs, nextCertificate: { ca: "" }, socketTimeout: CLIENTS_TIMEOUT };
        const client = s3ClientFor(outputs);
        await client.send(new CreateBucketCommand({ Bucket: CHAOS_BUCKET }));
        client.destroy();
    }, 10 * MINUTE);

    afterAll(async () => {
        await deployed.remove();
    }, 3 * MINUTE);

    test(
        "no operation fails meanwhile, if clients retry",
        async () => {
            const lost = docker(0, `node ls -q -f node.label=object-store.host=${hosts.hosts[LOST]?.name}`);
            const load = Load.start(target, ledger, "replaced");
            await sleep(10_000);
            await hosts.kill(hosts.hosts[LOST]?.name ?? "");
            await sleep(60_000);
            const { dockerHost = "", address = "" } = hosts.hosts[COUNT] ?? {};
            await checkout
                .runBeside(commandsOf("Replacing a host", "docs/how-to/replace-a-host.md"), {
                    stack: checkout.stack,
                    name: hosts.hosts[LOST]?.name ?? "",
                    place: String(LOST),
                    ...{ dockerHost, address, lost, manager: socketOf(0) },
                })
                .done();
            await sleep(10_000);
            const records = await load.stop();
            for (const population of POPULATIONS) {
                expect(records.filter((record) => record.population === population).length).toBeGreaterThan(50);
            }
            const failed = records.filter(({ population, failure }) => population === "retrying" && failure);
            expect(failed).toEqual([]);
            expect(records.flatMap(({ wrong = [] }) => wrong)).toEqual([]);
            expect(await verifyObjects(target, ledger, "")).toEqual([]);
        },
        15 * MINUTE,
    );

    test("the swarm has the new machine as a member and a manager, and the lost one no more", () => {
        const labels = docker(0, "node ls -q")
            .split("\n")
            .map((id) => docker(0, `node inspect -f '{{.Spec.Labels}} {{.Spec.Role}} {{.Status.Addr}}' ${id}`));
        expect(labels).toHaveLength(COUNT);
        expect(labels).toContainEqual(
            `map[object-store.host:${hosts.hosts[LOST]?.name}] manager ${hosts.hosts[COUNT]?.address}`,
        );
        expect(labels.filter((label) => label.includes(" manager "))).toHaveLength(3);
    });

    test(
        "the store heals the empty drive: it gets every file of every object, parts included",
        async () => {
            const others = [0, 2, 3].map((index) => files(index, index + 1));
            expect(others[0]?.length).toBeGreaterThan(50);
            expect(others).toEqual([others[0], others[0], others[0]]);
            await untilNoneAils(() => {
                const healed = files(COUNT, LOST + 1);
                return Promise.resolve(others[0]?.filter((file) => !healed.includes(file)) ?? []);
            }, 600);
        },
        12 * MINUTE,
    );

    test(
        "a further update replaces no container",
        () => {
            const containers = () => [0, 2, 3, COUNT].map((index) => docker(index, "ps -a -q --no-trunc"));
            const before = containers();
            checkout.up();
            expect(containers()).toEqual(before);
        },
        4 * MINUTE,
    );
});
