import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { agentFor } from "./clients";
import type { DeploymentOutputs } from "./deployment";

/** One answered request; times in milliseconds. */
export interface AnsweredRequest {
    begun: number;
    ended: number;
    /** The node that answered. */
    server: string;
}

/** Results of requests that are never retried. */
export interface TrafficReport {
    answered: AnsweredRequest[];
    /** For each request that wasn't answered with 200: the time of its end, and its error. */
    failures: { time: string; reason: string }[];
}

const PAUSE_MILLISECONDS = 150;
const TIMEOUT_MILLISECONDS = 10_000;

/**
 * Sends requests to both hostnames of the stand-in while an action runs. They are POSTs, each on a new connection, so
 * neither the proxy nor a client may retry them.
 */
export async function trafficDuring(outputs: DeploymentOutputs, work: () => Promise<unknown>): Promise<TrafficReport> {
    const report: TrafficReport = { answered: [], failures: [] };
    let going = true;
    const urls = [outputs.s3Endpoint, outputs.consoleUrl].map((url) => `${url}/service/echo`);
    const clients = Promise.all(urls.map((url) => sendUntilEnd(outputs, url, report, () => going)));
    try {
        await work();
    } finally {
        going = false;
        await clients;
    }
    return report;
}

async function sendUntilEnd(
    outputs: DeploymentOutputs,
    url: string,
    { answered, failures }: TrafficReport,
    goesOn: () => boolean,
): Promise<void> {
    while (goesOn()) {
        const begun = Date.now();
        try {
            const node = await nodeThatAnswers(outputs, url);
            answered.push({ begun, ended: Date.now(), server: node.replace(/^.*-/, "") });
        } catch (error) {
            failures.push({ time: new Date().toISOString(), reason: `${url}: ${String(error)}` });
        }
        await sleep(PAUSE_MILLISECONDS);
    }
}

/** Sends one request, and returns the name of the node that answered. */
function nodeThatAnswers(outputs: DeploymentOutputs, url: string): Promise<string> {
    return new Promise((resolve, reject) => {
        const { hostname: servername } = new URL(url);
        const agent = agentFor(outputs);
        const sent = request(url, { method: "POST", agent, servername, timeout: TIMEOUT_MILLISECONDS }, (answer) => {
            let text = "";
            answer.setEncoding("utf8").on("data", (part: string) => (text += part));
            answer.on("error", reject).on("end", () => {
                if (answer.statusCode === 200) {
                    resolve((JSON.parse(text) as { node: string }).node);
                } else {
                    reject(new Error(`status ${answer.statusCode}`));
                }
            });
        });
        sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
        sent.on("error", reject).end();
    });
}
