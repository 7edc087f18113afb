import { setTimeout as sleep } from "node:timers/promises";
import { minioStore } from "./harness/stores";
import { HostsTarget } from "./hosts/hostsTarget";

const MINUTE = 60_000;

/** Longer than an engine tries to reach the swarm before it starts its containers, 20 s. */
const WITHOUT_QUORUM = 40_000;

/** Rounds of a watchdog that are waited for to see that it leaves something alone. */
const SEVERAL_ROUNDS = 35_000;

describe("a store over three hosts, all of them managers of the swarm", () => {
    let target: HostsTarget;

    const node = (number: number) => `${target.deployment.clusterName}-pool1-node${number}`;
    const stateOf = async (host: string, container: string) => (await target.engine(host).inspect(container)).State;
    const states = async (host: string) =>
        Promise.all(
            (await target.containers())[host]?.map(async (name) => [name, (await stateOf(host, name)).Status]) ?? [],
        );

    beforeAll(async () => {
        target = await HostsTarget.create(minioStore(), 3, { nodeCount: "3" });
        await target.join();
        await target.up();
        await target.untilWhole(120);
    }, 6 * MINUTE);

    afterAll(() => target.remove(), 2 * MINUTE);

    test(
        "gets whole by itself after all hosts have lost power, though one comes back long before the others",
        async () => {
            const { hosts } = target;
            await Promise.all(hosts.hosts.map(({ name }) => hosts.kill(name)));
            await hosts.start("a");
            await sleep(WITHOUT_QUORUM);
            console.log(JSON.stringify(await states("a")));
            await Promise.all(["b", "c"].map((name) => hosts.start(name)));
            await target.untilWhole(180);
        },
        6 * MINUTE,
    );

    test(
        "starts a node again that crashed while no other manager was there",
        async () => {
            const { hosts } = target;
            await Promise.all(["b", "c"].map((name) => hosts.kill(name)));
            await sleep(WITHOUT_QUORUM);
            await target.crash("a", node(1));
            await sleep(SEVERAL_ROUNDS);
            const { Status: status, Error: error } = await stateOf("a", node(1));
            console.log(status, error);
            await Promise.all(["b", "c"].map((name) => hosts.start(name)));
            await target.untilWhole(180);
        },
        6 * MINUTE,
    );

    test(
        "leaves a node alone that was stopped explicitly",
        async () => {
            await target.engine("a").docker.getContainer(node(1)).stop();
            await sleep(SEVERAL_ROUNDS);
            expect((await stateOf("a", node(1))).Status).toBe("exited");
            await target.engine("a").docker.getContainer(node(1)).start();
            await target.untilWhole(120);
        },
        3 * MINUTE,
    );
});
