import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { exerciseAwsCli } from "../clients/awsCli";
import { exerciseBoto3 } from "../clients/boto3";
import { defaultClientFor, putStream, readRanges, useConditions } from "../clients/javascriptSdk";
import { transferGibibyte } from "../clients/largeObject";
import { ClientContainer } from "../harness/clientContainer";
import { memoryGrowthDuring } from "../harness/containerMemory";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import type { Store } from "../harness/stores";

const MIB = 1024 * 1024;
const BUCKET = "javascript";

/** Real clients with their default settings, on one node of a store. */
export function clientsSuite(store: () => Store): void {
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let container: ClientContainer | undefined;
    let client: S3Client;

    beforeAll(async () => {
        deployment = await Deployment.create(store().config);
        await deployment.up();
        outputs = await deployment.outputs();
        container = await ClientContainer.start(deployment, outputs);
        client = defaultClientFor(outputs);
        await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    }, 240_000);

    afterAll(async () => {
        client.destroy();
        await container?.remove();
        await deployment.remove();
    }, 120_000);

    const proxy = () => `${deployment.clusterName}-proxy`;
    const inContainer = (exercise: (container: ClientContainer, bucket: string) => Promise<void>, bucket: string) => {
        if (container === undefined) {
            throw new Error("the clients' container doesn't run");
        }
        return exercise(container, bucket);
    };

    test("AWS CLI", () => inContainer(exerciseAwsCli, "aws-cli"), 180_000);

    test("boto3", () => inContainer(exerciseBoto3, "boto3"), 120_000);

    test("AWS SDK for JavaScript: a stream, its checksum in a trailer", () => putStream(client, BUCKET), 60_000);

    test("AWS SDK for JavaScript: conditions", () => useConditions(client, BUCKET), 60_000);

    test("AWS SDK for JavaScript: ranges", () => readRanges(client, BUCKET), 60_000);

    test("AWS SDK for JavaScript: one connection for several requests", async () => {
        const newClient = defaultClientFor(outputs);
        for (let request = 0; request < 10; request++) {
            const target = { Bucket: BUCKET, Key: `kept-alive-${request}` };
            await newClient.send(new PutObjectCommand({ ...target, Body: "a body" }));
            await (await newClient.send(new GetObjectCommand(target))).Body?.transformToByteArray();
        }
        newClient.destroy();
        const host = new DockerHost();
        let clientPorts: (string | undefined)[] = [];
        // The engine gets the last lines of the log a little later.
        while (clientPorts.length < 20) {
            const lines = (await host.logs(proxy())).matchAll(/:(\d+) \[.*\] https~ s3\/.*\/kept-alive-\d+ HTTP/g);
            clientPorts = [...lines].map(([, port]) => port);
        }
        expect(new Set(clientPorts).size).toBe(1);
    }, 60_000);

    test.each([
        { form: "in one request", inParts: false },
        { form: "in parts", inParts: true },
    ])(
        "1 GiB $form, up and down, while the proxy's memory stays flat",
        async ({ form, inParts }) => {
            const work = () => transferGibibyte(client, BUCKET, inParts);
            const growth = await memoryGrowthDuring(proxy(), "haproxy", work);
            console.log(`${store().name}, 1 GiB ${form}: the proxy's memory grew by ${(growth / MIB).toFixed(1)} MiB`);
            expect(growth).toBeLessThan(32 * MIB);
        },
        180_000,
    );
}
