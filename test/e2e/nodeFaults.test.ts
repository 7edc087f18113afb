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

    // So that a test that fails doesn't fail the next ones.
    afterEach(() => allUp(), 200 * SECOND);

    afterAll(() => deployment.remove(), 120 * SECOND);

    const containerOf = (server: string) => host.docker.getContainer(`${deployment.clusterName}-pool1-${server}`);

    const stateOf = async (server: string) => (await proxy.states("s3"))[server];

    const allUp = () =>
        waitUntil("all nodes are in service", async () => Object.values(await proxy.states("s3")).every(isUp));

    const isDown = (server: string) =>
        waitUntil(`${server} is down`, async () => (await stateOf(server))?.startsWith("DOWN") === true);

    /** Sends a GET to any node. */
    const ask = async (action: string) => {
        const { status } = await get(outputs, `${outputs.s3Endpoint}/service/${action}`);
        if (status !== 200) {
            throw new Error(`status ${status}`);
        }
    };

    /** Begins requests that last, one after the other, so that each node gets the same number of them. */
    const askEach = async (count: number, action: string) => {
        const requests: Promise<string>[] = [];
        for (let number = 1; number <= count * SERVERS.length; number++) {
            requests.push(
                ask(action).then(
                    () => "",
                    (error: unknown) => String(error),
                ),
            );
            await waitUntil(`${number} requests run`, async () => {
                const running = Object.values(await proxy.sessions("s3"));
                return running.reduce((sum, own) => sum + own, 0) === number;
            });
        }
        expect(Object.values(await proxy.sessions("s3"))).toEqual(Array(SERVERS.length).fill(count));
        return requests;
    };

    /** Lines of the proxy's log since a time that match a pattern, each with its time. */
    const logged = async (since: number, pattern: RegExp) =>
        (await host.timedLines(proxy.container, since))
            .filter((line) => pattern.test(line))
            .map((line) => ({ line, at: Date.parse(line.slice(0, line.indexOf(" "))) }));

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
        },
        240 * SECOND,
    );

    test(
        "hanging: the requests on it end once it has been down for longer than a connection may take, and no others",
        async () => {
            const begun = Date.now();
            const requests = await askEach(2, "slow?seconds=100");
            await host.whilePaused(containerOf("node2").id, async () => {
                const failures = (await Promise.all(requests)).filter((failure) => failure !== "");
                expect(failures).toEqual(Array(2).fill("Error: socket hang up"));
            });
            const [down] = await logged(begun, /Server s3\/node2 is DOWN/);
            // No response is sent: the connection closes.
            const ends = await logged(begun, /\/node2 .* 500 0 - - K\S{3} .*\/service\/slow/);
            expect(ends).toHaveLength(2);
            for (const { at } of ends) {
                const seconds = (at - (down?.at ?? 0)) / SECOND;
                expect(seconds).toBeGreaterThan(9);
                expect(seconds).toBeLessThan(20);
            }
        },
        300 * SECOND,
    );

    test(
        "down for less than that: the requests on it go on to their end",
        async () => {
            const requests = await askEach(1, "slow?seconds=30");
            await proxy.ask("set server s3/node2 health down");
            await isDown("node2");
            await sleep(5 * SECOND);
            await proxy.ask("set server s3/node2 health up");
            expect(await Promise.all(requests)).toEqual(SERVERS.map(() => ""));
        },
        120 * SECOND,
    );
});
