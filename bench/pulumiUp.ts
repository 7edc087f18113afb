import { cpus, totalmem } from "node:os";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { Deployment } from "../test/e2e/harness/deployment";
import globalSetup from "../test/e2e/harness/globalSetup";
import { runPrefix, testImages } from "../test/e2e/harness/testRun";
import { CLI_VERSION } from "../tools/pulumiToolchain";

const RUNS = 5;

const SHAPES = [
    { name: "1 node, 1 drive", config: { nodeCount: "1", drivesPerNode: "1" } },
    { name: "4 nodes, 2 drives each", config: { nodeCount: "4", drivesPerNode: "2" } },
];

/** Seconds of one `pulumi up` from nothing, and of a second one that changes nothing. */
async function measure(config: { [key: string]: string }): Promise<[first: number, second: number]> {
    const deployment = await Deployment.create(config);
    try {
        const begin = performance.now();
        await deployment.up();
        const between = performance.now();
        await deployment.up();
        return [(between - begin) / 1000, (performance.now() - between) / 1000];
    } finally {
        await deployment.remove();
    }
}

function row(name: string, seconds: number[]): string {
    const sorted = [...seconds].sort((one, other) => one - other);
    const [minimum, median, maximum] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return `| ${[name, minimum, median, maximum].map((cell) => (typeof cell === "number" ? cell.toFixed(1) : cell)).join(" | ")} |`;
}

// npm run bench: how long `pulumi up` takes, on MinIO.
async function bench(): Promise<void> {
    globalSetup();
    const { Version: engine } = (await new DockerHost().docker.version()) as { Version: string };
    const results = new Map<string, number[]>();
    for (let run = 1; run <= RUNS; run++) {
        for (const { name, config } of SHAPES) {
            console.error(`run ${run} of ${RUNS}: ${name}`);
            const [first, second] = await measure(config);
            for (const [what, seconds] of [
                ["from nothing", first],
                ["nothing to change", second],
            ] as const) {
                const key = `${name}, ${what}`;
                results.set(key, [...(results.get(key) ?? []), seconds]);
            }
        }
    }
    const left = await new DockerHost().removeEverythingOf(runPrefix());
    console.log(
        [
            `Measured ${new Date().toISOString().slice(0, 10)}: ${RUNS} runs of each, alternating in one process; wall-clock`,
            `seconds of \`pulumi up --parallel 16\` until the proxy is healthy, images already there (${testImages().minio}).`,
            `${cpus().length} CPUs (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Docker ${engine}, Pulumi ${CLI_VERSION}, Node.js ${process.version}.`,
            "",
            "| pulumi up | minimum | median | maximum |",
            "|---|---|---|---|",
            ...[...results].map(([name, seconds]) => row(name, seconds)),
            ...(left.length > 0 ? ["", `Left behind and removed: ${left.join(", ")}`] : []),
        ].join("\n"),
    );
}

void bench();
