import { s3ClientFor } from "../harness/clients";
import { DockerHost, type ContainerEvent } from "../harness/dockerHost";
import { InterruptCheckout } from "../harness/interruptCheckout";
import { killTree } from "../harness/interruptProcessTree";
import { minioStore, rustfsStore } from "../harness/stores";
import { checksumOf, keepObject } from "../harness/traffic";
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
    "after remove container CLUSTER-pool1-node1",
    "after create container CLUSTER-pool1-node1",
    "after start container CLUSTER-pool1-node1",
    "before remove container CLUSTER-pool1-node1-trial",
];

describe("an update in which RustFS takes over MinIO's drives is killed", () => {
    const host = new DockerHost();
    let checkout: InterruptCheckout;
    let recording: { stop: () => ContainerEvent[] };
    let checksum: string;

    const toRustfs = () => checkout.configure({ ...rustfsStore().config, allowedChanges: '["profileChange"]' });
    const toMinio = () => checkout.configure({ ...minioStore().config, allowedChanges: '["profileChange"]' });
    const node = () => `${checkout.clusterName}-pool1-node1`;
    const userOf = async (container: string) => (await host.inspect(container)).Config.User;

    const expectKept = async () => {
        const client = s3ClientFor(await checkout.outputs());
        expect(await checksumOf(client, "kept", "object")).toBe(checksum);
        client.destroy();
        expect((await host.namesOf(checkout.clusterName)).filter((name) => name.includes("trial"))).toEqual([]);
    };

    beforeAll(async () => {
        checkout = await InterruptCheckout.create(minioStore().config);
        recording = await host.recordEvents(checkout.clusterName);
        await checkout.up();
        const client = s3ClientFor(await checkout.outputs());
        checksum = await keepObject(client, "kept", "object");
        client.destroy();
    }, 600_000);

    afterAll(async () => {
        recording.stop();
        await checkout.remove();
    }, 60_000);

    test.each([
        "after stop container NODE",
        "after start container NODE-trial-files",
        "after start container NODE-trial",
        "after remove container NODE",
        "after start container NODE",
    ])(
        "%s: with the former profile, MinIO runs again with everything",
        async (step) => {
            toRustfs();
            const { running } = await checkout.upTo(step.replace("NODE", node()));
            killTree(running.pid);
            await running.ended;
            toMinio();
            await checkout.up();
            expect(await userOf(node())).toBe("1000:1000");
            await expectKept();
        },
        1_800_000,
    );

    test("before the proxy knows RustFS's health paths: the next update goes on", async () => {
        toRustfs();
        const { running } = await checkout.upTo(`after remove container ${node()}-trial`);
        killTree(running.pid);
        await running.ended;
        await checkout.up();
        expect(await userOf(node())).toBe("10001:10001");
        await expectKept();
        toMinio();
        await checkout.up();
    }, 1_800_000);

    test("at each step: the next update goes on, and in the end RustFS has everything", async () => {
        toRustfs();
        const steps = await killAtEachStep(checkout, () => checkout.startUp(), isAmong(STEPS));
        expect(steps.map((step) => step.replaceAll(checkout.clusterName, "CLUSTER")).sort()).toEqual([...STEPS].sort());
        expect(checkout.pending()).toEqual([]);
        expect(await userOf(node())).toBe("10001:10001");
        await expectKept();
    }, 3_600_000);

    test("two containers never used a drive at the same time", () => {
        const { starts, together } = runsOn(`${node()}-drive1`, checkout.door.volumes, recording.stop());
        expect(starts).toBeGreaterThan(10);
        // The writer of a node's files may run beside its node, as in any update: it changes no file of a drive.
        const others = together.map((names) => names.filter((name) => !name.endsWith("-prepare")));
        expect(others.filter((names) => names.length > 1)).toEqual([]);
    });
});

describe("an update in which RustFS takes over the drives of four nodes is killed half-way", () => {
    const host = new DockerHost();
    const nodes = [1, 2, 3, 4];
    let checkout: InterruptCheckout;
    let recording: { stop: () => ContainerEvent[] };
    let checksum: string;

    const toRustfs = () => checkout.configure({ ...rustfsStore().config, allowedChanges: '["profileChange"]' });
    const toMinio = () => checkout.configure({ ...minioStore().config, allowedChanges: '["profileChange"]' });
    const node = (number: number) => `${checkout.clusterName}-pool1-node${number}`;

    const killAt = async (step: string) => {
        const { running } = await checkout.upTo(step.replace("CLUSTER", checkout.clusterName));
        killTree(running.pid);
        await running.ended;
    };

    const expectAll = async (user: string) => {
        for (const number of nodes) {
            expect((await host.inspect(node(number))).Config.User).toBe(user);
        }
        const client = s3ClientFor(await checkout.outputs());
        expect(await checksumOf(client, "kept", "object")).toBe(checksum);
        client.destroy();
        expect((await host.namesOf(checkout.clusterName)).filter((name) => name.includes("trial"))).toEqual([]);
    };

    beforeAll(async () => {
        checkout = await InterruptCheckout.create({ ...minioStore().config, nodeCount: "4" });
        recording = await host.recordEvents(checkout.clusterName);
        await checkout.up();
        const client = s3ClientFor(await checkout.outputs());
        checksum = await keepObject(client, "kept", "object");
        client.destroy();
    }, 600_000);

    afterAll(async () => {
        recording.stop();
        await checkout.remove();
    }, 60_000);

    test.each([
        ["while the nodes stop", "after stop container CLUSTER-pool1-node3"],
        ["while RustFS is tried", "after start container CLUSTER-pool1-node2-trial"],
        ["while the nodes are replaced", "after remove container CLUSTER-pool1-node2"],
        ["once some nodes run RustFS", "after start container CLUSTER-pool1-node2"],
    ])(
        "%s: with the former profile, all nodes run MinIO with everything",
        async (_, step) => {
            toRustfs();
            await killAt(step);
            toMinio();
            await checkout.up();
            await expectAll("1000:1000");
        },
        1_800_000,
    );

    test("once some nodes run RustFS: the next update goes on with the others", async () => {
        toRustfs();
        await killAt("after start container CLUSTER-pool1-node2");
        await checkout.up();
        await expectAll("10001:10001");
    }, 1_800_000);

    test("two containers never used a drive at the same time", () => {
        const events = recording.stop();
        for (const number of nodes) {
            const { starts, together } = runsOn(`${node(number)}-drive1`, checkout.door.volumes, events);
            expect(starts).toBeGreaterThan(5);
            const others = together.map((names) => names.filter((name) => !name.endsWith("-prepare")));
            expect(others.filter((names) => names.length > 1)).toEqual([]);
        }
    });
});
