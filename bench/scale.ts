import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { standInStore } from "../test/e2e/harness/stores";
import { testImages } from "../test/e2e/harness/testRun";
import { PROJECT } from "../tools/paths";
import { usageDuring } from "./containerUsage";
import type { BenchOptions, PartResult } from "./measurement";
import { OPEN_FILES, startContainer } from "./peers";
import { alternate } from "./progress";
import { FRONT_END, Testbed, type Target } from "./targets";

const BACKENDS = 16;
const IDLE = 10_000;
const ACTIVE = 2_000;

/** Seconds in which the idle connections are opened: less than the front end's timeout for a client's first request. */
const IDLE_SECONDS = 25;

/** Seconds in which the active connections are opened, on a slow machine. Nothing of them counts. */
const OPENING_SECONDS = 10;

/** A path that the stand-in answers itself. */
const PATH = "/service/echo";

/** Many concurrent connections to the front end and its peers, in front of 16 nodes of the contract's stand-in. */
export async function measureScale(options: BenchOptions): Promise<PartResult> {
    const config = {
        ...standInStore().config,
        nodeCount: String(BACKENDS),
        // All connections come from one address.
        maxConnectionsPerAddress: String(OPEN_FILES),
    };
    const testbed = await Testbed.start({ store: "standIn" }, config, {});
    try {
        const result: PartResult = {
            title: `Scale: ${IDLE} idle and ${ACTIVE} active connections, ${BACKENDS} backends`,
            ours: FRONT_END,
            metrics: [
                { name: "connections open at once", unit: "count", better: "higher" },
                { name: "memory", unit: "MiB", better: "lower" },
                { name: "throughput", unit: "requests per second", better: "higher" },
                { name: "latency p50", unit: "ms", better: "lower" },
                { name: "latency p99", unit: "ms", better: "lower" },
                { name: "failed requests", unit: "count", better: "lower" },
            ],
            measurements: [],
            notes: [
                `Idle: ${IDLE} TLS connections are opened and send nothing, within ${IDLE_SECONDS} s; memory of the proxy's processes at its most. ` +
                    `Every container may open ${OPEN_FILES} files, and HAProxy takes half as many connections. ` +
                    `Active: ${ACTIVE} connections, each with one GET at a time over HTTP/1.1 (h2load), answered by the contract's stand-in; ` +
                    `the first ${OPENING_SECONDS} s, in which they are opened, don't count.`,
            ],
        };
        const points = [
            { name: "nothing", measure: quiet },
            { name: `${ACTIVE} active connections`, measure: active },
            // Last: nginx keeps the memory of many connections.
            { name: `${IDLE} idle connections`, measure: idle },
        ].filter(({ name }) => options.only?.test(name) ?? true);
        const { targets: subjects } = testbed;
        await alternate({ points, subjects, rounds: options.rounds, result }, (point, target) =>
            point.measure(testbed, target, options),
        );
        return result;
    } finally {
        await testbed.remove();
    }
}

async function quiet(_testbed: Testbed, { proxy = "" }: Target): Promise<{ [metric: string]: number }> {
    const [, { memory }] = await usageDuring(proxy, () => Promise.resolve());
    return { memory };
}

async function idle(testbed: Testbed, { address, proxy = "" }: Target): Promise<{ [metric: string]: number }> {
    const host = new DockerHost();
    const name = `${testbed.deployment.clusterName}-bench-idle`;
    const [hostname = "", port = ""] = address.split(":");
    const [open, { memory }] = await usageDuring(proxy, async () => {
        const container = await startContainer({
            name,
            image: testImages().standIn,
            command: `node /tmp/idle.js ${hostname} ${port} ${IDLE} ${IDLE_SECONDS}`,
            files: { "/tmp/idle.js": readFileSync(join(PROJECT, "bench", "clients", "idleConnections.js"), "utf8") },
            network: testbed.network,
        });
        try {
            await container.wait();
            const counts = (await host.logs(name)).match(/\d+$/gm) ?? [];
            return Math.max(0, ...counts.map(Number));
        } finally {
            await container.remove({ force: true });
        }
    });
    return { "connections open at once": open, memory };
}

async function active(
    { load }: Testbed,
    { endpoint, address, proxy = "" }: Target,
    { seconds }: BenchOptions,
): Promise<{ [metric: string]: number }> {
    await load.write("/tmp/echo", [`${endpoint}${PATH}`]);
    const [outcome, { memory }] = await usageDuring(proxy, () =>
        load.run({
            protocol: "http/1.1",
            method: "GET",
            connections: ACTIVE,
            address,
            urlsFile: "/tmp/echo",
            bound: { seconds: seconds + OPENING_SECONDS },
            opening: OPENING_SECONDS,
        }),
    );
    return {
        memory,
        throughput: outcome.succeeded / outcome.seconds,
        "latency p50": outcome.latency.p50,
        "latency p99": outcome.latency.p99,
        "failed requests": outcome.failed,
    };
}
