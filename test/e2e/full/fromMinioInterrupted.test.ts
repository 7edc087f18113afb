import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentConfig } from "../harness/deployment";
import { DockerHost, type ContainerEvent } from "../harness/dockerHost";
import { InterruptCheckout } from "../harness/interruptCheckout";
import { killTree } from "../harness/interruptProcessTree";
import { signalPulumi } from "../harness/rolloutInterruption";
import { minioStore, rustfsStore } from "../harness/stores";
import { checksumOf, keepObject } from "../harness/traffic";
import { waitUntil } from "../harness/wait";
import { isAmong, killAtEachStep, runsOn } from "../suites/interrupted";

/** Steps of a take-over by RustFS. */
const STEPS = [
    "after create container CLUSTER-pool1-node1-trial",
    "before stop container CLUSTER-pool1-node1",
    "after stop container CLUSTER-pool1-node1",
    "after start container CLUSTER-pool1-node1-prepare",
    "after start container CLUSTER-pool1-node1-trial-files",
    "after start container CLUSTER-pool1-node1-trial",
    "after stop container CLUSTER-pool1-node1-trial",
    "before rename container CLUSTER-pool1-node1-trial",
    "after remove container CLUSTER-pool1-node1",
    "after create container CLUSTER-pool1-node1",
    "after start container CLUSTER-pool1-node1",
    "before remove container CLUSTER-pool1-node1-trial",
];

/** A user of MinIO, who must be there whatever happens. */
const USER = { accessKeyId: "somebody", secretAccessKey: "somebodys-secret" };

/** A store that starts as MinIO, with an object that has to be there whatever happens. */
class TakenOverStore {
    private constructor(
        readonly host: DockerHost,
        readonly checkout: InterruptCheckout,
        readonly recording: { stop: () => ContainerEvent[] },
        private readonly checksum: string,
    ) {}

    static async create(config: DeploymentConfig): Promise<TakenOverStore> {
        const host = new DockerHost();
        const checkout = await InterruptCheckout.create({ ...minioStore().config, ...config });
        const recording = await host.recordEvents(checkout.clusterName);
        await checkout.up();
        const outputs = await checkout.outputs();
        await minioStore().createUser(host, outputs, USER);
        const client = s3ClientFor(outputs);
        const checksum = await keepObject(client, "kept", "object");
        client.destroy();
        return new TakenOverStore(host, checkout, recording, checksum);
    }

    async remove(): Promise<void> {
        this.recording.stop();
        await this.checkout.remove();
    }

    node(number = 1): string {
        return `${this.checkout.clusterName}-pool1-node${number}`;
    }

    toRustfs(): void {
        this.checkout.configure({ ...rustfsStore().config, allowedChanges: '["profileChange"]' });
    }

    toMinio(): void {
        this.checkout.configure({ ...minioStore().config, allowedChanges: '["profileChange"]' });
    }

    /** Starts an update and kills it at a step. `CLUSTER` in it stands for the cluster's name. */
    async killAt(step: string): Promise<void> {
        const { running } = await this.checkout.upTo(step.replace("CLUSTER", this.checkout.clusterName));
        killTree(running.pid);
        await running.ended;
    }

    /** Starts an update and interrupts it at a step, as Ctrl-C does. `CLUSTER` in it stands for the cluster's name. */
    async interruptAt(step: string): Promise<void> {
        const { running, goOn } = await this.checkout.upTo(step.replace("CLUSTER", this.checkout.clusterName));
        signalPulumi("SIGINT");
        goOn();
        const { code, output } = await running.ended;
        expect({ code, output }).toEqual({ code: 1, output });
        // It starts the store without waiting for it: Pulumi leaves it only seconds.
        const client = s3ClientFor(await this.checkout.outputs());
        const answers = () =>
            client.send(new ListBucketsCommand({})).then(
                () => true,
                () => false,
            );
        await waitUntil("the store serves", answers);
        client.destroy();
    }

    /** The nodes run as a user of the host, who owns all files, the object and the store's user are there, and no container of a trial. */
    async expectAll(owner: string, nodes = [1]): Promise<void> {
        for (const number of nodes) {
            const node = await this.host.inspect(this.node(number));
            expect(node.Config.User).toBe(owner);
            // A node is ready too while its peers alone have a quorum, and it can't read its own drive.
            const drive = { "/drive": `${this.node(number)}-drive1` };
            const listed = await this.host.runOnVolumes(node.Image, drive, "ls -nd /drive; ls -nAR /drive");
            const owners = [...listed.matchAll(/[-dl][-rwxsStT]{9} +\d+ +(\d+) +(\d+) /g)].map(
                ([, uid, gid]) => `${uid}:${gid}`,
            );
            expect([...new Set(owners)]).toEqual([owner]);
        }
        const client = s3ClientFor(await this.checkout.outputs());
        expect(await checksumOf(client, "kept", "object")).toBe(this.checksum);
        client.destroy();
        const user = s3ClientFor(await this.checkout.outputs(), USER);
        await user.send(new ListBucketsCommand({}));
        user.destroy();
        const names = await this.host.namesOf(this.checkout.clusterName);
        expect(names.filter((name) => name.includes("trial"))).toEqual([]);
    }
}

/** Users that the stores run as. */
const [MINIO_USER, RUSTFS_USER] = ["1000:1000", "10001:10001"];

describe("an update in which RustFS takes over MinIO's drives is killed", () => {
    let store: TakenOverStore;

    beforeAll(async () => {
        store = await TakenOverStore.create({});
    }, 600_000);

    afterAll(() => store.remove(), 60_000);

    test.each([
        "after stop container NODE",
        "after start container NODE-trial-files",
        "after start container NODE-trial",
        "before rename container NODE-trial",
        "after remove container NODE",
        "after start container NODE",
    ])(
        "%s: with the former profile, MinIO runs again with everything",
        async (step) => {
            store.toRustfs();
            await store.killAt(step.replace("NODE", "CLUSTER-pool1-node1"));
            store.toMinio();
            await store.checkout.up();
            await store.expectAll(MINIO_USER);
        },
        1_800_000,
    );

    test.each([
        "after start container NODE-prepare",
        "after start container NODE-trial-files",
        "after start container NODE-trial",
    ])(
        "by Ctrl-C, not killed, %s: MinIO is started before it ends, and has everything",
        async (step) => {
            store.toRustfs();
            await store.interruptAt(step.replace("NODE", "CLUSTER-pool1-node1"));
            await store.expectAll(MINIO_USER);
            store.toMinio();
            await store.checkout.up();
        },
        1_800_000,
    );

    test("once RustFS runs, and so is the way back: the next update with RustFS goes on", async () => {
        store.toRustfs();
        await store.killAt("before remove container CLUSTER-pool1-node1-trial");
        store.toMinio();
        await store.killAt("after start container CLUSTER-pool1-node1-trial-files");
        store.toRustfs();
        await store.checkout.up();
        await store.expectAll(RUSTFS_USER);
        store.toMinio();
        await store.checkout.up();
        await store.expectAll(MINIO_USER);
    }, 1_800_000);

    test("and no store's container is left: an update to RustFS is refused, and one to MinIO goes on", async () => {
        store.toRustfs();
        // Its creation isn't in the state yet, so the next update removes it.
        await store.killAt("after start container CLUSTER-pool1-node1");
        store.toMinio();
        await store.killAt("after start container CLUSTER-pool1-node1-trial-files");
        store.toRustfs();
        expect(await store.checkout.upFailing()).toContain("first run an update with profile minio");
        store.toMinio();
        await store.checkout.up();
        await store.expectAll(MINIO_USER);
    }, 1_800_000);

    test("before the proxy knows RustFS's health paths: the next update goes on", async () => {
        store.toRustfs();
        await store.killAt("after remove container CLUSTER-pool1-node1-trial");
        await store.checkout.up();
        await store.expectAll(RUSTFS_USER);
        store.toMinio();
        await store.checkout.up();
    }, 1_800_000);

    test("at each step: the next update goes on, and in the end RustFS has everything", async () => {
        const { checkout } = store;
        store.toRustfs();
        const steps = await killAtEachStep(checkout, () => checkout.startUp(), isAmong(STEPS));
        expect(steps.map((step) => step.replaceAll(checkout.clusterName, "CLUSTER")).sort()).toEqual([...STEPS].sort());
        expect(checkout.pending()).toEqual([]);
        await store.expectAll(RUSTFS_USER);
    }, 3_600_000);

    test("two containers never used a drive at the same time", () => {
        const { starts, together } = runsOn(
            `${store.node()}-drive1`,
            store.checkout.door.volumes,
            store.recording.stop(),
        );
        expect(starts).toBeGreaterThan(10);
        // The writer of a node's files may run beside its node, as in any update: it changes only the owner of a drive's top folder.
        const others = together.map((names) => names.filter((name) => !name.endsWith("-prepare")));
        expect(others.filter((names) => names.length > 1)).toEqual([]);
    });
});

describe("an update in which RustFS takes over the drives of four nodes is killed half-way", () => {
    const nodes = [1, 2, 3, 4];
    let store: TakenOverStore;

    beforeAll(async () => {
        store = await TakenOverStore.create({ nodeCount: "4" });
    }, 600_000);

    afterAll(() => store.remove(), 60_000);

    test.each([
        ["while the nodes stop", "after stop container CLUSTER-pool1-node3"],
        ["while one node copies what MinIO has", "after start container CLUSTER-pool1-node1-trial"],
        ["while RustFS is tried", "after start container CLUSTER-pool1-node2-trial"],
        ["while the nodes are replaced", "after remove container CLUSTER-pool1-node2"],
        ["once some nodes run RustFS", "after start container CLUSTER-pool1-node2"],
    ])(
        "%s: with the former profile, all nodes run MinIO with everything",
        async (_, step) => {
            store.toRustfs();
            await store.killAt(step);
            store.toMinio();
            await store.checkout.up();
            await store.expectAll(MINIO_USER, nodes);
        },
        1_800_000,
    );

    test("while RustFS is tried, and a node is lost: with the former profile, all nodes run MinIO with everything", async () => {
        store.toRustfs();
        await store.killAt("after start container CLUSTER-pool1-node3-trial");
        // As if the update had been killed once this one was removed, and before another was.
        await store.host.docker.getContainer(store.node(2)).remove({ force: true });
        store.toMinio();
        await store.checkout.up();
        await store.expectAll(MINIO_USER, nodes);
    }, 1_800_000);

    test.each([
        ["MinIO's", "prepare", () => store.toMinio(), MINIO_USER],
        ["RustFS's", "prepare", () => store.toRustfs(), RUSTFS_USER],
        ["MinIO's", "trial-files", () => store.toMinio(), MINIO_USER],
    ])(
        "while RustFS is tried, a node is lost, and the way back is killed before it is replaced: all nodes run the store of the next profile, %s (%s)",
        async (_, helper, configure, user) => {
            store.toRustfs();
            await store.killAt("after start container CLUSTER-pool1-node3-trial");
            await store.host.docker.getContainer(store.node(2)).remove({ force: true });
            store.toMinio();
            await store.killAt(`after start container CLUSTER-pool1-node2-${helper}`);
            configure();
            await store.checkout.up();
            await store.expectAll(user, nodes);
            store.toMinio();
            await store.checkout.up();
        },
        1_800_000,
    );

    test("while some only serve their drives, and once some run RustFS: the next update goes on", async () => {
        store.toRustfs();
        await store.killAt("after start container CLUSTER-pool1-node3-trial-drives");
        // Not at a start: the recovery of the first one starts MinIO on that node.
        await store.killAt("after create container CLUSTER-pool1-node2");
        await store.checkout.up();
        await store.expectAll(RUSTFS_USER, nodes);
    }, 1_800_000);

    test("two containers never used a drive at the same time", () => {
        const events = store.recording.stop();
        for (const number of nodes) {
            const { starts, together } = runsOn(`${store.node(number)}-drive1`, store.checkout.door.volumes, events);
            expect(starts).toBeGreaterThan(5);
            const others = together.map((names) => names.filter((name) => !name.endsWith("-prepare")));
            expect(others.filter((names) => names.length > 1)).toEqual([]);
        }
    });
});
