import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { panelExpressions } from "./harness/grafanaDashboard";
import { MONITORING, Prometheus } from "./harness/prometheus";
import { CONSOLE_HOST, PublicSide, S3_HOST } from "./harness/publicSide";
import { minioStore } from "./harness/stores";

/** The token that `mc admin prometheus generate` makes: a JWT (RFC 7519) of the root user. */
function metricsToken({ accessKey, secretKey }: DeploymentOutputs): string {
    const claims = { exp: Math.floor(Date.now() / 1000) + 3600, sub: accessKey, iss: "prometheus" };
    const parts = [{ alg: "HS512", typ: "JWT" }, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    const signed = parts.join(".");
    return `${signed}.${createHmac("sha512", secretKey).update(signed).digest("base64url")}`;
}

describe("the monitoring example, next to a cluster of MinIO", () => {
    const host = new DockerHost();
    let side: PublicSide;
    let prometheus: Prometheus;
    let nodes: string[];
    let proxy: string;

    beforeAll(async () => {
        side = await PublicSide.start({
            ...minioStore().config,
            nodeCount: "2",
            drivesPerNode: "2",
        });
        nodes = side.outputs.nodeNames;
        proxy = `${side.deployment.clusterName}-proxy`;
        prometheus = await Prometheus.start(host, side.deployment.clusterName, metricsToken(side.outputs));
    }, 300_000);

    afterAll(async () => {
        try {
            await prometheus.remove();
        } finally {
            await side.remove();
        }
    }, 120_000);

    test("scrapes the proxy, its certificate and every node", async () => {
        const expected = [
            `certificate ${proxy}:8404 up`,
            `proxy ${proxy}:8404 up`,
            ...nodes.flatMap((node) => [`minio ${node}:9000 up`, `minio-cluster ${node}:9000 up`]),
        ].sort();
        const found = async () =>
            (await prometheus.targets()).map(({ job, instance, health }) => `${job} ${instance} ${health}`).sort();
        const isComplete = async () => isDeepStrictEqual(await found(), expected);
        await prometheus.until("every target is up", isComplete).catch(() => undefined);
        expect(await found()).toEqual(expected);
    }, 90_000);

    test("its configuration and rules are valid", async () => {
        const output = await prometheus.promtool("check", "config", "/etc/prometheus/prometheus.yml");
        expect(output).toMatch(/is valid prometheus config file syntax[^]*SUCCESS: \d+ rules found/);
    });

    test("each rule fires when it should, and not earlier", async () => {
        expect(await prometheus.promtool("test", "rules", "/etc/prometheus/unchanged/rules.test.yml")).toContain(
            "SUCCESS",
        );
    });

    test("each rule can be evaluated on the scraped metrics", async () => {
        await prometheus.until("all are", async () =>
            (await prometheus.rules()).every(({ health }) => health === "ok"),
        );
        expect((await prometheus.rules()).length).toBeGreaterThan(8);
    }, 90_000);

    test("nothing fires while everything is healthy, except alerts about this machine's disk", async () => {
        await prometheus.untilSome('up{job="minio"} == 1');
        await prometheus.untilNone('ALERTS{alertname!~"Disk.*"}');
    }, 160_000);

    describe("each panel has data:", () => {
        beforeAll(async () => {
            for (let count = 0; count < 5; count++) {
                await side.get("/bucket/none");
            }
        });

        const panels = panelExpressions(join(MONITORING, "dashboard.json"), "30s").filter(
            ({ row }) => row !== "RustFS",
        );

        test.each(panels)("$panel: $expression", async (panel) => {
            const samples = await prometheus.untilSome(panel.expression);
            expect(samples.map(({ value }) => Number.isNaN(value))).not.toContain(true);
        });
    });

    test.each([
        ["/minio/v2/metrics/cluster", S3_HOST],
        ["/minio/v2/metrics/node", S3_HOST],
        ["/minio/v2/metrics/bucket", S3_HOST],
        ["/minio/v2/metrics/resource", S3_HOST],
        ["/minio/prometheus/metrics", S3_HOST],
        ["/minio/metrics/v3", S3_HOST],
        ["/minio/v2/metrics/cluster", CONSOLE_HOST],
        ["/minio//v2/%6detrics/cluster", S3_HOST],
    ])("clients don't get the store's metrics: %s on %s", async (path, hostname) => {
        const { status, body } = await side.get(path, hostname);
        expect(status).toBe(403);
        expect(body).not.toContain("minio_");
    });

    test("a stopped node raises an alert, pending and then firing, until it is back", async () => {
        const node = host.docker.getContainer(nodes[1] ?? "");
        await node.stop({ t: 1 });
        const alert = (state: string) => `ALERTS{alertname="NodeDown", server="node2", alertstate="${state}"}`;
        expect(await prometheus.untilSome(alert("firing"))).toHaveLength(1);
        expect(await prometheus.query(`last_over_time(${alert("pending")}[5m])`)).toHaveLength(1);
        await prometheus.untilSome(`ALERTS{alertname="StoreMetricsMissing", instance="${nodes[1]}:9000"}`);
        await node.start();
        await prometheus.untilNone('ALERTS{alertname!~"Disk.*"}');
    }, 240_000);

    test("a stopped proxy raises an alert until it is back", async () => {
        const container = host.docker.getContainer(proxy);
        await container.stop({ t: 1 });
        await prometheus.untilSome('ALERTS{alertname="ProxyDown", alertstate="firing"}');
        await container.start();
        await prometheus.untilNone('ALERTS{alertname!~"Disk.*"}');
    }, 180_000);

    test("a cluster that doesn't exist is refused, and nothing is created for it", async () => {
        const cluster = `${side.deployment.clusterName}-x`;
        expect(() => execFileSync("sh", [join(MONITORING, "prometheus.sh"), cluster], { encoding: "utf8" })).toThrow(
            `there is no cluster ${cluster} on this Docker daemon`,
        );
        expect(await host.namesOf(cluster)).toEqual([]);
    });

    test("after a new start it still has its earlier data", async () => {
        const before = Date.now() / 1000 - 10;
        expect(await prometheus.query('up{job="proxy"}', before)).toHaveLength(1);
        await prometheus.runScript();
        expect(await prometheus.query('up{job="proxy"}', before)).toHaveLength(1);
        await prometheus.untilSome(`up{job="minio", instance="${nodes[1]}:9000"} == 1`);
    }, 60_000);
});
