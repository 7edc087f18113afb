import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { get, agentFor, s3ClientFor } from "../test/e2e/harness/clients";
import { Deployment, type DeploymentOutputs } from "../test/e2e/harness/deployment";
import { freePorts } from "../test/e2e/harness/freeResources";
import { beginUpload, LiveConnection } from "../test/e2e/harness/lastingTraffic";
import { standInStore } from "../test/e2e/harness/stores";
import type { BenchOptions, PartResult } from "./measurement";
import { alternate } from "./progress";
import { FRONT_END } from "./targets";

const PROBE_INTERVAL_MILLISECONDS = 20;
const PROBE_TIMEOUT_MILLISECONDS = 1000;

/** A client's activity while the proxy is replaced: starts it, and returns a function that ends it. */
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
    // The replacement of the proxy closes the connection.
    const ended = upload.status.catch(() => undefined);
    return async () => {
        markDone();
        await ended;
    };
}

/** Longest time, in seconds, between the starts of two consecutive answered requests during an action. */
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
    return Math.max(...answered.slice(1).map((time, index) => time - (answered[index] ?? 0))) / 1000;
}

/** Replaces the proxy by a change of its HTTP port, and returns the gap on the HTTPS port, which stays. */
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

/** Measures how long the proxy answers no client while an update replaces its container. */
export async function measureProxyReplacement({ rounds, only }: BenchOptions): Promise<PartResult> {
    const result: PartResult = {
        title: "Replacement of the proxy's container",
        ours: FRONT_END,
        metrics: [{ name: "no answer", unit: "seconds", better: "lower" }],
        measurements: [],
        notes: [
            `Seconds without an answered request, a new connection from loopback each ${PROBE_INTERVAL_MILLISECONDS} ms, while \`pulumi up\` ` +
                "replaces the proxy before the contract's stand-in.",
        ],
    };
    const deployment = await Deployment.create(standInStore().config);
    try {
        await deployment.up();
        const outputs = await deployment.outputs();
        await s3ClientFor(outputs).send(new CreateBucketCommand({ Bucket: "bench" }));
        const points = Object.entries(SITUATIONS)
            .map(([name, open]) => ({ name, open }))
            .filter(({ name }) => only?.test(name) ?? true);
        const subjects = [{ name: FRONT_END }];
        await alternate({ points, subjects, rounds, result }, async ({ open }) => ({
            "no answer": await measure(deployment, outputs, open),
        }));
        return result;
    } finally {
        await deployment.remove();
    }
}
