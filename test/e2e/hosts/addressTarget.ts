import { setTimeout as sleep } from "node:timers/promises";
import { request } from "node:https";
import type { DeploymentConfig } from "../harness/deployment";
import type { StateResource } from "../../../tools/pulumi/stackState";
import { expectedDeployment } from "../../../tools/stack/expectedDeployment";
import { queryHosts } from "../../../tools/status/queriedHosts";
import { askForStatus } from "../../../tools/status/questions";
import { problemsIn, type FloatingAddressStatus } from "../../../tools/status/report";
import { agentFor } from "../harness/clients";
import { minioStore } from "../harness/stores";
import { furtherImage } from "../harness/testRun";
import { HostsTarget } from "./hostsTarget";

/** The floating address of virtual hosts. */
export const FLOATING_ADDRESS = "10.99.0.100";

/** Three virtual hosts with MinIO, whose clients know the floating address only. */
export function floatingTarget(config: DeploymentConfig = {}): Promise<HostsTarget> {
    const image = furtherImage("keepalived");
    return HostsTarget.create(
        minioStore(),
        3,
        { nodeCount: "3", floatingAddress: JSON.stringify({ address: FLOATING_ADDRESS, image }), ...config },
        { images: [image], clientAddresses: [FLOATING_ADDRESS] },
    );
}

/** Names of the hosts that have the floating address. Hosts that don't answer have none. */
export async function holdersOf(target: HostsTarget): Promise<string[]> {
    const found = await Promise.all(
        target.hosts.hosts.map(async ({ name }) => {
            const text = await target
                .engine(name)
                .exec(`${target.deployment.clusterName}-${name}-keepalived`, ["ip", "-o", "-4", "address"])
                .catch(() => "");
            return text.includes(` ${FLOATING_ADDRESS}/32 `) ? [name] : [];
        }),
    );
    return found.flat();
}

/** What `npm run status` shows about the floating address, and the problems that name it. */
export async function statusOfAddress({
    deployment,
    hosts,
}: HostsTarget): Promise<{ hosts: FloatingAddressStatus[]; problems: string[] }> {
    const { checkpoint } = JSON.parse(deployment.state()) as { checkpoint: { latest: { resources: StateResource[] } } };
    const expected = expectedDeployment(checkpoint.latest.resources);
    const report = await askForStatus(await queryHosts(hosts.hosts), deployment.stackName, expected);
    const problems = problemsIn(report, { certificateDays: 0, freePercent: 0 }, Date.now());
    return {
        hosts: report.floatingAddress ?? [],
        problems: problems.filter((problem) => problem.includes(FLOATING_ADDRESS)),
    };
}

/**
 * Milliseconds without an answer at the address, as a client sees it that asks on a new connection every 100 ms and gives up
 * on each after one second: the longest time between two successive answers, or from the last answer to the end.
 */
export async function longestSilence(target: HostsTarget, during: () => Promise<unknown>): Promise<number> {
    const answers: number[] = [];
    const running = new Set<Promise<void>>();
    const end = new AbortController();
    const asking = (async () => {
        while (!end.signal.aborted) {
            const one = answered(target).then(
                () => void answers.push(Date.now()),
                () => undefined,
            );
            running.add(one);
            void one.then(() => running.delete(one));
            await sleep(100);
        }
    })();
    await sleep(1000);
    await during().finally(() => end.abort());
    await asking;
    await Promise.all(running);
    answers.sort((one, other) => one - other).push(Date.now());
    return Math.max(...answers.slice(1).map((end, index) => end - (answers[index] ?? end)));
}

/** One request that the proxy answers by itself, since it has no such hostname. */
export function answered({ outputs }: Pick<HostsTarget, "outputs">): Promise<void> {
    const agent = agentFor(outputs);
    const { hostname: servername } = new URL(outputs.consoleUrl);
    return new Promise((resolve, reject) => {
        const headers = { host: "nobody.localhost" };
        const sent = request(outputs.consoleUrl, { agent, servername, headers }, (answer) => {
            answer
                .resume()
                .on("end", () => (answer.statusCode === 404 ? resolve() : reject(new Error("another answer"))));
        });
        const timer = setTimeout(() => sent.destroy(new Error("no answer")), 1000);
        sent.on("error", reject)
            .on("close", () => clearTimeout(timer))
            .end();
    });
}
