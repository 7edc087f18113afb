import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate, ownCertificate, type TestCertificate } from "../test/certificates";
import { s3ClientFor } from "../test/e2e/harness/clients";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { say } from "../tools/cli/step";
import { measurementsOf, type BenchOptions, type PartResult } from "./measurement";
import { CERTIFICATE_FILE, KEY_FILE } from "./peerConfigs";
import { peersOf } from "./peers";
import { SteadyS3, STEADY_BUCKET } from "./steadyS3";
import { FRONT_END, Testbed, type Target } from "./targets";

/** Seconds of load before and after each disturbance. */
const MARGIN_SECONDS = 3;

/** Seconds for which a node is down or hangs. */
const FAULT_SECONDS = 30;

/** An action that runs while all proxies are under the same load. */
interface Disturbance {
    name: string;
    happen: (testbed: Testbed) => Promise<unknown>;
}

const DISTURBANCES: Disturbance[] = [
    { name: "nothing", happen: () => sleep(MARGIN_SECONDS * 1000) },
    { name: "rolling update", happen: rollingUpdate },
    { name: "reload", happen: (testbed) => reload(testbed, { hstsMaxAge: String(randomBytes(2).readUInt16BE()) }) },
    { name: "renewal of the certificate", happen: renew },
    { name: "a node killed, back after 30 s", happen: kill },
    { name: "a node that hangs for 30 s", happen: hang },
];

/** Measures failed requests, and the longest time without a success, while nodes and proxies are changed or fail. */
export async function measureAvailability(options: BenchOptions): Promise<PartResult> {
    const { rounds, only, store } = options;
    const testbed = await Testbed.start(options, { nodeCount: "4", drivesPerNode: "1" }, { published: true });
    try {
        const result: PartResult = {
            title: `Availability: on ${store === "minio" ? "MinIO" : "RustFS"}, 4 nodes`,
            ours: FRONT_END,
            metrics: [
                { name: "share of failed requests", unit: "%", better: "lower" },
                { name: "failed requests", unit: "count", better: "lower" },
                { name: "requests", unit: "count", better: "higher" },
                { name: "seconds with failures", unit: "count", better: "lower" },
                { name: "longest stall", unit: "seconds without a request that succeeded", better: "lower" },
                { name: "latency p99", unit: "ms", better: "lower" },
            ],
            measurements: [],
            notes: [
                "All proxies stand before the same nodes and are under the same load at the same time: 5 requests begin each second, " +
                    "however long earlier ones take (up to 15 s), GET and PUT of 16 KiB in turn, objects of their own, on connections " +
                    "that are kept, nothing tried again. The rolling update is ours (`pulumi up`), so the peers see " +
                    "nodes go in the best order there is; each proxy is reloaded in its own way.",
            ],
        };
        await makeBucket(testbed);
        const points = DISTURBANCES.filter(({ name }) => only?.test(name) ?? true);
        for (let round = 1; round <= rounds; round++) {
            for (const { name, happen } of points) {
                say(`round ${round} of ${rounds}: ${name}`);
                const loads = testbed.targets.map((target) => ({
                    target,
                    load: new SteadyS3(endpointOf(target), target.name, testbed.credentials),
                }));
                try {
                    await sleep(MARGIN_SECONDS * 1000);
                    await happen(testbed);
                    await sleep(MARGIN_SECONDS * 1000);
                } finally {
                    // At the same time, so that all have the same number of requests.
                    const stopped = await Promise.all(
                        loads.map(async ({ target, load }) => ({ target, ...(await load.stop()) })),
                    );
                    for (const { target, figures, reasons } of stopped) {
                        result.measurements.push(
                            ...measurementsOf({ point: name, subject: target.name, round }, figures),
                        );
                        if (reasons.length > 0) {
                            result.notes.push(
                                `Failed through ${target.name}, ${name}, round ${round}: ${reasons.join(", ")}.`,
                            );
                        }
                    }
                }
            }
        }
        return result;
    } finally {
        await testbed.remove();
    }
}

function endpointOf({ publishedPort }: Target): string {
    return `https://s3.localhost:${publishedPort}`;
}

async function makeBucket({ deployment, certificate }: Testbed): Promise<void> {
    const client = s3ClientFor({ ...(await deployment.outputs()), caCertificate: certificate.issuer });
    await client.send(new CreateBucketCommand({ Bucket: STEADY_BUCKET }));
    client.destroy();
}

async function rollingUpdate({ deployment }: Testbed): Promise<void> {
    await deployment.configure({ restartedAt: new Date().toISOString() });
    await deployment.up();
}

/** Reloads the configuration of every proxy. */
async function reload({ deployment, targets, images }: Testbed, config: { [key: string]: string }): Promise<void> {
    await deployment.configure(config);
    await deployment.up();
    const host = new DockerHost();
    for (const peer of peersOf(images)) {
        const container = targets.find(({ name }) => name === peer.name)?.proxy ?? "";
        await host.exec(container, ["/bin/sh", "-c", peer.reload]);
    }
}

async function renew(testbed: Testbed): Promise<void> {
    const next = await makeCertificate(["s3.localhost", "console.localhost"]);
    await writeCertificates(testbed, next);
    await reload(testbed, { certificate: ownCertificate(next) });
}

async function writeCertificates({ targets }: Testbed, { certificate, key }: TestCertificate): Promise<void> {
    const host = new DockerHost();
    for (const { name, proxy = "" } of targets.filter((target) => target.name !== FRONT_END)) {
        const script = `printf %s "$1" > ${CERTIFICATE_FILE} && printf %s "$2" > ${KEY_FILE}`;
        await host.exec(proxy, ["/bin/sh", "-ec", script, name, certificate, key]);
    }
}

/** Kills the second node, and starts it after a while. */
async function kill({ nodes }: Testbed): Promise<void> {
    const container = new DockerHost().docker.getContainer(nodes[1] ?? "");
    await container.kill();
    try {
        await sleep(FAULT_SECONDS * 1000);
    } finally {
        await container.start();
    }
}

/** Pauses the second node for a while. */
async function hang({ nodes }: Testbed): Promise<void> {
    await new DockerHost().whilePaused(nodes[1] ?? "", () => sleep(FAULT_SECONDS * 1000));
}
