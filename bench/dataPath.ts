import { usageDuring } from "./containerUsage";
import { boundOf, type Load, type LoadOutcome } from "./h2load";
import { HANDSHAKE_METRICS, measureHandshakes } from "./handshakes";
import type { BenchOptions, PartResult } from "./measurement";
import { PresignedUrls } from "./presignedUrls";
import { alternate } from "./progress";
import { FRONT_END, Testbed, type Target, type TestbedArgs } from "./targets";
import { BASELINE, variantsOf } from "./variants";

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** One kind of traffic. */
interface TrafficPoint {
    name: string;
    method: "GET" | "PUT";
    size: Size;
    connections: number;
    protocol: "http/1.1" | "h2";
}

interface Size {
    name: string;
    bytes: number;
}

const SIZES: Size[] = [
    { name: "4 KiB", bytes: 4 * KIB },
    { name: "1 MiB", bytes: MIB },
    { name: "64 MiB", bytes: 64 * MIB },
];
const CONNECTIONS = [1, 16, 64, 256];
const BUCKET = "bench";

/** Number of objects that are overwritten in turn. */
const WRITTEN_KEYS = 16;

/**
 * Disk space for uploads, as a multiple of the bytes in progress: a store keeps an overwritten object until it is
 * deleted.
 */
const ROOM_FACTOR = 2;

/** S3 traffic through the front end, through the other proxies, and directly to the nodes. */
export function measureDataPath(options: BenchOptions): Promise<PartResult> {
    const title = `Data path: S3 on ${options.store === "minio" ? "MinIO" : "RustFS"}`;
    return measureOn({ title, ours: FRONT_END }, { direct: true }, options);
}

/**
 * S3 traffic through the front end, and through copies of it, each with one change. They are compared with an unchanged
 * copy, whose container differs from theirs in nothing else.
 */
export function measureTuning(options: BenchOptions): Promise<PartResult> {
    const title = "Tuning: the front end with one setting changed";
    return measureOn({ title, ours: BASELINE }, { peers: false, variants: variantsOf(options) }, options);
}

async function measureOn(
    of: Pick<PartResult, "title" | "ours">,
    desired: TestbedArgs,
    options: BenchOptions,
): Promise<PartResult> {
    const testbed = await Testbed.start(options, { nodeCount: "1" }, desired);
    try {
        if (options.congestionControl !== undefined) {
            await testbed.setCongestionControl(options.congestionControl);
        }
        const result: PartResult = {
            ...of,
            metrics: [
                { name: "throughput", unit: "requests per second", better: "higher" },
                { name: "latency p50", unit: "ms", better: "lower" },
                { name: "latency p99", unit: "ms", better: "lower" },
                { name: "latency p99.9", unit: "ms", better: "lower" },
                { name: "failed requests", unit: "count", better: "lower" },
                { name: "CPU of the proxy", unit: "CPU seconds per GiB of objects", better: "lower" },
                { name: "memory of the proxy", unit: "MiB", better: "lower" },
                ...HANDSHAKE_METRICS,
            ],
            measurements: [],
            notes: notesOf(testbed, options, desired),
        };
        await prepareObjects(testbed);
        await measureTraffic(testbed, options, result);
        await measureHandshakes(testbed, options, result);
        return result;
    } finally {
        await testbed.remove();
    }
}

function notesOf(
    { images }: Testbed,
    { seconds, congestionControl }: BenchOptions,
    { direct, peers = true }: TestbedArgs,
): string[] {
    return [
        `h2load with presigned URLs, one request at a time on each connection, from a container on the node network, ${seconds} s each; ` +
            "where 128 MiB or more are under way at once, one to four requests on each connection instead. Connections are opened within that time. " +
            "One node with one drive; all that takes part shares the machine's CPUs." +
            (direct === true
                ? ' "node, plain" is the node behind the proxies, "node, TLS" another one of the same image that ends TLS itself.'
                : ""),
        ...(congestionControl === undefined
            ? []
            : [`Every container has ${congestionControl} as TCP's congestion control.`]),
        ...(peers
            ? [
                  "nginx is as MinIO's documents say, nginx tuned keeps connections and TLS sessions besides, Caddy is as its own documents say. " +
                      "The front end and nginx log each request to the container's output, nginx tuned and Caddy none.",
              ]
            : []),
        ...(peers && images.traefik === undefined
            ? [
                  "Traefik was left out: no registry gave its image, and its Go module has a part in a folder that modules leave out.",
              ]
            : []),
    ];
}

function bodyFile({ bytes }: Size): string {
    return `/tmp/body-${bytes}`;
}

function urlsFile(method: string, { bytes }: Size, target: Target): string {
    return `/tmp/urls-${method}-${bytes}-${target.name.replaceAll(/\W+/g, "-")}`;
}

/** Creates the bucket, the objects to read, and files with the URLs of each target. */
async function prepareObjects({ load, targets, credentials }: Testbed): Promise<void> {
    for (const size of SIZES) {
        await load.shell(`head -c ${size.bytes} /dev/urandom > ${bodyFile(size)}`);
    }
    for (const target of targets) {
        const urls = new PresignedUrls(target.endpoint, credentials);
        const put = async (url: string, body?: string) => {
            await load.write("/tmp/url", [url]);
            await load
                .run(onceTo(target, { method: "PUT", urlsFile: "/tmp/url", bodyFile: body }))
                .catch((error: unknown) => tolerateExistingBucket(error));
        };
        await put(await urls.createBucket(BUCKET));
        for (const size of SIZES) {
            await put(await urls.put(BUCKET, `read-${size.bytes}`), bodyFile(size));
            await load.write(urlsFile("GET", size, target), [await urls.get(BUCKET, `read-${size.bytes}`)]);
            const written = Array.from({ length: WRITTEN_KEYS }, (_, key) => urls.put(BUCKET, `written-${key}`));
            await load.write(urlsFile("PUT", size, target), await Promise.all(written));
        }
    }
}

function onceTo({ address }: Target, request: Pick<Load, "method" | "urlsFile" | "bodyFile">): Load {
    return { protocol: "http/1.1", connections: 1, address, bound: { requests: 1 }, ...request };
}

/** The bucket exists if an earlier target uses the same store. */
function tolerateExistingBucket(error: unknown): void {
    if (!String(error).includes("\t409\t")) {
        throw error;
    }
}

function pointsOf({ only }: BenchOptions): TrafficPoint[] {
    return (["GET", "PUT"] as const)
        .flatMap((method) =>
            SIZES.flatMap((size) =>
                CONNECTIONS.flatMap((connections) =>
                    (["http/1.1", "h2"] as const).map((protocol) => ({
                        name: `${method} ${size.name}, ${connections} connections, ${protocol}`,
                        ...{ method, size, connections, protocol },
                    })),
                ),
            ),
        )
        .filter(({ name }) => only?.test(name) ?? true);
}

async function measureTraffic(testbed: Testbed, options: BenchOptions, result: PartResult): Promise<void> {
    const points = pointsOf(options);
    const { targets: subjects, load } = testbed;
    await alternate({ points, subjects, rounds: options.rounds, result }, async (point, target) => {
        const { method, size, connections, protocol } = point;
        if (protocol === "h2" && !target.tls) {
            return {};
        }
        if (method === "PUT") {
            await load.waitForRoom(ROOM_FACTOR * size.bytes * connections);
        }
        const [outcome, usage] = await usedBy(target, () =>
            load.run({
                ...{ protocol, connections, method, address: target.address },
                urlsFile: urlsFile(method, size, target),
                bodyFile: method === "PUT" ? bodyFile(size) : undefined,
                bound: boundOf(size.bytes, connections, options.seconds),
            }),
        );
        return { ...figuresOf(outcome), ...usageFigures(usage, outcome.succeeded * size.bytes) };
    });
}

function figuresOf({ succeeded, failed, seconds, latency }: LoadOutcome): { [metric: string]: number } {
    return {
        throughput: succeeded / seconds,
        "latency p50": latency.p50,
        "latency p99": latency.p99,
        "latency p99.9": latency["p99.9"],
        "failed requests": failed,
    };
}

interface MaybeUsage {
    cpuSeconds: number;
    memory: number;
}

async function usedBy<Result>(
    { proxy }: Target,
    work: () => Promise<Result>,
): Promise<[Result, MaybeUsage | undefined]> {
    return proxy === undefined ? [await work(), undefined] : usageDuring(proxy, work);
}

function usageFigures(usage: MaybeUsage | undefined, bytes: number): { [metric: string]: number } {
    return usage === undefined
        ? {}
        : { "CPU of the proxy": usage.cpuSeconds / (bytes / GIB), "memory of the proxy": usage.memory };
}
