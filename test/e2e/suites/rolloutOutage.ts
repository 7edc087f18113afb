import { setTimeout as sleep } from "node:timers/promises";
import { CURRENT, SECRETS_PATH, VERSION_FILE } from "../../../components/naming/containerFiles";
import { LABELS } from "../../../components/naming/labels";
import { RELOAD_LOCK } from "../../../components/proxyControl/proxyFiles";
import { get, s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { killPulumi } from "../harness/rolloutInterruption";
import { expectOneAtATime, isTakenOut, RolloutRecord } from "../harness/rolloutRecord";
import { minioStore } from "../harness/stores";
import { runPrefix, testImages } from "../harness/testRun";
import { checksumOf, keepObject } from "../harness/traffic";
import { waitUntil } from "../harness/wait";

const SERVERS = ["node1", "node2", "node3", "node4"];
const MINUTES = 60_000;
const FORMAT = ".minio.sys/format.json";

/** Longest time without a response in a change of all nodes, in seconds. */
const LONGEST_OUTAGE_SECONDS = 60;

const HOLD_RELOAD_LOCK = [
    ...["perl", "-MFcntl=:flock", "-e", "open(my $lock, '>', $ARGV[0]); flock($lock, LOCK_EX); sleep 25"],
    RELOAD_LOCK,
];

const scannerSpeed = (speed: string) => JSON.stringify({ MINIO_SCANNER_SPEED: speed });

/** Four nodes of MinIO: a first deployment that is killed, then changes that are made on all nodes at once. */
export function outageSuite(): void {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...minioStore().config, nodeCount: String(SERVERS.length) });
        const labels = {
            [LABELS.cluster]: deployment.clusterName,
            [LABELS.pool]: "1",
            [LABELS.drive]: "1",
            [LABELS.profile]: "minio",
            [LABELS.nodesInPool]: String(SERVERS.length),
            [LABELS.drivesPerNode]: "1",
        };
        await host.docker.createVolume({ Name: driveOf("node3"), Labels: labels });
        // The store needs a folder at this path.
        await onDrive("node3", "touch /drive/.minio.sys");
    }, MINUTES);

    afterAll(() => deployment.remove(), 2 * MINUTES);

    const nameOf = (server: string) => `${deployment.clusterName}-pool1-${server}`;
    const driveOf = (server: string) => `${nameOf(server)}-drive1`;

    const onDrive = (server: string, script: string) =>
        host.runOnVolumes(testImages().minio, { "/drive": driveOf(server) }, script);

    const ids = () => Promise.all(SERVERS.map(async (server) => (await host.inspect(nameOf(server))).Id));

    /** Waits until the stack's state has every node, and no operation is pending. */
    const untilNodesAreMade = async (ended: Promise<string>) => {
        let failure: string | undefined;
        void ended.then((output) => (failure = output));
        for (;;) {
            const { resources = [], pending_operations: pending = [] } = latest(deployment);
            const made = resources.filter(
                ({ id, inputs }) => id !== undefined && SERVERS.map(nameOf).includes(inputs?.name ?? ""),
            );
            if (made.length === SERVERS.length && pending.length === 0) {
                return;
            }
            expect(failure).toBeUndefined();
            await sleep(200);
        }
    };

    test(
        "a first deployment that was killed before the cluster formed succeeds with another config, on all nodes at once",
        async () => {
            const killed = deployment.upFailing();
            await untilNodesAreMade(killed);
            killPulumi();
            await killed;
            const before = await ids();
            await onDrive("node1", `test ! -e /drive/${FORMAT}`);
            // The cluster must not form by itself now.
            await Promise.all(SERVERS.map((server) => host.docker.getContainer(nameOf(server)).stop()));
            await onDrive("node3", "rm /drive/.minio.sys");

            // An outage of a store that never ran loses nothing: no entry in allowedChanges is needed.
            await deployment.configure({ memory: "512", environment: scannerSpeed("slow") });
            const begun = Date.now();
            await deployment.up();
            // With one node at a time, each node would take two of the proxy's checks, and the first would never be
            // ready.
            expect(Date.now() - begun).toBeLessThan(90_000);
            const after = await ids();
            expect(after.filter((id) => before.includes(id))).toEqual([]);
            await onDrive("node1", `test -e /drive/${FORMAT}`);
            outputs = await deployment.outputs();
        },
        10 * MINUTES,
    );

    test(
        'a MINIO_ value is refused in a preview without "outage" in allowedChanges, announced with it, and applied to all nodes in one update',
        async () => {
            const kept = await keepObject(s3ClientFor(outputs), "kept", "object");
            const before = await ids();
            await deployment.configure({ environment: scannerSpeed("fast") });
            const refusal = await deployment.previewFailing();
            expect(refusal).toContain("allowedChanges: doesn't allow an outage");
            expect(refusal).toContain("MINIO_*");
            expect(await deployment.upFailing()).toContain("allowedChanges: doesn't allow an outage");
            expect(await ids()).toEqual(before);

            await deployment.configure({ allowedChanges: JSON.stringify(["outage"]) });
            expect(await deployment.preview()).toContain(
                `replaces all 4 nodes of ${deployment.clusterName} at once: from the moment when their running requests`,
            );
            expect(await ids()).toEqual(before);
            await expectAllAtOnce("a MINIO_ value", before);
            expect(await checksumOf(s3ClientFor(outputs), "kept", "object")).toBe(kept);
            expect(await host.exec(nameOf("node4"), ["/bin/sh", "-c", "echo $MINIO_SCANNER_SPEED"])).toBe("fast\n");
        },
        10 * MINUTES,
    );

    test(
        "one update sets another root secret key on all nodes; the former key is refused, and the data is complete",
        async () => {
            const [former, before] = [outputs, await ids()];
            const client = s3ClientFor(former);
            const kept = await keepObject(client, "kept-by-former-key", "object");
            await deployment.configure({ secretKey: "another-secret-key-of-tests" });
            expect(await deployment.previewFailing()).toContain("secretKey: is not the one that the data");
            await deployment.configure({ allowedChanges: JSON.stringify(["outage", "rootKeyChange"]) });
            await expectAllAtOnce("a root key", before);

            await expect(checksumOf(client, "kept-by-former-key", "object")).rejects.toMatchObject({
                name: "SignatureDoesNotMatch",
            });
            outputs = await deployment.outputs();
            expect(await checksumOf(s3ClientFor(outputs), "kept-by-former-key", "object")).toBe(kept);
        },
        10 * MINUTES,
    );

    test(
        "a change that rolls, killed between writing a node's secrets and replacing the node, continues without an entry in allowedChanges",
        async () => {
            const before = await ids();
            await deployment.configure({
                allowedChanges: "[]",
                secretEnvironment: JSON.stringify({ OBJECT_STORE_TEST: "rolled" }),
            });
            const writer = await host.inspect(`${nameOf("node2")}-prepare`);
            const killed = deployment.upFailing();
            await waitUntil("node2's secrets are being written", () => isAnother(writer, `${nameOf("node2")}-prepare`));
            // No server changes its state meanwhile: the update waits before it drains the node.
            const held = host.exec(`${deployment.clusterName}-proxy`, HOLD_RELOAD_LOCK);
            await waitUntil("they are written", () => hasOtherSecrets(nameOf("node2")));
            await waitUntil("nothing is under way", () => Promise.resolve(isIdle(deployment)));
            killPulumi();
            await killed;
            await held;
            expect(await hasOtherSecrets(nameOf("node2"))).toBe(true);
            expect((await ids())[1]).toBe(before[1]);

            await deployment.up();
            const after = await ids();
            expect(after.filter((id) => before.includes(id))).toEqual([]);
            expect(await host.environmentOf(nameOf("node2"))).toContain("OBJECT_STORE_TEST=rolled\n");
        },
        10 * MINUTES,
    );

    test(
        "the same image with another registry's name is rolled from node to node, without an entry in allowedChanges",
        async () => {
            const before = await ids();
            const image = minioStore().config["image"] ?? "";
            const [repo, tag] = [`${runPrefix()}.example.com/${image.split(":")[0]}`, image.split(":")[1]];
            await host.docker.getImage(image).tag({ repo, tag });
            try {
                await deployment.configure({ image: `${repo}:${tag}`, allowedChanges: "[]" });
                const record = await RolloutRecord.of(deployment, () => deployment.up());
                expectOneAtATime(record, SERVERS);
                const after = await ids();
                expect(after.filter((id) => before.includes(id))).toEqual([]);
            } finally {
                await host.docker.getImage(`${repo}:${tag}`).remove();
            }
        },
        10 * MINUTES,
    );

    /** Whether a container with that name was created since. */
    const isAnother = (former: { Id: string }, name: string) =>
        host.inspect(name).then(
            ({ Id: id }) => id !== former.Id,
            () => false,
        );

    /** Whether a node's secrets have changed since it was started. */
    const hasOtherSecrets = async (name: string) => {
        const { Config: config } = await host.inspect(name);
        const version = await host.exec(name, ["cat", `${SECRETS_PATH}/${CURRENT}/${VERSION_FILE}`]);
        return config.Labels[LABELS.secretsVersion] !== version;
    };

    const expectAllAtOnce = async (change: string, before: string[]) => {
        let record: RolloutRecord | undefined;
        const outage = await outageDuring(`${outputs.s3Endpoint}/minio/health/live`, outputs, async () => {
            record = await RolloutRecord.of(deployment, () => deployment.up());
        });
        console.log(`MinIO, four nodes, ${change}: no request was answered for ${outage.toFixed(1)} s`);
        expect(outage).toBeGreaterThan(0);
        expect(outage).toBeLessThan(LONGEST_OUTAGE_SECONDS);
        const replacements = record?.replacements() ?? [];
        expect(replacements.map(({ server }) => server).sort()).toEqual(SERVERS);
        // Requests reach neither kind of node while both kinds exist.
        const firstGone = record?.statesAt(Math.min(...replacements.map(({ gone }) => gone)));
        expect(SERVERS.filter((server) => firstGone === undefined || !isTakenOut(firstGone, server))).toEqual([]);
        const after = await ids();
        expect(after.filter((id) => before.includes(id))).toEqual([]);
    };
}

/** Seconds between the first request to a URL that wasn't answered with 200 and the end of the last one. */
async function outageDuring(url: string, outputs: DeploymentOutputs, work: () => Promise<unknown>): Promise<number> {
    const failures: { begun: number; ended: number }[] = [];
    let going = true;
    const ask = async (goesOn: () => boolean) => {
        while (goesOn()) {
            const begun = Date.now();
            const { status } = await get(outputs, url).catch(() => ({ status: 0 }));
            if (status !== 200) {
                failures.push({ begun, ended: Date.now() });
            }
            await sleep(100);
        }
    };
    const asked = ask(() => going);
    try {
        await work();
    } finally {
        going = false;
        await asked;
    }
    return failures.length === 0 ? 0 : ((failures.at(-1)?.ended ?? 0) - (failures[0]?.begun ?? 0)) / 1000;
}

/** Content of a stack's state. */
interface Known {
    resources?: { id?: string; inputs?: { name?: string } }[];
    pending_operations?: unknown[];
}

function isIdle(deployment: Deployment): boolean {
    return (latest(deployment).pending_operations ?? []).length === 0;
}

function latest(deployment: Deployment): Known {
    return (JSON.parse(deployment.state()) as { checkpoint: { latest?: Known } }).checkpoint.latest ?? {};
}
