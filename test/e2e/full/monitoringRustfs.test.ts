import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { join } from "node:path";
import { s3ClientFor } from "../harness/clients";
import { Deployment } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { panelExpressions } from "../harness/grafanaDashboard";
import { MONITORING, Prometheus } from "../harness/prometheus";
import { rustfsStore } from "../harness/stores";

const BUCKET = "measured";

/** Alerts that are about the store, and not about this machine's disk. */
const OF_STORE = '{alertname!~"Disk.*"}';

describe("the monitoring example, next to a cluster of RustFS", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let prometheus: Prometheus;
    let nodes: string[];
    let client: S3Client;

    const health = () => Promise.all(nodes.map(async (node) => (await host.inspect(node)).State.Health?.Status));

    beforeAll(async () => {
        deployment = await Deployment.create({ ...rustfsStore().config, nodeCount: "2", drivesPerNode: "2" });
        await deployment.configure({
            environment: JSON.stringify({
                RUSTFS_OBS_ENDPOINT: `http://${deployment.clusterName}-prometheus:9090/api/v1/otlp`,
                RUSTFS_OBS_TRACES_EXPORT_ENABLED: "false",
                RUSTFS_OBS_LOGS_EXPORT_ENABLED: "false",
                // So that the test needn't wait for minutes.
                RUSTFS_OBS_METER_INTERVAL: "2",
                RUSTFS_METRICS_DEFAULT_INTERVAL_SEC: "2",
                RUSTFS_SCANNER_CYCLE: "5",
                RUSTFS_SCANNER_START_DELAY_SECS: "1",
            }),
        });
        await deployment.up();
        const outputs = await deployment.outputs();
        nodes = outputs.nodeNames;
        client = s3ClientFor(outputs);
        prometheus = await Prometheus.start(host, deployment.clusterName);
        await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    }, 400_000);

    afterAll(async () => {
        try {
            client.destroy();
            await prometheus.remove();
        } finally {
            await deployment.remove();
        }
    }, 120_000);

    test("gets the metrics of every node, with the node's address in the label instance", async () => {
        const isComplete = async () =>
            (await prometheus.query('count by (instance) (rustfs_process_uptime_seconds{job="RustFS"})')).length === 2;
        await prometheus.until("both nodes are seen", isComplete);
    }, 90_000);

    test("each rule can be evaluated on them", async () => {
        await prometheus.until("all are", async () =>
            (await prometheus.rules()).every(({ health }) => health === "ok"),
        );
    }, 90_000);

    describe("each panel has data:", () => {
        const panels = panelExpressions(join(MONITORING, "dashboard.json"), "30s").filter(({ row }) => row !== "MinIO");
        let traffic: NodeJS.Timeout;

        beforeAll(() => {
            let count = 0;
            const exchange = async () => {
                const Key = `key-${count++ % 10}`;
                await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: "content" }));
                await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
                await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "none" }));
            };
            traffic = setInterval(() => void exchange().catch(() => undefined), 500);
        });

        afterAll(() => clearInterval(traffic));

        test.each(panels)("$panel: $expression", async (panel) => {
            const samples = await prometheus.untilSome(panel.expression);
            expect(samples.map(({ value }) => Number.isNaN(value))).not.toContain(true);
        });
    });

    test("nothing fires while everything is healthy", async () => {
        await prometheus.untilNone(`ALERTS${OF_STORE}`);
    }, 160_000);

    test("the nodes' logs have no metrics", async () => {
        for (const node of nodes) {
            expect(await host.logs(node)).not.toContain("rustfs_process_uptime_seconds");
        }
    });

    test("a stopped node raises the alerts of drives and of writes, until it is back", async () => {
        const node = host.docker.getContainer(nodes[1] ?? "");
        await node.stop({ t: 1 });
        await prometheus.untilSome('ALERTS{alertname="DriveOffline", alertstate="firing"}');
        await prometheus.untilSome('ALERTS{alertname="WritesBlocked", alertstate="firing"}');
        await node.start();
        await prometheus.untilNone('ALERTS{alertname=~"DriveOffline|WritesBlocked"}');
        await prometheus.until("both nodes are healthy", async () =>
            (await health()).every((status) => status === "healthy"),
        );
    }, 400_000);

    test("without Prometheus the store goes on, and its health and logs show nothing of it", async () => {
        const receiver = host.docker.getContainer(prometheus.containerName);
        await receiver.stop();
        const before = await Promise.all(nodes.map(async (node) => (await host.logs(node)).length));
        for (let second = 0; second < 10; second++) {
            await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "alone", Body: "content" }));
        }
        const after = await Promise.all(nodes.map(async (node) => (await host.logs(node)).length));
        expect(after.map((length, index) => length - (before[index] ?? 0) < 20_000)).toEqual(nodes.map(() => true));
        expect(await health()).toEqual(nodes.map(() => "healthy"));
        await receiver.start();
    }, 120_000);
});
