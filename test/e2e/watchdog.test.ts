import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "./harness/wait";
import { minioStore } from "./harness/stores";
import { HostsTarget } from "./hosts/hostsTarget";

const MINUTE = 60_000;

/** Longer than an engine tries to reach the swarm before it starts its containers, 20 s. */
const WITHOUT_QUORUM = 40_000;

/** Rounds of a watchdog that are waited for to see that it leaves something alone. */
const SEVERAL_ROUNDS = 35_000;

describe("a store over three hosts, all of them managers, gets whole by itself", () => {
    let target: HostsTarget;

    const node = (number: number) => `${target.deployment.clusterName}-pool1-node${number}`;
    const stateOf = async (host: string, container: string) => (await target.engine(host).inspect(container)).State;
    const states = async (host: string, containers: string[]) =>
        Promise.all(containers.map(async (container) => (await stateOf(host, container)).Status));
    const watchdogLog = async (host: string) => {
        const watchdog = target.engine(host).docker.getContainer(`${target.deployment.clusterName}-${host}-watchdog`);
        return String(await watchdog.logs({ stdout: true, stderr: true }));
    };

    beforeAll(async () => {
        target = await HostsTarget.create(minioStore(), 3, { nodeCount: "3" });
        await target.join();
        await target.up();
        await target.untilWhole(120);
    }, 6 * MINUTE);

    afterAll(() => target.remove(), 2 * MINUTE);

    test(
        "after all hosts have lost power, and one has come back long before the others",
        async () => {
            const { hosts } = target;
            await Promise.all(hosts.hosts.map(({ name }) => hosts.kill(name)));
            await hosts.start("a");
            await sleep(WITHOUT_QUORUM);
            // The engine has given up; it needs the other managers.
            const proxy = `${target.deployment.clusterName}-a-proxy`;
            expect(await states("a", [proxy, node(1)])).toEqual(["exited", "exited"]);
            await Promise.all(["b", "c"].map((name) => hosts.start(name)));
            await target.untilWhole(180);
        },
        6 * MINUTE,
    );

    test(
        "after a node has crashed while the other managers were away",
        async () => {
            const { hosts } = target;
            await Promise.all(["b", "c"].map((name) => hosts.kill(name)));
            await sleep(WITHOUT_QUORUM);
            await target.crash("a", node(1));
            await sleep(SEVERAL_ROUNDS);
            const { Status: status, Error: error } = await stateOf("a", node(1));
            expect(status).toBe("exited");
            expect(error).not.toBe("");
            await Promise.all(["b", "c"].map((name) => hosts.start(name)));
            await target.untilWhole(180);
            expect(await watchdogLog("a")).toContain(`${node(1)}: started; the Docker daemon couldn't: `);
        },
        6 * MINUTE,
    );

    test(
        "after an engine was killed, whose successor ends the containers that went on meanwhile",
        async () => {
            const { clusterName } = target.deployment;
            const serving = [node(2), `${clusterName}-b-proxy`];
            const before = await Promise.all(serving.map((name) => target.engine("b").inspect(name)));
            await target.hosts.crash("b");
            await target.untilWhole(120);
            for (const [index, name] of serving.entries()) {
                const { Id: id, State: state } = await target.engine("b").inspect(name);
                expect(id).toBe(before[index]?.Id);
                expect(Date.parse(state.StartedAt)).toBeGreaterThan(Date.parse(before[index]?.State.StartedAt ?? ""));
            }
            expect(await watchdogLog("b")).toContain(
                `${node(2)}: started; the Docker daemon had ended it when it started itself`,
            );
        },
        4 * MINUTE,
    );

    test(
        "except for a node that was stopped explicitly before its engine was killed",
        async () => {
            await target.engine("c").docker.getContainer(node(3)).stop();
            await target.hosts.crash("c");
            const proxy = `${target.deployment.clusterName}-c-proxy`;
            await waitUntil("the proxy runs", async () => (await stateOf("c", proxy)).Running, 90);
            await sleep(SEVERAL_ROUNDS);
            expect((await stateOf("c", node(3))).Status).toBe("exited");
            await target.engine("c").docker.getContainer(node(3)).start();
            await target.untilWhole(120);
        },
        5 * MINUTE,
    );

    test(
        "except for a node that was stopped explicitly",
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
