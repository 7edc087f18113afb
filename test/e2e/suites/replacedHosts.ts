import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoreHost } from "../../../components";
import type { VirtualHosts } from "../../../tools/playground/virtualHosts";
import type { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import { commandsOf } from "../harness/documentCommands";
import { deployCheckoutOnHosts, type CheckoutOnHosts } from "../hosts/checkoutOnHosts";
import { inTurns } from "../harness/inTurns";
import type { Store } from "../harness/stores";
import { waitUntil } from "../harness/wait";

const MINUTE = 60_000;

/** Number of hosts of the store. Its drives are one erasure set that bears the loss of two. */
const COUNT = 4;

/** Size of an object: above what the stores keep in its metadata. */
const BYTES = 200 * 1024;

/** Share of a CPU with which a new node heals slowly. */
const SLOW = "0.1";

/** The commands of docs/how-to/replace-a-host.md, one by one: up to the update, that, and what follows it. */
function stepsOf(commands: string): { before: string; up: string; after: string } {
    const lines = commands.trim().split("\n");
    const index = lines.findIndex((line) => line.startsWith("npm run up "));
    return {
        before: lines.slice(0, index).join("\n"),
        up: lines[index] ?? "",
        after: lines.slice(index + 1).join("\n"),
    };
}

/**
 * Three of four hosts are replaced one after the other, as docs/how-to/replace-a-host.md says.
 *
 * @param objects Number of objects: so many that a slow node isn't healed when the next host is lost.
 */
export function replacedHostsSuite(makeStore: () => Store, objects: number): void {
    const store = makeStore();
    const steps = stepsOf(commandsOf("Replacing a host", "docs/how-to/replace-a-host.md"));
    const checksums: string[] = [];
    let deployed: CheckoutOnHosts;
    let hosts: VirtualHosts;
    let folder: string;
    let checkout: Checkout;
    let client: S3Client;

    const hostAt = (index: number) => hosts.hosts[index] as StoreHost;
    const docker = (index: number, command: string) =>
        checkout.shell(`docker -H ${hostAt(index).dockerHost} ${command}`).trim();
    const stackFile = () => join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
    const nodeOf = (index: number) => `${checkout.clusterName}-pool1-node${index + 1}`;

    /** The variables of the document for a host that is replaced by another machine. */
    const variablesFor = (index: number, machine: number, manager: number) => ({
        stack: checkout.stack,
        name: hostAt(index).name,
        place: String(index),
        dockerHost: hostAt(machine).dockerHost,
        address: hostAt(machine).address,
        manager: hostAt(manager).dockerHost,
        lost: docker(manager, `node ls -q -f node.label=object-store.host=${hostAt(index).name}`),
    });

    /** Runs commands as a user types them: the first that fails ends them. */
    const run = (commands: string, variables: { [name: string]: string }) =>
        checkout.runBeside(commands, variables).done();

    /** Updates as the refusal says as long as the store heals what the lost host has missed: again, once that has ended. */
    const runOnceHealed = (variables: { [name: string]: string }) =>
        waitUntil(
            "the store has healed the other drives",
            () =>
                run(steps.up, variables).then(
                    () => true,
                    (error: unknown) => {
                        if (!/isn't known to be healed/.test(String(error))) {
                            throw error;
                        }
                        return false;
                    },
                ),
            600,
        );

    /** Slows a node down from its beginning, so that healing takes as long as with much data. */
    const slowDown = (index: number, machine: number) =>
        waitUntil(
            "the new node can be slowed down",
            () =>
                hosts
                    .engine(hostAt(machine).name)
                    .getContainer(nodeOf(index))
                    .update({ NanoCpus: Number(SLOW) * 1e9 })
                    .then(
                        () => true,
                        () => false,
                    ),
            600,
        );
    const speedUp = (index: number, machine: number) => docker(machine, `update --cpus 2 ${nodeOf(index)}`);

    const status = () => checkout.shell(`npm run --silent status -- --json --stack ${checkout.stack} || true`);
    const firstIsHealed = () => !/"node": "[^"]*node1",\s*"drive"/.test(status());

    /** Kills a host. If it was the swarm's leader, its managers elect another one first. */
    const lose = async (index: number, manager: number) => {
        await hosts.kill(hostAt(index).name);
        await waitUntil("the swarm has a leader", () => {
            try {
                return docker(manager, "node ls -q") !== "";
            } catch {
                return false;
            }
        });
    };

    const checksumOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

    /** The objects that can't be read, or have other bytes. */
    const damaged = async () => {
        const found: string[] = [];
        await inTurns(objects, async (index) => {
            const key = `object-${index}`;
            const bytes = await client
                .send(new GetObjectCommand({ Bucket: "kept", Key: key }))
                .then(({ Body: body }) => body?.transformToByteArray())
                .catch((error: unknown) => Buffer.from(String(error)));
            if (checksumOf(bytes ?? new Uint8Array()) !== checksums[index]) {
                found.push(key);
            }
        });
        return found;
    };

    beforeAll(async () => {
        deployed = await deployCheckoutOnHosts(store, { nodes: COUNT, machines: COUNT + 2 });
        ({ hosts, checkout, folder } = deployed);
        client = s3ClientFor(checkout.outputs(), undefined, 5);
        await client.send(new CreateBucketCommand({ Bucket: "kept" }));
        await inTurns(objects, async (index) => {
            const bytes = randomBytes(BYTES);
            await client.send(new PutObjectCommand({ Bucket: "kept", Key: `object-${index}`, Body: bytes }));
            checksums[index] = checksumOf(bytes);
        });
    }, 12 * MINUTE);

    afterAll(async () => {
        client.destroy();
        await deployed.remove();
    }, 3 * MINUTE);

    test(
        "with a wrong place, which is that of a host that lives: refused, and nothing is changed",
        async () => {
            const before = readFileSync(stackFile(), "utf8");
            await lose(0, 1);
            await expect(run(steps.before, { ...variablesFor(0, COUNT, 1), place: "2" })).rejects.toThrow(
                /hosts\[2\]: "c" has another node in the swarm/,
            );
            expect(checkout.shellFailing(steps.up, variablesFor(0, COUNT, 1))).toContain("Nothing was changed on any");
            expect(docker(COUNT, "volume ls -q")).toBe("");
            writeFileSync(stackFile(), before);
            expect(await damaged()).toEqual([]);
        },
        8 * MINUTE,
    );

    test(
        "the first one: the next is refused as long as its drive isn't healed, and nothing is changed",
        async () => {
            // The lost machine has left the swarm by now.
            const first = variablesFor(0, COUNT, 1);
            await run(steps.before.replace(/^docker .*/gm, ""), first);
            const slowed = slowDown(0, COUNT);
            await runOnceHealed(first);
            await slowed;
            expect(firstIsHealed()).toBe(false);
            // It doesn't go on with that meanwhile.
            docker(COUNT, `pause ${nodeOf(0)}`);
            await lose(1, 2);
            const second = variablesFor(1, COUNT + 1, 2);
            await run(`${steps.after.replace(/^until .*/m, "")}\n${steps.before}`, { ...second });
            docker(COUNT, `unpause ${nodeOf(0)}`);
            const output = checkout.shellFailing(steps.up, second);
            expect(output).toMatch(
                /node2 drive 1 can't be emptied now, .* node1 drive 1 (is being healed|doesn't answer|isn't known to be healed).*"unhealedDrives:a"/,
            );
            expect(docker(COUNT + 1, "ps -a -q")).toBe("");
            expect(docker(COUNT + 1, "volume ls -q")).toBe("");
            expect(await damaged()).toEqual([]);
        },
        15 * MINUTE,
    );

    test(
        "the second one, once that has ended",
        async () => {
            speedUp(0, COUNT);
            await waitUntil("the first drive is healed", firstIsHealed, 600);
            const second = { ...variablesFor(1, COUNT + 1, 2) };
            await runOnceHealed(second);
            await run(steps.after, second);
            expect(await damaged()).toEqual([]);
        },
        15 * MINUTE,
    );

    test(
        "and the third one",
        async () => {
            // The machine that was lost first comes back as a new one.
            rmSync(join(folder, "1", "data"), { recursive: true, force: true });
            await hosts.start(hostAt(0).name);
            await deployed.loadImages(hostAt(0).name);
            await lose(2, COUNT);
            const third = variablesFor(2, 0, COUNT);
            await run(steps.before, third);
            await runOnceHealed(third);
            await run(steps.after, third);
            expect(await damaged()).toEqual([]);
        },
        15 * MINUTE,
    );

    test(
        "every object is whole without the only host that was there from the beginning",
        async () => {
            await hosts.kill(hostAt(3).name);
            await sleep(30_000);
            expect(await damaged()).toEqual([]);
        },
        10 * MINUTE,
    );
}
