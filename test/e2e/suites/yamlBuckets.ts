import { DeleteObjectCommand, GetBucketVersioningCommand, GetObjectCommand } from "@aws-sdk/client-s3";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import { CLI } from "../../../tools/pulumi/toolchainParts";
import { makeCheckoutFolder, type CheckoutFolder } from "../harness/checkoutFolder";
import { s3ClientFor } from "../harness/clients";
import { ComponentConsumer } from "../harness/componentConsumer";
import { CLIENT_IMAGE, type StoreContents } from "../harness/storeContents";

/** Buckets, policies and access keys as code, from another stack in another language. */
export function yamlBucketsSuite({ deployment, outputs, root, byHand, put }: StoreContents): void {
    describe("from another stack, in YAML", () => {
        let checkout: CheckoutFolder;
        let consumer: ComponentConsumer;

        beforeAll(async () => {
            checkout = makeCheckoutFolder();
            const program = join(PROJECT, "test", "e2e", "programs", "yamlBuckets");
            consumer = new ComponentConsumer("yaml-buckets", program, { name: "yaml" }, checkout.pulumiHome);
            consumer.pulumi("package", "add", join(checkout.project, "plugin"));
            await byHand("mb", "store/archive");
            await consumer.configure({ storeName: deployment().clusterName, clientImage: CLIENT_IMAGE });
        }, 300_000);

        afterAll(() => consumer.remove(), 60_000);

        test("an existing bucket is imported, and a key for it made", async () => {
            const type = "docker-object-store:index:Bucket";
            const id = `${deployment().clusterName}/archive`;
            const options = ["--yes", "--protect=false", "--generate-code=false", "--stack", "test"];
            consumer.run(
                "env",
                `OBJECT_STORE_CLIENT_IMAGE=${CLIENT_IMAGE}`,
                CLI,
                "import",
                type,
                "archive",
                id,
                ...options,
            );
            await consumer.up();
            const { accessKey, secretKey } = await consumer.outputs();
            expect(consumer.state()).not.toContain(secretKey);
            await put(root(), "one", "archive");
            const reader = s3ClientFor(outputs(), { accessKeyId: accessKey, secretAccessKey: secretKey });
            const object = { Bucket: "archive", Key: "one" };
            expect(await (await reader.send(new GetObjectCommand(object))).Body?.transformToString()).toBe("content");
            await expect(reader.send(new DeleteObjectCommand(object))).rejects.toThrow(/denied/i);
            reader.destroy();
        }, 120_000);

        test("what is secret in the program is secret in state, also after a refresh", async () => {
            const holdsHidden = () => /Hidden(OfBucket|Policy)/.test(consumer.state());
            expect(holdsHidden()).toBe(false);
            await consumer.refresh();
            expect(holdsHidden()).toBe(false);
            expect(await byHand("admin", "policy", "info", "store", "secret")).toMatchObject([
                { policyInfo: expect.anything() as object },
            ]);
        }, 60_000);

        test("a second update and a refresh change nothing; a changed setting is updated", async () => {
            expect(Object.keys((await consumer.up()).summary.resourceChanges ?? {})).toEqual(["same"]);
            expect(Object.keys(await consumer.refresh())).toEqual(["same"]);
            await consumer.configure({ versioning: "true" });
            expect((await consumer.up()).summary.resourceChanges).toMatchObject({ update: 1 });
            const { Status: status } = await root().send(new GetBucketVersioningCommand({ Bucket: "archive" }));
            expect(status).toBe("Enabled");
        }, 120_000);

        test("the stack is not destroyed while its bucket has objects", async () => {
            expect(await consumer.failing("destroy")).toContain("bucket archive has objects or former versions");
            await byHand("rm", "--recursive", "--force", "--versions", "store/archive");
            await consumer.destroy();
        }, 120_000);
    });
}
