import { makeCertificate, ownCertificate } from "../test/certificates";
import { Deployment, type DeploymentOutputs } from "../test/e2e/harness/deployment";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { minioStore } from "../test/e2e/harness/stores";
import type { VirtualHosts } from "../tools/playground/virtualHosts";
import { configOver, makeBenchHosts } from "./benchHosts";
import type { Load, LoadOutcome } from "./h2load";
import { prepareBenchImages } from "./images";
import { LoadContainer } from "./loadContainer";
import type { BenchOptions, PartResult } from "./measurement";
import { PEER_PORT } from "./peerConfigs";
import { PresignedUrls } from "./presignedUrls";
import { alternate } from "./progress";

const HOST = "s3.localhost";
const BUCKET = "bench";
const KIB = 1024;
const CONNECTIONS = 16;
const BODY = "/tmp/body";

const PERIOD_MICROSECONDS = 100_000;

/** Objects, and the share of a CPU that each front end may use in the points with a limit: so little that it is the bottleneck. */
const SIZES = [
    { name: "4 KiB", bytes: 4 * KIB, limitedCpus: 0.02 },
    { name: "1 MiB", bytes: KIB * KIB, limitedCpus: 0.25 },
];

/** Front ends that clients use, of the two that there are. */
const SUBJECTS = [
    { name: "two front ends", used: 2 },
    { name: "one front end", used: 1 },
];

/** Two hosts with a front end, a node and a load generator each. */
interface Testbed {
    proxies: { host: DockerHost; container: string }[];
    loads: LoadContainer[];
}

/** The throughput of clients that are spread over two front ends, and of as many clients that use one. */
export async function measureFrontEnds({ rounds, seconds, only }: BenchOptions): Promise<PartResult> {
    const { load: image } = await prepareBenchImages();
    const hosts = await makeBenchHosts(SUBJECTS.length, [image]);
    const certificate = await makeCertificate([HOST, "console.localhost"]);
    try {
        const deployment = await Deployment.create({
            ...minioStore().config,
            ...configOver(hosts.hosts, SUBJECTS.length),
            s3Host: HOST,
            certificate: ownCertificate(certificate),
        });
        await deployment.up();
        const testbed = await prepare(hosts, deployment, image);
        const result: PartResult = {
            title: "Front ends: throughput through two beside one",
            ours: "two front ends",
            metrics: [
                { name: "throughput", unit: "requests per second", better: "higher" },
                { name: "latency p99", unit: "ms", better: "lower" },
                { name: "failed requests", unit: "count", better: "lower" },
            ],
            measurements: [],
            notes: [
                `GET over HTTP/1.1 on ${CONNECTIONS} connections, ${seconds} s each, from a container on each of two hosts with half of the ` +
                    "connections. Each front end uses the MinIO nodes of both hosts. With two front ends each container uses that of its host; " +
                    "with one, both use that of the first host.",
                `${SIZES.map(({ limitedCpus }) => `"${limitedCpus} CPU"`).join(", ")}: each front end's container may use this share of a CPU, ` +
                    "so that the front ends are the bottleneck and not the machine. Without a limit, load generators, front ends and nodes " +
                    "of both virtual hosts share the machine's CPUs, so a second front end adds little or nothing.",
            ],
        };
        const points = SIZES.flatMap((size) => [
            { name: `GET ${size.name}, ${size.limitedCpus} CPU for each front end`, size, cpus: size.limitedCpus },
            { name: `GET ${size.name}, no limit`, size, cpus: undefined },
        ]).filter(({ name }) => only?.test(name) ?? true);
        await alternate({ points, subjects: SUBJECTS, rounds, result }, async ({ size, cpus }, { used }) => {
            await Promise.all(testbed.proxies.map((proxy) => limit(proxy, cpus)));
            return figuresOf(await runAll(testbed, used, `/tmp/urls-${size.bytes}`, seconds));
        });
        return result;
    } finally {
        await hosts.remove();
    }
}

async function prepare(hosts: VirtualHosts, deployment: Deployment, image: string): Promise<Testbed> {
    const { clusterName } = deployment;
    const proxies = hosts.hosts.map(({ name, dockerHost }) => ({
        host: new DockerHost(dockerHost.replace("unix://", "")),
        container: `${clusterName}-${name}-proxy`,
    }));
    const loads = await Promise.all(
        proxies.map(({ host }, index) =>
            LoadContainer.start(`${clusterName}-bench-load${index}`, image, `${clusterName}-nodes`, host),
        ),
    );
    const testbed = { proxies, loads };
    await prepareObjects(testbed, await deployment.outputs());
    return testbed;
}

/** Creates the bucket and the objects to read, and in each load generator the files with their URLs. */
async function prepareObjects({ loads, proxies }: Testbed, credentials: DeploymentOutputs): Promise<void> {
    const urls = new PresignedUrls(`https://${HOST}:${PEER_PORT}`, credentials);
    const [first] = loads;
    const put = async (url: string, bodyFile?: string) => {
        await first?.write("/tmp/url", [url]);
        await first?.run({
            ...loadOn(proxies[0]?.container ?? "", 1, "/tmp/url", { requests: 1 }),
            method: "PUT",
            bodyFile,
        });
    };
    await put(await urls.createBucket(BUCKET));
    for (const { bytes } of SIZES) {
        await first?.shell(`head -c ${bytes} /dev/urandom > ${BODY}`);
        await put(await urls.put(BUCKET, `read-${bytes}`), BODY);
        const url = await urls.get(BUCKET, `read-${bytes}`);
        await Promise.all(loads.map((load) => load.write(`/tmp/urls-${bytes}`, [url])));
    }
}

function runAll({ loads, proxies }: Testbed, used: number, urlsFile: string, seconds: number): Promise<LoadOutcome[]> {
    return Promise.all(
        loads.map((load, index) => {
            const { container = "" } = proxies[index % used] ?? {};
            return load.run(loadOn(container, CONNECTIONS / loads.length, urlsFile, { seconds }));
        }),
    );
}

function loadOn(proxy: string, connections: number, urlsFile: string, bound: Load["bound"]): Load {
    return { protocol: "http/1.1", method: "GET", connections, address: `${proxy}:${PEER_PORT}`, urlsFile, bound };
}

function figuresOf(outcomes: LoadOutcome[]): { [metric: string]: number } {
    const sum = (value: (outcome: LoadOutcome) => number) =>
        outcomes.reduce((total, outcome) => total + value(outcome), 0);
    return {
        throughput: sum(({ succeeded }) => succeeded) / Math.max(...outcomes.map((outcome) => outcome.seconds)),
        "latency p99": Math.max(...outcomes.map(({ latency }) => latency.p99)),
        "failed requests": sum(({ failed }) => failed),
    };
}

/** Limits the CPU of a running container; undefined lifts the limit. */
async function limit({ host, container }: Testbed["proxies"][number], cpus: number | undefined): Promise<void> {
    await host.docker.getContainer(container).update({
        CpuPeriod: PERIOD_MICROSECONDS,
        CpuQuota: cpus === undefined ? -1 : cpus * PERIOD_MICROSECONDS,
    });
}
