import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { testImages } from "../test/e2e/harness/testRun";
import { PROJECT } from "../tools/paths";
import { usageDuring } from "./containerUsage";
import type { BenchOptions, Metric, PartResult } from "./measurement";
import { startContainer } from "./peers";
import { alternate } from "./progress";
import type { Target, Testbed } from "./targets";

/** Result of {@link measureHandshakes}. */
export const HANDSHAKE_METRICS: Metric[] = [
    { name: "TLS handshakes", unit: "per second", better: "higher" },
    { name: "CPU of a TLS handshake", unit: "CPU milliseconds of the proxy", better: "lower" },
    { name: "sessions resumed", unit: "share of those asked for", better: "higher" },
    { name: "failed handshakes", unit: "count", better: "lower" },
];

/** One kind of handshake. */
interface HandshakePoint {
    name: string;
    kind: "full" | "resumed";
    version: "TLSv1.2" | "TLSv1.3";
}

const POINTS: HandshakePoint[] = (["full", "resumed"] as const).flatMap((kind) =>
    (["TLSv1.3", "TLSv1.2"] as const).map((version) => ({ name: `${kind} handshakes, ${version}`, kind, version })),
);

/** Output of the client. */
interface Counts {
    handshakes: number;
    resumed: number;
    failed: number;
}

/** New connections that only make a TLS handshake, four at a time, from a container on the node network. */
export async function measureHandshakes(testbed: Testbed, options: BenchOptions, result: PartResult): Promise<void> {
    const subjects = testbed.targets.filter(({ tls }) => tls);
    const points = POINTS.filter(({ name }) => options.only?.test(name) ?? true);
    await alternate({ points, subjects, rounds: options.rounds, result }, async (point, target) => {
        const work = () => makeHandshakes(testbed, point, target, options.seconds);
        const [{ handshakes, resumed, failed }, usage] =
            target.proxy === undefined ? [await work(), undefined] : await usageDuring(target.proxy, work);
        return {
            "TLS handshakes": handshakes / options.seconds,
            ...(usage === undefined ? {} : { "CPU of a TLS handshake": (usage.cpuSeconds * 1000) / handshakes }),
            ...(point.kind === "full" ? {} : { "sessions resumed": resumed / handshakes }),
            "failed handshakes": failed,
        };
    });
}

async function makeHandshakes(
    { deployment, network }: Testbed,
    { kind, version }: HandshakePoint,
    { address }: Target,
    seconds: number,
): Promise<Counts> {
    const host = new DockerHost();
    const name = `${deployment.clusterName}-bench-handshakes`;
    const container = await startContainer({
        name,
        image: testImages().standIn,
        command: `node /tmp/handshakes.js ${address.replace(":", " ")} ${version} ${kind} ${seconds}`,
        files: { "/tmp/handshakes.js": readFileSync(join(PROJECT, "bench", "clients", "handshakes.js"), "utf8") },
        network,
    });
    try {
        await container.wait();
        const output = await host.logs(name);
        const [printed] = /\{.*\}/.exec(output) ?? [];
        const counts = JSON.parse(printed ?? "{}") as Partial<Counts>;
        if (counts.handshakes === undefined || counts.handshakes === 0) {
            throw new Error(`handshakes with ${address} failed: ${printed ?? output}`);
        }
        return counts as Counts;
    } finally {
        await container.remove({ force: true });
    }
}
