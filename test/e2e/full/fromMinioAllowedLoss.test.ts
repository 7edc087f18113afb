import { randomBytes } from "node:crypto";
import {
    CreateBucketCommand,
    GetBucketNotificationConfigurationCommand,
    GetObjectCommand,
    PutBucketNotificationConfigurationCommand,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { s3ClientFor } from "../harness/clients";
import { Deployment } from "../harness/deployment";
import { migrate, migrateWhole } from "../harness/migrate";
import { minioStore, rustfsStore } from "../harness/stores";

const BUCKET = "partly-readable";

const PLAIN = randomBytes(200_000);
const TEXT = Buffer.from("a line that can be compressed\n".repeat(10_000));

const WORDS = ["--lose-unreadable", "--lose-settings"];

describe("RustFS gets objects and a setting that it doesn't know, if that is allowed", () => {
    let deployment: Deployment;

    const withClient = async <Result>(act: (client: S3Client) => Promise<Result>): Promise<Result> => {
        const client = s3ClientFor(await deployment.outputs());
        try {
            return await act(client);
        } finally {
            client.destroy();
        }
    };

    const read = (key: string) =>
        withClient(async (client) => {
            const { Body: body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
            return Buffer.from((await body?.transformToByteArray()) ?? []);
        });

    beforeAll(async () => {
        const environment = JSON.stringify({
            // MinIO compresses text.
            MINIO_COMPRESSION_ENABLE: "on",
            MINIO_NOTIFY_WEBHOOK_ENABLE_PRIMARY: "on",
            MINIO_NOTIFY_WEBHOOK_ENDPOINT_PRIMARY: "http://127.0.0.1:9000/",
        });
        deployment = await Deployment.create({ ...minioStore().config, environment });
        await deployment.up();
        await withClient(async (client) => {
            await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
            await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "plain", Body: PLAIN }));
            await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "compressed.txt", Body: TEXT }));
            await client.send(
                new PutBucketNotificationConfigurationCommand({
                    Bucket: BUCKET,
                    NotificationConfiguration: {
                        QueueConfigurations: [
                            { QueueArn: "arn:minio:sqs::PRIMARY:webhook", Events: ["s3:ObjectCreated:*"] },
                        ],
                    },
                    SkipDestinationValidation: true,
                }),
            );
        });
    }, 300_000);

    afterAll(() => deployment.remove(), 120_000);

    test("without the words it is refused, and MinIO goes on", async () => {
        const image = rustfsStore().config["image"] ?? "";
        const { code, output } = await migrate(deployment.clusterName, "--to", "rustfs", "--image", image);
        expect(code).toBe(1);
        expect(output).toContain(`${BUCKET}: rustfs doesn't have the notification setting`);
        expect(await read("compressed.txt")).toEqual(TEXT);
    }, 300_000);

    test("with them it is done, and a warning names what RustFS can't read", async () => {
        const output = await migrateWhole(deployment, rustfsStore().config, "--to", "rustfs", ...WORDS);
        expect(output).toMatch(/warning: rustfs can't read .*partly-readable\/compressed\.txt/);
        expect(output).not.toMatch(/rustfs can't read .*partly-readable\/plain/);
        expect(await read("plain")).toEqual(PLAIN);
    }, 600_000);

    test("and back: MinIO has everything again, with the setting", async () => {
        const output = await migrateWhole(deployment, minioStore().config, "--back", ...WORDS);
        expect(output).toMatch(/warning: rustfs and minio don't return the same .*partly-readable\/compressed\.txt/);
        expect(await read("plain")).toEqual(PLAIN);
        expect(await read("compressed.txt")).toEqual(TEXT);
        const { QueueConfigurations: queues } = await withClient((client) =>
            client.send(new GetBucketNotificationConfigurationCommand({ Bucket: BUCKET })),
        );
        expect(queues).toHaveLength(1);
    }, 600_000);
});
