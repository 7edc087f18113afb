import { ListBucketsCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { BUILT_IMAGES } from "../../../tools/images/builtImages";
import { s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentConfig, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { migrated, migrateWhole } from "../harness/migrate";
import { SteadyRequests } from "../harness/steadyRequests";
import { minioStore, rustfsStore } from "../harness/stores";
import { checksumOf } from "../harness/traffic";
import { VariedContent } from "../harness/variedContent";
import { waitUntil } from "../harness/wait";

/** A deployment whose drives another store takes over. */
export interface TakenOverDeployment {
    /** Number of nodes of each pool. */
    nodeCount: number;
    drivesPerNode: number;
    /** Number of pools. Default: 1 */
    pools?: number;
    /** Number of small objects. */
    objects: number;
    /**
     * Number of users beside those of the content. Each is a file that every node of RustFS copies when it starts: with 60, four that
     * did so at once never became ready.
     */
    users?: number;
}

/** A bucket and a key as code. */
const AS_CODE: DeploymentConfig = {
    buckets: JSON.stringify({
        "as-code": {
            versioning: true,
            quota: 1024 ** 3,
            lifecycle: [{ id: "former", expireFormerDays: 30 }],
            publicReadPrefixes: ["public/"],
        },
    }),
    accessKeys: JSON.stringify({ app: { readWrite: ["as-code"] } }),
    clientImage: BUILT_IMAGES.mc.reference,
};

/** A user who is removed in RustFS. */
const LEAVER = { accessKeyId: "leaver", secretAccessKey: "leavers-secret" };

const furtherUsers = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
        accessKeyId: `user${index}`,
        secretAccessKey: `secret-of-user-${index}`,
    }));

/** RustFS takes over what MinIO has written, and MinIO gets it back. */
export function fromMinioSuite({ nodeCount, drivesPerNode, pools = 1, objects, users = 0 }: TakenOverDeployment): void {
    const host = new DockerHost();
    let deployment: Deployment;
    let content: VariedContent;

    beforeAll(async () => {
        const layout: DeploymentConfig =
            pools === 1
                ? { nodeCount: String(nodeCount), drivesPerNode: String(drivesPerNode) }
                : { pools: JSON.stringify(Array.from({ length: pools }, () => ({ nodeCount, drivesPerNode }))) };
        deployment = await Deployment.create({ ...minioStore().config, ...layout, ...AS_CODE });
        await deployment.up();
        const outputs = await deployment.outputs();
        for (const user of [LEAVER, ...furtherUsers(users)]) {
            await minioStore().createUser(host, outputs, user);
        }
        content = new VariedContent(outputs);
        await content.write(minioStore().admin(host, outputs), objects);
        expect(await content.differences()).toEqual([]);
    }, 600_000);

    afterAll(async () => {
        content.end();
        await deployment.remove();
    }, 180_000);

    const nodes = async () => (await deployment.outputs()).nodeNames;

    const idsOfNodes = async () => Promise.all((await nodes()).map(async (name) => (await host.inspect(name)).Id));

    /** Writes with the key of an application to a bucket with a quota, without an attempt that fails, and reads it back. */
    const expectKeyWorks = async () => {
        const outputs: DeploymentOutputs & { accessKeys?: { app: { accessKey: string; secretKey: string } } } =
            await deployment.outputs();
        const { accessKey: accessKeyId = "", secretKey: secretAccessKey = "" } = outputs.accessKeys?.app ?? {};
        const client = s3ClientFor(outputs, { accessKeyId, secretAccessKey });
        await client.send(new PutObjectCommand({ Bucket: "as-code", Key: "of the application", Body: "text" }));
        expect(await checksumOf(client, "as-code", "of the application")).toBeDefined();
        client.destroy();
    };

    test("an update is refused, and names the command", async () => {
        await deployment.configure(rustfsStore().config);
        expect(await deployment.previewFailing()).toMatch(
            /profile: "rustfs" doesn't match the data .* with profile minio\.[^]*npm run migrate -- --to rustfs/,
        );
        await deployment.configure(minioStore().config);
    }, 120_000);

    test("--check says what will happen, and changes nothing", async () => {
        const before = await idsOfNodes();
        const image = rustfsStore().config["image"] ?? "";
        const output = await migrated(deployment.clusterName, "--to", "rustfs", "--image", image, "--check");
        expect(output).toContain("can be migrated from minio to rustfs. Nothing was changed.");
        expect(await idsOfNodes()).toEqual(before);
    }, 300_000);

    test("RustFS reads everything, and denies what was denied", async () => {
        const client = s3ClientFor(await deployment.outputs());
        const times: number[] = [];
        const load = new SteadyRequests(async () => {
            await checksumOf(client, "moved-plain", "inline");
            times.push(Date.now());
        });
        const output = await migrateWhole(deployment, rustfsStore().config, "--to", "rustfs");
        await load.stop();
        client.destroy();
        await expectKeyWorks();
        expect(output).not.toMatch(/has not counted|couldn't be asked/);
        expect(await content.differences()).toEqual([]);
        const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
        console.info(
            `${pools * nodeCount} node(s): longest time without an answer: ${(Math.max(...gaps) / 1000).toFixed(1)} s`,
        );
    }, 1_200_000);

    test("a second update changes nothing, and nothing of the trial is left", async () => {
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
        await deployment.refresh();
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
        const left = (await host.namesOf(deployment.clusterName)).filter((name) => name.includes("-trial"));
        expect(left).toEqual([]);
    }, 300_000);

    test("RustFS writes on", async () => {
        await content.writeMore("rustfs", 50);
        expect(await content.differences()).toEqual([]);
        const client = s3ClientFor(await deployment.outputs());
        await client.send(new PutObjectCommand({ Bucket: "moved-plain", Key: "large", Body: Buffer.alloc(1000) }));
        client.destroy();
    }, 300_000);

    test("a user who is removed in RustFS stays removed when it restarts", async () => {
        const outputs = await deployment.outputs();
        const buckets = () => {
            const client = s3ClientFor(outputs, LEAVER);
            return client.send(new ListBucketsCommand({})).finally(() => client.destroy());
        };
        await buckets();
        await rustfsStore().admin(host, outputs).removeUser(LEAVER);
        await expect(buckets()).rejects.toMatchObject({ name: "InvalidAccessKeyId" });
        await Promise.all((await nodes()).map((name) => host.docker.getContainer(name).restart()));
        await waitUntil(
            "the store serves",
            () =>
                content.differences().then(
                    () => true,
                    () => false,
                ),
            120,
        );
        // A node that is still starting may answer with another error.
        let answer = "";
        await waitUntil(
            "a node answers the user",
            async () => {
                answer = await buckets().then(
                    () => "listed",
                    (error: unknown) => (error as Error).name,
                );
                return ["listed", "InvalidAccessKeyId"].includes(answer);
            },
            60,
        );
        expect(answer).toBe("InvalidAccessKeyId");
    }, 300_000);

    test("back to MinIO: with all that was there and all that RustFS has written", async () => {
        await deployment.configure(minioStore().config);
        expect(await deployment.previewFailing()).toMatch(
            /profile: "minio" doesn't match[^]*npm run migrate -- --back/,
        );
        await migrateWhole(deployment, minioStore().config, "--back");
        expect((await content.differences()).filter((text) => !text.startsWith("listing of moved-plain"))).toEqual([]);
        await content.writeMore("minio", 10);
        await expectKeyWorks();
    }, 1_200_000);

    test("and once more to RustFS", async () => {
        await migrateWhole(deployment, rustfsStore().config, "--to", "rustfs");
        await expectKeyWorks();
        expect((await content.differences()).filter((text) => !text.startsWith("listing of moved-plain"))).toEqual([]);
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 900_000);
}
