import { setTimeout as sleep } from "node:timers/promises";
import { Deployment } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { HaproxyRuntime, isUp } from "./harness/haproxyRuntime";
import { minioStore } from "./harness/stores";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;

/** Seconds after its start for which a node of MinIO may deny what its peers have. */
const DENIAL = 17;

describe("a node of MinIO that starts", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let proxy: HaproxyRuntime;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...minioStore().config, nodeCount: "3" });
        await deployment.up();
        proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
    }, 300 * SECOND);

    afterAll(() => deployment.remove(), 120 * SECOND);

    const node2 = () => host.docker.getContainer(`${deployment.clusterName}-pool1-node2`);

    const states = async () => {
        const [all, ofReads] = await Promise.all([proxy.states("s3"), proxy.states("s3_read")]);
        return [all["node2"], ofReads["node2"]];
    };

    const inService = () => waitUntil("node2 is in service", async () => (await states()).every(isUp));

    const startedAt = async () => Date.parse((await node2().inspect()).State.StartedAt);

    /** Times at which the proxy said that a server is up, or down, since another time. */
    const saidOf = async (server: string, state: "UP" | "DOWN", since: number) =>
        (await host.timedLines(proxy.container, since))
            .filter((line) => line.includes(`Server ${server} is ${state}`))
            .map((line) => Date.parse(line.slice(0, line.indexOf(" "))))
            .filter((time) => time >= since);

    /**
     * Waits until node2 has been taken out after a time, and is in service again. Returns when that was in a backend, in
     * seconds after its start.
     */
    const absence = async (since: number, backend: string) => {
        const server = `${backend}/node2`;
        await waitUntil(`${server} is out of service`, async () => (await saidOf(server, "DOWN", since)).length > 0);
        const [out = 0] = await saidOf(server, "DOWN", since);
        await waitUntil(`${server} is in service`, async () => (await saidOf(server, "UP", out)).length > 0);
        const [returned = 0] = await saidOf(server, "UP", out);
        const start = await startedAt();
        return { out: (out - start) / SECOND, returned: (returned - start) / SECOND };
    };

    /** Time since the last change of each server's state, in milliseconds. */
    const unchangedFor = async () => Object.values(await proxy.lastChanges("s3")).map((change) => Date.now() - change);

    const expectNoChange = async (before: number[], seconds: number) => {
        const now = await unchangedFor();
        before.forEach((age, index) => expect(now[index]).toBeGreaterThan(age + seconds * SECOND));
    };

    test(
        "stays out of service while it may deny what its peers have, however short its absence was",
        async () => {
            await inService();
            const begun = Date.now();
            await node2().restart();
            for (const backend of ["s3", "s3_read"]) {
                const { out, returned } = await absence(begun, backend);
                expect(out).toBeLessThan(10);
                expect(returned).toBeGreaterThanOrEqual(DENIAL);
                // Two checks, 10 s apart.
                expect(returned).toBeLessThan(DENIAL + 2 * 10 + 8);
            }
            expect(await saidOf("s3/node1", "DOWN", begun)).toEqual([]);
        },
        120 * SECOND,
    );

    test(
        "is out from its last start on",
        async () => {
            const begun = Date.now();
            await node2().restart();
            await sleep(10 * SECOND);
            await node2().restart();
            expect((await absence(begun, "s3")).returned).toBeGreaterThanOrEqual(DENIAL);
        },
        120 * SECOND,
    );

    test(
        "stays drained",
        async () => {
            await proxy.ask("set server s3/node2 state drain");
            await node2().restart();
            for (let second = 0; second < DENIAL; second++) {
                expect((await states())[0]).toMatch(/^DRAIN/);
                await sleep(SECOND);
            }
            await proxy.ask("set server s3/node2 state ready");
            await inService();
        },
        120 * SECOND,
    );

    test(
        "stays out too if the proxy has no processor time while it restarts",
        async () => {
            const begun = Date.now();
            await host.whilePaused(proxy.container, () => node2().restart());
            expect((await absence(begun, "s3")).returned).toBeGreaterThanOrEqual(DENIAL);
        },
        120 * SECOND,
    );

    test(
        "is not taken for started if the proxy has no processor time for longer than an answer may take",
        async () => {
            const before = await unchangedFor();
            await host.whilePaused(proxy.container, () => sleep(13 * SECOND));
            await sleep(5 * SECOND);
            await expectNoChange(before, 15);
        },
        60 * SECOND,
    );

    test(
        "stays out too if it hung for longer than an answer may take before it ended",
        async () => {
            await host.whilePaused(node2().id, () => sleep(15 * SECOND));
            const begun = Date.now();
            await node2().restart({ t: 0 });
            expect((await absence(begun, "s3")).returned).toBeGreaterThanOrEqual(DENIAL);
        },
        120 * SECOND,
    );

    test(
        "is not taken for started if it runs on, and the network loses it for a second",
        async () => {
            const before = await unchangedFor();
            const { NetworkSettings: settings } = await node2().inspect();
            const [name = ""] = Object.keys(settings.Networks);
            const network = host.docker.getNetwork(name);
            await network.disconnect({ Container: node2().id });
            await sleep(SECOND);
            await network.connect({
                Container: node2().id,
                EndpointConfig: { IPAMConfig: { IPv4Address: settings.Networks[name]?.IPAddress } },
            });
            await sleep(20 * SECOND);
            await expectNoChange(before, 15);
        },
        60 * SECOND,
    );
});
