import { build } from "esbuild";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stringify } from "yaml";
import { freeClusterName } from "../test/e2e/harness/freeResources";
import { stackDefaults } from "../test/e2e/harness/stackDefaults";
import { testedEngine } from "../test/e2e/harness/testRun";
import { LOCAL, PROJECT } from "../tools/paths";
import { PROGRAM_ENVIRONMENT } from "../tools/pulumi/programEnvironment";
import { CLI } from "../tools/pulumi/toolchainParts";
import { run } from "../tools/machine/run";
import type { BenchOptions, PartResult } from "./measurement";
import { alternate } from "./progress";

/** A way to run a program of TypeScript. */
interface Runner {
    name: string;
    /** Options of Pulumi's Node.js host. */
    options: { [option: string]: unknown };
    env?: NodeJS.ProcessEnv;
    /** Whether it runs the program as bundled by esbuild. */
    compiled?: boolean;
    /** Whether it runs what Pulumi.yaml names, which keeps compiled modules. */
    kept?: boolean;
}

/** A program, and its number of nodes. */
interface Point {
    name: string;
    nodes?: number;
}

const POINTS: Point[] = [
    { name: "an empty program" },
    { name: "1 node", nodes: 1 },
    { name: "16 nodes", nodes: 16 },
    { name: "64 nodes", nodes: 64 },
];

const TSX = join(PROJECT, "node_modules", "tsx", "dist");

/** The way in which `npm run up` and the tests run programs. */
const PROJECTS_OWN = "compiled modules kept";

const RUNNERS: Runner[] = [
    { name: PROJECTS_OWN, options: { typescript: true }, env: PROGRAM_ENVIRONMENT, kept: true },
    { name: "ts-node with swc", options: { typescript: true }, env: PROGRAM_ENVIRONMENT },
    {
        name: "ts-node, types not checked",
        options: { typescript: true },
        env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
    },
    { name: "tsx", options: { typescript: false, nodeargs: `--require ${join(TSX, "cjs", "index.cjs")}` } },
    { name: "compiled by esbuild", options: { typescript: false }, compiled: true },
];

const PROGRAM = join(PROJECT, "index.ts");

const NODE_OF_TYPE_STRIPPING = [22, 18] as const;

/** Duration of `pulumi preview` from nothing, for each runner, compared with an empty program. */
export async function measureStartUp({ rounds, only }: BenchOptions): Promise<PartResult> {
    const folder = makeFolder();
    try {
        const programs = await writePrograms(folder);
        const config = await stackDefaults(await freeClusterName());
        const result: PartResult = {
            title: "Start-up: `pulumi preview` by what runs the program",
            ours: PROJECTS_OWN,
            metrics: [
                { name: "preview", unit: "seconds", better: "lower" },
                { name: "beyond an empty program", unit: "seconds", better: "lower" },
            ],
            measurements: [],
            notes: [
                "Wall clock of `pulumi preview` of a stack that has nothing yet, on a backend of files, in a process of its own.",
                typeStripping(),
            ],
        };
        const points = POINTS.filter(({ name, nodes }) => nodes === undefined || (only?.test(name) ?? true));
        const empty = new Map<string, number>();
        await alternate({ points, subjects: RUNNERS, rounds, result }, async (point, runner, round) => {
            const program = programs[point.nodes === undefined ? "empty" : "whole"];
            const main = mainOf(program, runner);
            const seconds = await preview(folder, runner, main, { ...config, nodeCount: String(point.nodes ?? 1) });
            const key = `${runner.name} ${round}`;
            if (point.nodes === undefined) {
                empty.set(key, seconds);
            }
            const beyond = seconds - (empty.get(key) ?? NaN);
            const figures: { [metric: string]: number } = { preview: seconds };
            return point.nodes === undefined ? figures : { ...figures, "beyond an empty program": beyond };
        });
        return result;
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** A folder below the project's, so that programs find its packages. */
function makeFolder(): string {
    mkdirSync(LOCAL, { recursive: true });
    return mkdtempSync(join(LOCAL, "start-up-"));
}

/** The project's program and an empty one, each as TypeScript and compiled. */
async function writePrograms(
    folder: string,
): Promise<{ [program in "empty" | "whole"]: { source: string; compiled: string } }> {
    const emptyFile = join(folder, "empty.ts");
    writeFileSync(emptyFile, "export {};\n");
    const compiled = join(folder, "compiled");
    const entries = { empty: emptyFile, whole: PROGRAM };
    await build({
        entryPoints: entries,
        outdir: compiled,
        bundle: true,
        packages: "external",
        platform: "node",
        format: "cjs",
        target: "node20",
        logLevel: "warning",
    });
    return {
        empty: { source: entries.empty, compiled: join(compiled, "empty.js") },
        whole: { source: entries.whole, compiled: join(compiled, "whole.js") },
    };
}

/** The file that a runner runs. */
function mainOf(program: { source: string; compiled: string }, { compiled, kept }: Runner): string {
    if (compiled === true) {
        return program.compiled;
    }
    return kept === true && program.source === PROGRAM ? join(PROJECT, "start.js") : program.source;
}

/** Seconds of one preview. */
async function preview(
    folder: string,
    { options, env }: Runner,
    main: string,
    config: { [key: string]: string },
): Promise<number> {
    const workspace = mkdtempSync(join(folder, "workspace-"));
    const values = Object.entries(config).map(([key, value]) => [`object-store:${key}`, value]);
    writeFileSync(
        join(workspace, "Pulumi.yaml"),
        stringify({ name: "object-store", runtime: { name: "nodejs", options }, main }),
    );
    writeFileSync(join(workspace, "Pulumi.bench.yaml"), stringify({ config: Object.fromEntries(values) as unknown }));
    const inWorkspace = {
        cwd: workspace,
        env: {
            ...process.env,
            PULUMI_BACKEND_URL: pathToFileURL(workspace).href,
            PULUMI_CONFIG_PASSPHRASE: "a passphrase for the benchmark",
            PULUMI_SKIP_UPDATE_CHECK: "true",
            DOCKER_HOST: testedEngine(),
            ...env,
        },
        timeout: 300,
    };
    await run(CLI, ["stack", "init", "bench"], inWorkspace);
    const begin = performance.now();
    await run(CLI, ["preview", "--non-interactive"], inWorkspace);
    return (performance.now() - begin) / 1000;
}

/** Reason why Node.js's own type stripping isn't among the runners. */
function typeStripping(): string {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const [neededMajor, neededMinor] = NODE_OF_TYPE_STRIPPING;
    const has = major > neededMajor || (major === neededMajor && minor >= neededMinor);
    return (
        (has
            ? `Node.js ${process.versions.node} strips types by itself, but not those of this program: `
            : `Node.js ${process.versions.node} doesn't strip types by itself, which ${NODE_OF_TYPE_STRIPPING.join(".")} and newer do; this program could not use it either: `) +
        "it has `export =` and parameter properties, which are more than types, and imports without file endings."
    );
}
