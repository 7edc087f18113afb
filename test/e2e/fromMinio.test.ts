import { s3ClientFor } from "./harness/clients";
import { Deployment } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { migrate, migrated } from "./harness/migrate";
import { minioStore } from "./harness/stores";
import { testImages } from "./harness/testRun";
import { checksumOf, keepObject } from "./harness/traffic";
import { waitUntil } from "./harness/wait";

describe("a store that can't get MinIO's drives", () => {
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

    const toRustfs = () => ["--to", "rustfs", "--image", testImages().minio];

    test("is refused by preview, which names the command", async () => {
        expect(await deployment.previewFailing()).toMatch(
            /profile: "rustfs" doesn't match the data [^]*npm run migrate -- --to rustfs/,
        );
    }, 120_000);

    test("is refused by --check with the names of objects that it can't read, and nothing stops", async () => {
        const { State: before } = await host.inspect(node());
        for (const options of [["--check"], []]) {
            const { code, output } = await migrate(deployment.clusterName, ...toRustfs(), ...options);
            expect(code).toBe(1);
            expect(output).toMatch(/kept\/object\.txt: rustfs can't read objects that are compressed\./);
            expect(output).toContain("add `--lose-unreadable`");
        }
        expect((await host.inspect(node())).State.StartedAt).toBe(before.StartedAt);
        expect(await isServed()).toBe(true);
    }, 180_000);

    test("with what may be lost, --check says how long it takes, and what is lost", async () => {
        const output = await migrated(deployment.clusterName, ...toRustfs(), "--check", "--lose-unreadable");
        expect(output).toMatch(
            /can be migrated from minio to rustfs\. Nothing was changed\.\n.*Without an answer: about \d+ s/,
        );
        expect(output).toContain("Uploads in parts that aren't completed are lost");
        expect(await isServed()).toBe(true);
    }, 180_000);

    test("if it doesn't start, MinIO is started again with its files, and the error says why", async () => {
        const { code, output } = await migrate(deployment.clusterName, ...toRustfs(), "--lose-unreadable");
        expect(code).toBe(1);
        expect(output).toContain("The drives were not migrated from minio to rustfs.");
        expect(output).toMatch(/rustfs isn't ready on these drives:[^]*rustfs: not found/);
        expect(output).toContain("minio runs again, with everything that it had.");
        expect((await host.inspect(node())).Id).toBe(former);
        await waitUntil("MinIO serves", isServed);
        expect((await host.namesOf(deployment.clusterName)).filter((name) => name.includes("trial"))).toEqual([]);
    }, 300_000);

    test("afterwards there is nothing to go back from, and an update with the former profile changes nothing", async () => {
        expect((await migrate(deployment.clusterName, "--back")).output).toContain("it was never migrated");
        await deployment.configure(minioStore().config);
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
        expect((await host.inspect(node())).Id).toBe(former);
    }, 300_000);
});
