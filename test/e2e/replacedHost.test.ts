import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { readdirSync, readFileSync, mkdtempSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { VirtualHosts } from "../../tools/playground/virtualHosts";
import { CHAOS_BUCKET } from "./chaos/chaosClient";
import { Load, type LoadTarget } from "./chaos/load";
import { ObjectLedger } from "./chaos/objectLedger";
import { POPULATIONS } from "./chaos/operations";
import { untilNoneAils } from "./chaos/untilWhole";
import { verifyObjects } from "./chaos/verification";
import { Checkout } from "./harness/checkout";
import { s3ClientFor } from "./harness/clients";
import { CLIENTS_TIMEOUT } from "./hosts/hostsTarget";
import { commandsOf } from "./harness/documentCommands";
import { startRelay } from "./harness/relay";
import { minioStore } from "./harness/stores";
import { testImages } from "./harness/testRun";

const MINUTE = 60_000;

/** Number of hosts that the store runs on. One more machine waits to replace one of them. */
const COUNT = 4;

/** Place of the lost host. It is a manager of the swarm, and not the first one. */
const LOST = 1;

describe("a host that is gone for good, replaced as docs/hosts.md says", () => {
    const store = minioStore();
    const ledger = new ObjectLedger();
    let hosts: VirtualHosts;
    let checkout: Checkout;
    let outside: Server;
    let target: LoadTarget;

    const socketOf = (place: number) => hosts.hosts[place]?.dockerHost ?? "";

    /** Runs a command line of the docker client on one of the hosts. */
    const docker = (place: number, command: string) => checkout.shell(`docker -H ${socketOf(place)} ${command}`).trim();

    const drive = (node: number) => `${checkout.clusterName}-pool1-node${node}-drive1`;

    /** Every file of the load's objects on a node's drive, with the parts of the objects. */
    const files = (machine: number, node: number): string[] => {
        const folder = join(docker(machine, `volume inspect -f '{{.Mountpoint}}' ${drive(node)}`), CHAOS_BUCKET);
        return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    };

    beforeAll(async () => {
        const folder = mkdtempSync(join(tmpdir(), "replaced-"));
        hosts = await VirtualHosts.create({ count: COUNT + 1, prefix: `replaced-${process.pid}`, folder });
        await hosts.load([testImages().haproxy, store.config["image"] ?? ""]);
        checkout = await Checkout.make({
            ...store.config,
            nodeCount: String(COUNT),
            unencryptedOverlay: "true",
            publishAddress: "0.0.0.0",
        });
        const file = join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
        const content = parse(readFileSync(file, "utf8")) as { config: { [key: string]: unknown } };
        content.config["object-store:hosts"] = hosts.hosts.slice(0, COUNT);
        writeFileSync(file, stringify(content));
        checkout.shell(`npm run pulumi -- stack select --create ${checkout.stack}`);
        checkout.shell(`npm run hosts -- join --stack ${checkout.stack}`);
        checkout.up();

        const outputs = checkout.outputs();
        const port = Number(content.config["object-store:httpsPort"]);
        const socket = join(folder, "client.sock");
        await hosts.relay(socket, port);
        outside = await startRelay({ host: "127.0.0.1", port }, { path: socket });
        target = { store, outputs, nextCertificate: { ca: "" }, socketTimeout: CLIENTS_TIMEOUT };
        const client = s3ClientFor(outputs);
        await client.send(new CreateBucketCommand({ Bucket: CHAOS_BUCKET }));
        client.destroy();
    }, 10 * MINUTE);

    afterAll(async () => {
        outside.close();
        await hosts.remove();
        await checkout.remove();
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
                .runBeside(commandsOf("Replacing a host", "docs/hosts.md"), {
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
            const others = [0, 2, 3].map((place) => files(place, place + 1));
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
            const containers = () => [0, 2, 3, COUNT].map((place) => docker(place, "ps -a -q --no-trunc"));
            const before = containers();
            checkout.up();
            expect(containers()).toEqual(before);
        },
        4 * MINUTE,
    );
});
