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
        return { node1: all["node1"], node2: all["node2"], reading: ofReads["node2"] };
    };

    const startedAt = async () => Date.parse((await node2().inspect()).State.StartedAt);

    const outUntil = async () => {
        await waitUntil("node2 is in service", async () => {
            const { node1, node2: own, reading } = await states();
            expect(isUp(node1)).toBe(true);
            return isUp(own) && isUp(reading);
        });
        return (Date.now() - (await startedAt())) / SECOND;
    };

    test(
        "stays out of service while it may deny what its peers have, however short its absence was",
        async () => {
            expect(isUp((await states()).node2)).toBe(true);
            await node2().restart();
            await waitUntil("node2 is out of service", async () => {
                const { node2: own, reading } = await states();
                return !isUp(own) && !isUp(reading);
            });
            expect(Date.now() - (await startedAt())).toBeLessThan(5 * SECOND);
            const seconds = await outUntil();
            expect(seconds).toBeGreaterThanOrEqual(DENIAL);
            // Two checks, 10 s apart.
            expect(seconds).toBeLessThan(DENIAL + 2 * 10 + 8);
        },
        120 * SECOND,
    );

    test(
        "is out from its last start on",
        async () => {
            await node2().restart();
            await sleep(10 * SECOND);
            await node2().restart();
            expect(await outUntil()).toBeGreaterThanOrEqual(DENIAL);
        },
        120 * SECOND,
    );

    test(
        "stays drained",
        async () => {
            await proxy.ask("set server s3/node2 state drain");
            await node2().restart();
            for (let second = 0; second < DENIAL; second++) {
                expect((await states()).node2).toMatch(/^DRAIN/);
                await sleep(SECOND);
            }
            await proxy.ask("set server s3/node2 state ready");
            await waitUntil("node2 is in service", async () => isUp((await states()).node2));
        },
        120 * SECOND,
    );

    test(
        "is not taken for started if it runs on, and the network loses it for a second",
        async () => {
            const changedBefore = Object.values(await proxy.lastChanges("s3")).map((change) => Date.now() - change);
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
            const changed = Object.values(await proxy.lastChanges("s3")).map((change) => Date.now() - change);
            // No server has changed its state since.
            changedBefore.forEach((age, place) => expect(changed[place]).toBeGreaterThan(age + 15 * SECOND));
        },
        60 * SECOND,
    );
});
