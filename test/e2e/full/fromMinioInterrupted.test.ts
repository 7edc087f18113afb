import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentConfig } from "../harness/deployment";
import { DockerHost, type ContainerEvent } from "../harness/dockerHost";
import { expectSuccess, InterruptCheckout, type RunningCommand } from "../harness/interruptCheckout";
import { killTree } from "../harness/interruptProcessTree";
import { minioStore, rustfsStore } from "../harness/stores";
import { checksumOf, keepObject } from "../harness/traffic";
import { waitUntil } from "../harness/wait";
import { runsOn } from "../suites/interrupted";

/** A user of MinIO, who must be there whatever happens. */
const USER = { accessKeyId: "somebody", secretAccessKey: "somebodys-secret" };

/** A store that starts as MinIO, with an object that has to be there whatever happens. */
class MigratedStore {
    private constructor(
        readonly host: DockerHost,
        readonly checkout: InterruptCheckout,
        readonly recording: { stop: () => ContainerEvent[] },
        private readonly checksum: string,
    ) {}

    static async create(config: DeploymentConfig): Promise<MigratedStore> {
        const host = new DockerHost();
        const checkout = await InterruptCheckout.create({ ...minioStore().config, ...config });
        const recording = await host.recordEvents(checkout.clusterName);
        await checkout.up();
        const outputs = await checkout.outputs();
        await minioStore().createUser(host, outputs, USER);
        const client = s3ClientFor(outputs);
        const checksum = await keepObject(client, "kept", "object");
        client.destroy();
        return new MigratedStore(host, checkout, recording, checksum);
    }

    async remove(): Promise<void> {
        this.recording.stop();
        await this.checkout.remove();
    }

    node(number: number | "" = 1): string {
        return `${this.checkout.clusterName}-pool1-node${number}`;
    }

    /** Starts `npm run migrate`. */
    readonly migrate = (...options: string[]) =>
        this.checkout.start("migrate", "--stack", this.checkout.stack, ...options);

    /** Starts `npm run migrate -- --to rustfs`. */
    readonly toRustfs = () => this.migrate("--to", "rustfs", "--image", rustfsStore().config["image"] ?? "");

    /** Starts `npm run migrate -- --back`. */
    readonly back = () => this.migrate("--back", "--image", minioStore().config["image"] ?? "");

    /** Starts a command and kills it at a step. `NODE` in it stands for the beginning of a node's name. */
    async killAt(step: string, start: () => RunningCommand): Promise<void> {
        const { running } = await this.checkout.pauseAt(step.replace("NODE", this.node("")), start);
        killTree(running.pid);
        await running.ended;
    }

    /** Starts the migration and interrupts it at a step, as Ctrl-C does. */
    async interruptAt(step: string): Promise<void> {
        const { running, goOn } = await this.checkout.pauseAt(step.replace("NODE", this.node("")), this.toRustfs);
        process.kill(running.pid, "SIGINT");
        goOn();
        await running.ended;
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

describe("a migration from MinIO to RustFS is killed", () => {
    let store: MigratedStore;

    beforeAll(async () => {
        store = await MigratedStore.create({});
    }, 600_000);

    afterAll(() => store.remove(), 60_000);

    test.each([
        "after create container NODE1-trial",
        "after stop container NODE1",
        "after start container NODE1-trial-owner",
        "after start container NODE1-trial",
        "before rename container NODE1-trial",
    ])(
        "%s: an update is refused with both commands, and --back starts MinIO with everything",
        async (step) => {
            await store.killAt(step, store.toRustfs);
            expect(await store.checkout.upFailing()).toMatch(
                /`npm run migrate -- --to rustfs` goes on, `npm run migrate -- --back`/,
            );
            expectSuccess(await store.back().ended);
            await store.expectAll(MINIO_USER);
            await store.checkout.up();
        },
        1_800_000,
    );

    test.each(["after start container NODE1-trial-owner", "after start container NODE1-trial"])(
        "by Ctrl-C, not killed, %s: MinIO is started before it ends, and has everything",
        async (step) => {
            await store.interruptAt(step);
            expectSuccess(await store.back().ended);
            await store.expectAll(MINIO_USER);
        },
        1_800_000,
    );

    test("after RustFS was found to have everything: the same command goes on, and so does an update that is killed", async () => {
        await store.killAt("after rename container NODE1-trial", store.toRustfs);
        await store.killAt("after remove container NODE1", store.toRustfs);
        expectSuccess(await store.toRustfs().ended);
        await store.expectAll(RUSTFS_USER);
        await store.checkout.up();
    }, 1_800_000);

    test("and so is the way back: --back goes on", async () => {
        await store.killAt("after start container NODE1-trial", store.back);
        expectSuccess(await store.migrate("--to", "minio", "--image", minioStore().config["image"] ?? "").ended);
        await store.expectAll(MINIO_USER);
    }, 1_800_000);

    test("two containers never used a drive at the same time", () => {
        expectAlone(store, [1], 10);
    });
});

describe("a migration of four nodes is killed half-way", () => {
    const nodes = [1, 2, 3, 4];
    let store: MigratedStore;

    beforeAll(async () => {
        store = await MigratedStore.create({ nodeCount: "4" });
    }, 600_000);

    afterAll(() => store.remove(), 60_000);

    test.each([
        ["while the nodes stop", "after stop container NODE3"],
        ["while one node copies what MinIO has", "after start container NODE1-trial"],
        ["while RustFS is tried", "after start container NODE2-trial"],
    ])(
        "%s: --back starts MinIO on all nodes, with everything",
        async (_, step) => {
            await store.killAt(step, store.toRustfs);
            expectSuccess(await store.back().ended);
            await store.expectAll(MINIO_USER, nodes);
        },
        1_800_000,
    );

    test("while RustFS is tried, and a node is lost: --back, and an update creates it", async () => {
        await store.killAt("after start container NODE3-trial", store.toRustfs);
        await store.host.docker.getContainer(store.node(2)).remove({ force: true });
        expectSuccess(await store.back().ended);
        await store.checkout.up();
        await store.expectAll(MINIO_USER, nodes);
    }, 1_800_000);

    test("while some only serve their drives, and once some are replaced: the same command goes on", async () => {
        await store.killAt("after start container NODE3-trial-drives", store.toRustfs);
        await store.killAt("after create container NODE2", store.toRustfs);
        expect((await store.back().ended).output).toMatch(/Finish it first: run `npm run up`|returns to|runs again/);
        await store.checkout.up();
        expectSuccess(await store.toRustfs().ended);
        await store.expectAll(RUSTFS_USER, nodes);
    }, 1_800_000);

    test("two containers never used a drive at the same time", () => {
        expectAlone(store, nodes, 5);
    });
});

/** No two containers used a drive at the same time, but the writer of a node's files, which changes only the owner of its top folder. */
function expectAlone(store: MigratedStore, nodes: readonly number[], most: number): void {
    const events = store.recording.stop();
    for (const number of nodes) {
        const { starts, together } = runsOn(`${store.node(number)}-drive1`, store.checkout.door.volumes, events);
        expect(starts).toBeGreaterThan(most);
        const others = together.map((names) => names.filter((name) => !name.endsWith("-prepare")));
        expect(others.filter((names) => names.length > 1)).toEqual([]);
    }
}
