import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { Agent, request } from "node:https";
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { get, agentFor, s3ClientFor } from "../test/e2e/harness/clients";
import { Deployment, type DeploymentOutputs } from "../test/e2e/harness/deployment";
import { freePorts } from "../test/e2e/harness/freeResources";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import globalSetup from "../test/e2e/harness/globalSetup";
import { beginUpload, LiveConnection } from "../test/e2e/harness/lastingTraffic";
import { standInStore } from "../test/e2e/harness/stores";
import { runPrefix } from "../test/e2e/harness/testRun";

const RUNS = 5;
const PROBE_INTERVAL_MILLISECONDS = 20;
const PROBE_TIMEOUT_MILLISECONDS = 1000;

/** What clients have open while the proxy is replaced: it begins that, and gives what ends it. */
type OpenConnection = (outputs: DeploymentOutputs) => Promise<() => unknown>;

const SITUATIONS: { [name: string]: OpenConnection } = {
    "nothing open": () => Promise.resolve(() => undefined),
    "an idle kept connection": openIdle,
    "an open WebSocket": openWebSocket,
    "an upload that goes on": openUpload,
};

async function openIdle(outputs: DeploymentOutputs): Promise<() => unknown> {
    const agent = new Agent({ ...agentFor(outputs).options, keepAlive: true, maxSockets: 1 });
    await new Promise<void>((resolve, reject) => {
        const sent = request(`${outputs.s3Endpoint}/service/echo`, { agent }, (response) => {
            response.on("end", resolve).resume();
        });
        sent.on("error", reject).end();
    });
    return () => agent.destroy();
}

async function openWebSocket(outputs: DeploymentOutputs): Promise<() => unknown> {
    const connection = await LiveConnection.open(outputs);
    return () => connection.close();
}

async function openUpload(outputs: DeploymentOutputs): Promise<() => unknown> {
    let markDone: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (markDone = resolve));
    const upload = await beginUpload(outputs, "http/1.1", { bucket: "bench", key: "object" }, done);
    // It is cut off with the proxy.
    const ended = upload.status.catch(() => undefined);
    return async () => {
        markDone();
        await ended;
    };
}

/** Seconds between the beginnings of two answered requests with none in between, the longest while something lasts. */
async function longestGap(outputs: DeploymentOutputs, lasting: Promise<unknown>): Promise<number> {
    const answered: number[] = [];
    const probes: Promise<void>[] = [];
    const probe = async (begin: number) => {
        const answer = get(outputs, `${outputs.s3Endpoint}/service/echo`).catch(() => undefined);
        if ((await Promise.race([answer, sleep(PROBE_TIMEOUT_MILLISECONDS)]))?.status === 200) {
            answered.push(begin);
        }
    };
    const timer = setInterval(() => probes.push(probe(Date.now())), PROBE_INTERVAL_MILLISECONDS);
    try {
        await lasting;
    } finally {
        clearInterval(timer);
    }
    await Promise.all(probes);
    answered.sort((one, other) => one - other);
    return Math.max(...answered.slice(1).map((time, place) => time - (answered[place] ?? 0))) / 1000;
}

/** Replaces the proxy by another port for HTTP, and gives the gap on the port for HTTPS, which stays. */
async function measure(deployment: Deployment, outputs: DeploymentOutputs, open: OpenConnection): Promise<number> {
    const close = await open(outputs);
    try {
        const [httpPort] = await freePorts();
        await deployment.configure({ httpPort: String(httpPort) });
        return await longestGap(outputs, deployment.up());
    } finally {
        await close();
    }
}

function row(name: string, seconds: number[]): string {
    const sorted = [...seconds].sort((one, other) => one - other);
    const [minimum, median, maximum] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return `| ${[name, minimum, median, maximum].map((cell) => (typeof cell === "number" ? cell.toFixed(2) : cell)).join(" | ")} |`;
}

// npx tsx bench/proxyReplacement.ts: for how long the proxy answers nobody while an update replaces its container.
async function bench(): Promise<void> {
    globalSetup();
    const { Version: engine } = (await new DockerHost().docker.version()) as { Version: string };
    const results = new Map<string, number[]>();
    const deployment = await Deployment.create(standInStore().config);
    try {
        await deployment.up();
        const outputs = await deployment.outputs();
        await s3ClientFor(outputs).send(new CreateBucketCommand({ Bucket: "bench" }));
        for (let run = 1; run <= RUNS; run++) {
            for (const [name, open] of Object.entries(SITUATIONS)) {
                const seconds = await measure(deployment, outputs, open);
                console.error(`run ${run} of ${RUNS}, ${name}: ${seconds.toFixed(2)} s`);
                results.set(name, [...(results.get(name) ?? []), seconds]);
            }
        }
    } finally {
        await deployment.remove();
    }
    const left = await new DockerHost().removeEverythingOf(runPrefix());
    console.log(
        [
            `Measured ${new Date().toISOString().slice(0, 10)}: ${RUNS} runs of each, alternating in one process; seconds without an`,
            `answered request, a new connection from loopback each ${PROBE_INTERVAL_MILLISECONDS} ms, while \`pulumi up\` replaces the proxy.`,
            `${cpus().length} CPUs (${cpus()[0]?.model}), Docker ${engine}, Node.js ${process.version}.`,
            "",
            "| open meanwhile | minimum | median | maximum |",
            "|---|---|---|---|",
            ...[...results].map(([name, seconds]) => row(name, seconds)),
            ...(left.length > 0 ? ["", `Left behind and removed: ${left.join(", ")}`] : []),
        ].join("\n"),
    );
}

void bench();
