import { s3ClientFor } from "./harness/clients";
import { Deployment } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { minioStore } from "./harness/stores";
import { testImages } from "./harness/testRun";
import { checksumOf, keepObject } from "./harness/traffic";
import { waitUntil } from "./harness/wait";

describe("a store that can't take over MinIO's drives", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let checksum: string;
    let former: string;

    const node = () => `${deployment.clusterName}-pool1-node1`;

    const isServed = async () => {
        const client = s3ClientFor(await deployment.outputs());
        try {
            return (await checksumOf(client, "kept", "object.txt")) === checksum;
        } catch {
            return false;
        } finally {
            client.destroy();
        }
    };

    beforeAll(async () => {
        // MinIO compresses text.
        const environment = JSON.stringify({ MINIO_COMPRESSION_ENABLE: "on" });
        deployment = await Deployment.create({ ...minioStore().config, environment });
        await deployment.up();
        const client = s3ClientFor(await deployment.outputs());
        checksum = await keepObject(client, "kept", "object.txt");
        client.destroy();
        former = (await host.inspect(node())).Id;
        // An image without RustFS: the store ends at once.
        await deployment.configure({ profile: "rustfs", image: testImages().minio });
    }, 300_000);

    afterAll(() => deployment.remove(), 120_000);

    test("is refused by preview without its word", async () => {
        expect(await deployment.previewFailing()).toMatch(
            /profile: rustfs doesn't match the data [^]*From MinIO to RustFS[^]*add "profileChange" to allowedChanges/,
        );
    }, 120_000);

    test("is refused with the names of objects that it can't read, before the node stops", async () => {
        await deployment.configure({ allowedChanges: '["profileChange"]' });
        expect(await deployment.preview()).toContain("profile: rustfs takes over the drives of minio, with an outage");
        const { State: before } = await host.inspect(node());
        const refusal = await deployment.upFailing();
        expect(refusal).toMatch(/"rustfs" can't read objects that are compressed: kept\/object\.txt\./);
        expect(refusal).toContain('add "unreadableObjects" to allowedChanges');
        expect((await host.inspect(node())).State.StartedAt).toBe(before.StartedAt);
        expect(await isServed()).toBe(true);
    }, 180_000);

    test("if it doesn't start, MinIO is started again with its files, and the error says why", async () => {
        await deployment.configure({ allowedChanges: '["profileChange","unreadableObjects"]' });
        const failure = await deployment.upFailing();
        expect(failure).toContain("rustfs has not taken over the drives of minio.");
        expect(failure).toMatch(/rustfs isn't ready on these drives:[^]*rustfs: not found/);
        expect(failure).toContain("minio runs again, with everything that it had.");
        expect((await host.inspect(node())).Id).toBe(former);
        await waitUntil("MinIO serves", isServed);
        expect((await host.namesOf(deployment.clusterName)).filter((name) => name.includes("trial"))).toEqual([]);
    }, 300_000);

    test("with the former profile nothing is replaced but the writer of the node's files", async () => {
        await deployment.configure({ ...minioStore().config });
        await deployment.unset("allowedChanges");
        await deployment.up();
        expect((await host.inspect(node())).Id).toBe(former);
        expect(await isServed()).toBe(true);
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 300_000);
});
