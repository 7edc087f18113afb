import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { minioStore } from "../test/e2e/harness/stores";
import { Deployment } from "../test/e2e/harness/deployment";
import { AnsweringEngines } from "./answeringEngines";
import { configOver } from "./benchHosts";
import { secondsOf, type BenchOptions, type PartResult } from "./measurement";
import { memoryOfUpdate } from "./processMemory";
import { alternate } from "./progress";

const POINTS = [
    { name: "16 nodes", nodes: 16 },
    { name: "64 nodes", nodes: 64 },
];

const SUBJECTS = [1, 4, 16].map((hosts) => ({ name: hosts === 1 ? "1 host" : `${hosts} hosts`, hosts }));

/** The duration and memory of `pulumi preview` by the number of hosts, whose engines are mocks that answer at once. */
export async function measureManyHosts({ rounds, only }: BenchOptions): Promise<PartResult> {
    const result: PartResult = {
        title: "Many hosts: `pulumi preview` of a new stack, by the number of hosts",
        ours: "1 host",
        metrics: [
            { name: "preview", unit: "seconds", better: "lower" },
            { name: "memory of the engine", unit: "MiB", better: "lower" },
            { name: "memory of the program", unit: "MiB", better: "lower" },
            { name: "memory of the Docker providers", unit: "MiB", better: "lower" },
        ],
        measurements: [],
        notes: [
            "Each host's engine is a mock, which answers at once, has nothing, and says that it is in the swarm. So this is the time of Pulumi " +
                "and of the program alone. Each host has a Docker provider of its own, which is a process of its own: their memory is the sum of all.",
        ],
    };
    const points = POINTS.filter(({ name }) => only?.test(name) ?? true);
    await alternate({ points, subjects: SUBJECTS, rounds, result }, ({ nodes }, { hosts }) => preview(nodes, hosts));
    return result;
}

async function preview(nodes: number, hosts: number): Promise<{ [metric: string]: number }> {
    const folder = mkdtempSync(join(tmpdir(), "bench-engines-"));
    const engines = await AnsweringEngines.start(hosts, folder);
    const deployment = await Deployment.create({ ...minioStore().config, ...configOver(engines.hosts, nodes) });
    try {
        let seconds = NaN;
        const { engine, program, providers } = await memoryOfUpdate(async () => {
            seconds = await secondsOf(() => deployment.preview());
        });
        return {
            preview: seconds,
            "memory of the engine": engine,
            "memory of the program": program,
            "memory of the Docker providers": providers,
        };
    } finally {
        engines.stop();
        await deployment.remove();
        rmSync(folder, { recursive: true });
    }
}
