import { setTimeout as sleep } from "node:timers/promises";
import { DockerEngine } from "../../components/docker/engine";
import { RELOAD } from "../../components/proxy/proxyContainer";
import { SOCKET_DIRECTORY } from "../../components/proxyControl/proxyFiles";
import { ProxyServers } from "../../components/proxyControl/proxyServers";
import { LastingRequest } from "./harness/lastingRequest";
import { READINESS, RolloutCluster } from "./harness/rolloutCluster";
import { emptyImage, withAnotherBinary, type DerivedImage } from "./harness/rolloutImage";
import { killPulumi, signalPulumi } from "./harness/rolloutInterruption";
import { expectOneAtATime, isTakenOut, RolloutRecord, statesOf, takesRequests } from "./harness/rolloutRecord";
import { trafficDuring } from "./harness/rolloutTraffic";
import { testedEngine, testImages } from "./harness/testRun";
import { waitUntil } from "./harness/wait";

/** The stand-in's program prints the problem, and exits. */
const WRONG_VALUE = { ...READINESS, SERVICE_HEALTH_PEER_TIMEOUT_SECS: "never" };

const MINUTES = 60_000;

/** Short, for nodes that can't start: no update has to wait for them any longer. */
const FAILING_SECONDS = 10;
const READY_SECONDS = 30;

describe("a change of a running cluster that fails, is interrupted, or meets something else", () => {
    let cluster: RolloutCluster;
    let otherImage: DerivedImage | undefined;

    beforeAll(async () => {
        cluster = await RolloutCluster.start({ readyTimeout: String(READY_SECONDS), restartedAt: "today" });
        otherImage = await withAnotherBinary(cluster.host, testImages().standIn, {
            path: "/usr/local/share/service/service.js",
            ending: "// Another build.\n",
        });
    }, 2 * MINUTES);

    afterAll(async () => {
        await cluster.deployment.remove();
        await otherImage?.remove();
    }, MINUTES);

    const until = (condition: () => Promise<boolean>) => waitUntil(condition.toString(), condition);

    test(
        "an image that the engine can't start takes no node out of service",
        async () => {
            const before = await cluster.containers();
            const image = await emptyImage(cluster.host);
            await cluster.deployment.configure({ image: image.reference });
            const output = await cluster.deployment.upFailing();
            expect(output).toMatch(/image: .* can't be used for a container/);
            expect(output).not.toContain("waiting for its running requests to end");
            await cluster.deployment.configure({ image: testImages().standIn });
            await image.remove();
            expect(await cluster.containers()).toEqual(before);
            expect(statesOf(await cluster.view(), "node1")).toEqual(["UP", "UP"]);
        },
        2 * MINUTES,
    );

    test(
        "a value with which a node can't start stops the update at that node, which is named; once it is set back, only that node is rolled back",
        async () => {
            const before = await cluster.containers();
            await cluster.deployment.configure({
                environment: JSON.stringify(WRONG_VALUE),
                readyTimeout: String(FAILING_SECONDS),
            });
            let failure = "";
            const failing = await trafficDuring(
                cluster.outputs,
                async () => (failure = await cluster.deployment.upFailing()),
            );
            expect(failure).toContain(
                `${cluster.nameOf("node1")} is not ready ${FAILING_SECONDS} s after it was replaced`,
            );
            expect(failure).toContain("SERVICE_HEALTH_PEER_TIMEOUT_SECS is wrong");
            expect(failing.failures).toEqual([]);
            const stopped = await cluster.containers();
            expect(stopped[0]?.id).not.toBe(before[0]?.id);
            expect(stopped.slice(1)).toEqual(before.slice(1));

            await cluster.deployment.configure({
                environment: JSON.stringify(READINESS),
                readyTimeout: String(READY_SECONDS),
            });
            const corrected = await trafficDuring(cluster.outputs, () => cluster.deployment.up());
            expect(corrected.failures).toEqual([]);
            expect((await cluster.containers())[0]?.id).not.toBe(stopped[0]?.id);
            expect((await cluster.containers()).slice(1)).toEqual(before.slice(1));
            expect(takesRequests(await cluster.view(), "node1")).toBe(true);
        },
        5 * MINUTES,
    );

    test(
        "the next update ends a drain that a killed update has left; an operator's drain is kept",
        async () => {
            const before = await cluster.containers();
            await cluster.setState("node3", "drain");
            const lasting = new LastingRequest(cluster.outputs, "node1");
            await cluster.deployment.configure({ restartedAt: "tomorrow" });
            const killed = cluster.deployment.upFailing();
            await until(async () => isTakenOut(await cluster.view(), "node1"));
            killPulumi();
            await killed;
            expect((await lasting.release()).status).toBe(200);
            expect(isTakenOut(await cluster.view(), "node1")).toBe(true);

            await cluster.deployment.configure({ restartedAt: "today" });
            expect(Object.keys((await cluster.deployment.up()).changes)).toEqual(["same"]);
            expect(takesRequests(await cluster.view(), "node1")).toBe(true);
            expect(isTakenOut(await cluster.view(), "node3")).toBe(true);
            const notes = await cluster.host.exec(cluster.proxy.container, ["ls", SOCKET_DIRECTORY]);
            expect(notes).not.toContain("taken-out");
            expect(await cluster.containers()).toEqual(before);
            await cluster.setState("node3", "ready");
        },
        4 * MINUTES,
    );

    test.each(["SIGINT", "SIGTERM"] as const)(
        "%s during a drain: the node returns to service although a request still runs on it, and nothing is replaced",
        async (signal) => {
            const before = await cluster.containers();
            const lasting = new LastingRequest(cluster.outputs, "node1");
            await cluster.deployment.configure({ restartedAt: signal });
            const cancelled = cluster.deployment.upFailing();
            await until(async () => isTakenOut(await cluster.view(), "node1"));
            signalPulumi(signal);
            await cancelled;
            await until(async () => takesRequests(await cluster.view(), "node1"));
            expect((await lasting.release()).status).toBe(200);
            expect(await cluster.containers()).toEqual(before);
            expect(await cluster.host.exec(cluster.proxy.container, ["ls", SOCKET_DIRECTORY])).not.toContain(
                "taken-out",
            );
            await cluster.deployment.configure({ restartedAt: "today" });
        },
        4 * MINUTES,
    );

    test(
        "if Docker refuses to create a container, no node is left out, and the next update creates it",
        async () => {
            const before = await cluster.containers();
            const lasting = new LastingRequest(cluster.outputs, "node1");
            await cluster.deployment.configure({ restartedAt: "refused" });
            const failing = cluster.deployment.upFailing();
            await until(async () => isTakenOut(await cluster.view(), "node1"));
            // Once the previous container is removed, its name belongs to another one.
            await cluster.host.docker
                .getContainer(cluster.nameOf("node1"))
                .rename({ name: `${cluster.nameOf("node1")}-former` });
            const foreign = await cluster.host.docker.createContainer({
                name: cluster.nameOf("node1"),
                Image: testImages().standIn,
            });
            expect((await lasting.release()).status).toBe(200);
            expect(await failing).toContain("is already in use by container");
            await until(
                async () =>
                    !(await cluster.host.exec(cluster.proxy.container, ["ls", SOCKET_DIRECTORY])).includes("taken-out"),
            );
            expect(isTakenOut(await cluster.view(), "node1")).toBe(false);
            expect((await cluster.containers()).slice(1)).toEqual(before.slice(1));

            await foreign.remove();
            await cluster.deployment.configure({ restartedAt: "today" });
            await cluster.deployment.up();
            await until(async () => takesRequests(await cluster.view(), "node1"));
        },
        5 * MINUTES,
    );

    test(
        "a drain and a reload at the same moment: the new worker keeps the drain",
        async () => {
            const { Networks: networks } = (await cluster.host.inspect(cluster.nameOf("node3"))).NetworkSettings;
            const address = networks[`${cluster.deployment.clusterName}-nodes`]?.IPAddress ?? "";
            const engine = await DockerEngine.connect({
                host: testedEngine(),
            });
            const servers = new ProxyServers(engine, `${cluster.deployment.clusterName}-nodes`);
            for (let round = 0; round < 5; round++) {
                const reload = cluster.host.exec(cluster.proxy.container, ["/bin/sh", "-c", RELOAD]);
                await Promise.all([reload, sleep(40 * round).then(() => servers.set([address], "drain"))]);
                expect({ round, out: isTakenOut(await cluster.view(), "node3") }).toEqual({ round, out: true });
                await servers.set([address], "ready");
                await until(async () => takesRequests(await cluster.view(), "node3"));
            }
        },
        4 * MINUTES,
    );

    test(
        "if an operator has stopped a node, no node is replaced, and the stopped one is named",
        async () => {
            const before = await cluster.containers();
            await cluster.host.docker.getContainer(cluster.nameOf("node2")).stop();
            await cluster.deployment.configure({ image: otherImage?.reference ?? "" });
            const failure = await cluster.deployment.upFailing();
            expect(failure).toContain(`${cluster.nameOf("node2")} is exited`);
            expect(failure).toContain(`docker start ${cluster.nameOf("node2")}`);
            expect(await cluster.containers()).toEqual(before);
            await cluster.host.docker.getContainer(cluster.nameOf("node2")).start();
        },
        4 * MINUTES,
    );

    test(
        "with a node that can't start, another image stops the update at that node; once it is corrected the rest follow, at --parallel 1",
        async () => {
            const before = await cluster.containers();
            const onDrive = (script: string) =>
                cluster.host.runOnVolumes(
                    testImages().standIn,
                    { "/drive": `${cluster.nameOf("node2")}-drive1` },
                    script,
                );
            await onDrive("rm -r /drive/.service.sys && touch /drive/.service.sys");
            await cluster.host.docker.getContainer(cluster.nameOf("node2")).restart();
            await until(async () => (await cluster.host.inspect(cluster.nameOf("node2"))).RestartCount > 0);

            await cluster.deployment.configure({ readyTimeout: String(FAILING_SECONDS) });
            const failure = await cluster.deployment.upFailing();
            expect(failure).toContain(`${cluster.nameOf("node2")} is not ready`);
            expect(failure).toContain("the service can't start");
            const stopped = await cluster.containers();
            expect([stopped[0], stopped[2]]).toEqual([before[0], before[2]]);
            // Until its checks have failed, requests that can't be retried may still reach the node that is down.
            await until(async () => statesOf(await cluster.view(), "node2").every((state) => state.startsWith("DOWN")));

            await cluster.deployment.configure({ readyTimeout: String(READY_SECONDS) });
            await onDrive("rm /drive/.service.sys");
            let record: RolloutRecord | undefined;
            const { failures } = await trafficDuring(cluster.outputs, async () => {
                record = await RolloutRecord.of(cluster.deployment, () => cluster.deployment.up(1));
            });
            expect(failures).toEqual([]);
            // The node that kept exiting until it was corrected was not replaced a second time.
            expectOneAtATime(record as RolloutRecord, ["node1", "node3"], []);
            const after = await cluster.containers();
            const { Id: image } = await cluster.host.docker.getImage(otherImage?.reference ?? "").inspect();
            expect(after.map((container) => container.image)).toEqual([image, image, image]);
        },
        4 * MINUTES,
    );
});
