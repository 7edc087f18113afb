import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { throwUnlessMissing } from "../../../components/docker/dockerErrors";
import { PROJECT } from "../../../tools/paths";
import type { DockerHost } from "./dockerHost";
import { freePorts } from "./freeResources";
import { furtherImage } from "./testRun";
import { waitUntil } from "./wait";

/** Folder of the example. */
export const MONITORING = join(PROJECT, "examples", "monitoring");

/** One time series of a response, with its value. */
export interface Sample {
    metric: { [label: string]: string };
    value: number;
}

/** State of one scrape target in Prometheus. */
export interface Target {
    job: string;
    instance: string;
    health: string;
    lastError: string;
}

const ANSWER_MILLISECONDS = 10_000;

/** The example's Prometheus next to a deployment, started by the example's script. Only its intervals are shorter. */
export class Prometheus {
    private constructor(
        private readonly host: DockerHost,
        private readonly clusterName: string,
        private readonly folder: string,
        private readonly port: number,
    ) {}

    /** @param minioToken The token with which MinIO gives its metrics. Default: none. */
    static async start(host: DockerHost, clusterName: string, minioToken = ""): Promise<Prometheus> {
        const folder = mkdtempSync(join(tmpdir(), "monitoring-"));
        cpSync(MONITORING, folder, { recursive: true });
        // Additional targets of the user.
        rmSync(join(folder, "prometheus", "targets"), { recursive: true, force: true });
        // The unchanged rules, for promtool's own tests.
        cpSync(join(MONITORING, "prometheus"), join(folder, "prometheus", "unchanged"), { recursive: true });
        const change = (file: string, pattern: RegExp, replacement: string) => {
            const path = join(folder, "prometheus", file);
            writeFileSync(path, readFileSync(path, "utf8").replaceAll(pattern, replacement));
        };
        writeFileSync(join(folder, "prometheus", "minio-token"), minioToken);
        change("prometheus.yml", /_interval: \w+$/gm, "_interval: 2s");
        change("rules.yml", /for: \w+$/gm, "for: 3s");
        const [port] = await freePorts();
        const prometheus = new Prometheus(host, clusterName, folder, port);
        try {
            await prometheus.runScript();
            return prometheus;
        } catch (error) {
            await prometheus.remove();
            throw error;
        }
    }

    get containerName(): string {
        return `${this.clusterName}-prometheus`;
    }

    /** Runs the example's script, and waits until Prometheus answers. */
    async runScript(): Promise<void> {
        execFileSync("sh", [join(this.folder, "prometheus.sh"), this.clusterName, String(this.port)], {
            env: { ...process.env, PROMETHEUS_IMAGE: furtherImage("prometheus") },
            encoding: "utf8",
        });
        const isReady = async () => (await this.get("/-/ready").catch(() => undefined)) !== undefined;
        await this.until("it is ready", isReady);
    }

    /** Runs promtool on Prometheus' files, in a folder below its own. */
    promtool(...args: string[]): Promise<string> {
        return this.host.exec(this.containerName, ["promtool", ...args]);
    }

    /** The value of an expression, now or at a time in seconds since 1970. */
    async query(expression: string, time?: number): Promise<Sample[]> {
        const parameters = new URLSearchParams({
            query: expression,
            ...(time === undefined ? {} : { time: String(time) }),
        });
        const { result } = await this.data<{
            result: { metric: Sample["metric"]; value: [number, string] }[];
        }>(`/api/v1/query?${parameters.toString()}`);
        return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    }

    async targets(): Promise<Target[]> {
        const { activeTargets } = await this.data<{
            activeTargets: { labels: { job: string; instance: string }; health: string; lastError: string }[];
        }>("/api/v1/targets");
        return activeTargets.map(({ labels: { job, instance }, health, lastError }) => ({
            job,
            instance,
            health,
            lastError,
        }));
    }

    /** Each rule with the result of its last evaluation: `ok`, `err`, `unknown`. */
    async rules(): Promise<{ name: string; health: string; lastError?: string }[]> {
        const { groups } = await this.data<{
            groups: { rules: { name: string; health: string; lastError?: string }[] }[];
        }>("/api/v1/rules");
        return groups.flatMap(({ rules }) => rules);
    }

    /** Waits until an expression has a value. */
    async untilSome(expression: string): Promise<Sample[]> {
        let samples: Sample[] = [];
        await this.until(`${expression} has a value`, async () => (samples = await this.query(expression)).length > 0);
        return samples;
    }

    /** Waits until an expression has no value. */
    untilNone(expression: string): Promise<void> {
        return this.until(`${expression} has no value`, async () => (await this.query(expression)).length === 0);
    }

    /** Waits until a condition holds. */
    until(what: string, holds: () => Promise<boolean>): Promise<void> {
        return waitUntil(what, holds);
    }

    /** Removes its container, so that the node network can be removed. The rest is removed with the deployment. */
    async remove(): Promise<void> {
        await this.host.docker.getContainer(this.containerName).remove({ force: true }).catch(throwUnlessMissing);
        rmSync(this.folder, { recursive: true, force: true });
    }

    private async data<Data>(path: string): Promise<Data> {
        const { status, data, error } = JSON.parse(await this.get(path)) as {
            status: string;
            data: Data;
            error?: string;
        };
        if (status !== "success") {
            throw new Error(`${path} failed: ${error}`);
        }
        return data;
    }

    private async get(path: string): Promise<string> {
        // A request that is sent during its start may never be answered, and fetch itself would wait five minutes.
        const signal = AbortSignal.timeout(ANSWER_MILLISECONDS);
        const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { signal });
        if (!response.ok && response.status !== 400) {
            throw new Error(`${path} was answered with ${response.status}`);
        }
        return response.text();
    }
}
