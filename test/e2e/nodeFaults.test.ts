import { setTimeout as sleep } from "node:timers/promises";
import { get } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { HaproxyRuntime, isUp } from "./harness/haproxyRuntime";
import { RequestsAtRate } from "./harness/steadyRequests";
import { standInStore } from "./harness/stores";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;
const SERVERS = ["node1", "node2", "node3"];

/** Requests that begin each second. */
const RATE = 20;

/** Longer than a connection may take, so that every request that waits for one has come to its end. */
const AFTERWARDS = 25 * SECOND;

describe("a cluster of which a node fails", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let proxy: HaproxyRuntime;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...standInStore().config, nodeCount: String(SERVERS.length) });
        await deployment.up();
        outputs = await deployment.outputs();
        proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
        await allUp();
    }, 180 * SECOND);

    afterAll(() => deployment.remove(), 120 * SECOND);

    const containerOf = (server: string) => host.docker.getContainer(`${deployment.clusterName}-pool1-${server}`);

    const stateOf = async (server: string) => (await proxy.states("s3"))[server];

    const allUp = () =>
        waitUntil("all nodes are in service", async () => Object.values(await proxy.states("s3")).every(isUp));

    const isDown = (server: string) =>
        waitUntil(`${server} is down`, async () => (await stateOf(server))?.startsWith("DOWN") === true);

    const eachHas = async (count: number) => {
        const running = await proxy.sessions("s3");
        return SERVERS.every((server) => running[server] === count);
    };

    /** Sends a GET to any node. */
    const ask = async (action: string) => {
        const { status } = await get(outputs, `${outputs.s3Endpoint}/service/${action}`);
        if (status !== 200) {
            throw new Error(`status ${status}`);
        }
    };

    test(
        "killed: requests that wait for a connection to it go to another node, and none fails",
        async () => {
            const load = new RequestsAtRate(RATE, () => ask("echo"));
            await sleep(2 * SECOND);
            await containerOf("node2").kill();
            try {
                await isDown("node2");
                await sleep(AFTERWARDS);
            } finally {
                const { answered, failures } = await load.stop();
                await containerOf("node2").start();
                expect(failures).toEqual([]);
                expect(answered).toBeGreaterThan(RATE * (AFTERWARDS / SECOND));
            }
            await allUp();
        },
        240 * SECOND,
    );

    test(
        "hanging: the requests on it end once it has been down for longer than a connection may take, and no others",
        async () => {
            const requests = Array.from({ length: 2 * SERVERS.length }, () => ask("slow?seconds=100"));
            const ends = requests.map((request) =>
                request.then(
                    () => ({ failure: "", at: Date.now() }),
                    (error: unknown) => ({ failure: String(error), at: Date.now() }),
                ),
            );
            await waitUntil("every node has two of them", () => eachHas(2));
            await containerOf("node2").pause();
            try {
                await isDown("node2");
                const downAt = Date.now();
                const all = await Promise.all(ends);
                const failed = all.filter(({ failure }) => failure !== "");
                expect(failed.map(({ failure }) => failure)).toEqual(Array(2).fill("Error: socket hang up"));
                // No response is sent: the connection closes.
                const lines = (await host.logs(proxy.container))
                    .split("\n")
                    .filter((line) => line.includes("/node2 ") && line.includes("/service/slow"));
                expect(lines).toEqual(Array(2).fill(expect.stringMatching(/ 500 0 - - K\S{3} /)));
                for (const { at } of failed) {
                    // The time at which it is down is seen up to a second later.
                    expect((at - downAt) / SECOND).toBeGreaterThan(9);
                    expect((at - downAt) / SECOND).toBeLessThan(20);
                }
            } finally {
                await containerOf("node2").unpause();
            }
            await allUp();
        },
        300 * SECOND,
    );

    test(
        "down for less than that: the requests on it go on to their end",
        async () => {
            const requests = SERVERS.map(() => ask("slow?seconds=30"));
            await waitUntil("every node has one of them", () => eachHas(1));
            await proxy.ask("set server s3/node2 health down");
            await isDown("node2");
            await sleep(5 * SECOND);
            await proxy.ask("set server s3/node2 health up");
            await Promise.all(requests);
            await allUp();
        },
        120 * SECOND,
    );
});
