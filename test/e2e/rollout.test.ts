import { setTimeout as sleep } from "node:timers/promises";
import { DockerEngine } from "../../components/engine/dockerEngine";
import { SOCKET_DIRECTORY } from "../../components/traffic/proxyFiles";
import { RELOAD } from "../../components/frontEnd/proxyContainer";
import { ProxyServers } from "../../components/traffic/proxyServers";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { HaproxyRuntime, type BackendName } from "./harness/haproxyRuntime";
import { LastingRequest, type LastingAnswer } from "./harness/lastingRequest";
import { emptyImage, withAnotherBinary, type DerivedImage } from "./harness/rolloutImage";
import { killPulumi, signalPulumi } from "./harness/rolloutInterruption";
import {
    expectOneAtATime,
    isTakenOut,
    RolloutRecord,
    statesOf,
    takesRequests,
    type ProxyView,
} from "./harness/rolloutRecord";
import { trafficDuring } from "./harness/rolloutTraffic";
import { standInStore } from "./harness/stores";
import { testedEngine, testImages } from "./harness/testRun";
import { waitUntil } from "./harness/wait";

const SERVERS = ["node1", "node2", "node3"];

/** Readiness queries the other nodes and needs most of them, as with other stores. */
const READINESS = { SERVICE_HEALTH_PEER_TIMEOUT_SECS: "2", SERVICE_INTERNODE_CONNECT_TIMEOUT_SECS: "1" };

/** The stand-in's program prints the problem, and exits. */
const WRONG_VALUE = { ...READINESS, SERVICE_HEALTH_PEER_TIMEOUT_SECS: "never" };

const MINUTES = 60_000;

/** Seconds for which the first node has to stay drained while a request runs on it. Without one it takes less than a second. */
const HELD_SECONDS = 5;

/** Shorter, for nodes that can't start: no update has to wait for them any longer. */
const FAILING_SECONDS = 10;
const READY_SECONDS = 30;

describe("a change of a running cluster", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let proxy: HaproxyRuntime;
    let otherImage: DerivedImage | undefined;

    beforeAll(async () => {
        deployment = await Deployment.create({
            ...standInStore().config,
            nodeCount: String(SERVERS.length),
            environment: JSON.stringify(READINESS),
            readyTimeout: String(READY_SECONDS),
        });
        await deployment.up();
        outputs = await deployment.outputs();
        proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
        otherImage = await withAnotherBinary(host, testImages().standIn, {
            path: "/usr/local/share/service/service.js",
            ending: "// Another build.\n",
        });
    }, 2 * MINUTES);

    afterAll(async () => {
        await deployment.remove();
        await otherImage?.remove();
    }, MINUTES);

    const nameOf = (server: string) => `${deployment.clusterName}-pool1-${server}`;

    /** Properties of each node's container that change with a replacement. */
    const containers = async () => {
        const found = await Promise.all(SERVERS.map((server) => host.inspect(nameOf(server))));
        return found.map(({ Id: id, Image: image }) => ({ id, image }));
    };

    const setState = async (server: string, state: "ready" | "drain") => {
        for (const backend of ["s3", "console"] satisfies BackendName[]) {
            await proxy.ask(`set server ${backend}/${server} state ${state}`);
        }
    };

    const view = async () => ({
        asked: 0,
        answered: 0,
        states: { s3: await proxy.states("s3"), console: await proxy.states("console") },
    });

    const until = (condition: () => Promise<boolean>) => waitUntil(condition.toString(), condition);

    /** Releases a request some time after the proxy has shown its node as drained. */
    const endAfterDrain = async (lasting: LastingRequest, views: readonly ProxyView[]): Promise<LastingAnswer> => {
        await until(() => Promise.resolve(views.some((seen) => isTakenOut(seen, "node1"))));
        await sleep(HELD_SECONDS * 1000);
        // Maintenance, which comes before the replacement, must not begin before the request has ended.
        expect(statesOf(await view(), "node1")).toEqual(["DRAIN", "DRAIN"]);
        return lasting.release();
    };

    test(
        "a new value of restartedAt replaces every node, one at a time, and no request fails",
        async () => {
            const before = await containers();
            const lasting = new LastingRequest(outputs, "node1");
            let record: RolloutRecord | undefined;
            let answer: LastingAnswer | undefined;
            await deployment.configure({ restartedAt: "today" });
            const { answered, failures } = await trafficDuring(outputs, async () => {
                record = await RolloutRecord.of(deployment, async (views) => {
                    const rolled = deployment.up();
                    try {
                        answer = await Promise.race([endAfterDrain(lasting, views), rolled.then(() => undefined)]);
                    } finally {
                        await rolled;
                    }
                });
            });
            expect(failures).toEqual([]);
            expect(answered.length).toBeGreaterThan(100);
            expectOneAtATime(record as RolloutRecord, SERVERS);
            const after = await containers();
            expect(after.map(({ id }, place) => id === before[place]?.id)).toEqual([false, false, false]);

            const replacements = (record as RolloutRecord).replacements();
            expect(answer).toMatchObject({ status: 200, node: nameOf("node1") });
            expect(answer?.ended).toBeLessThan(replacements[0]?.gone ?? 0);

            const { views } = record as RolloutRecord;
            for (const { server, started = 0 } of replacements) {
                // From when the proxy had reported it as out of service until the last query before it reported it as
                // up in one backend.
                const isUpSomewhere = (seen: ProxyView) =>
                    statesOf(seen, server).some((state) => state.startsWith("UP"));
                const up = views.findIndex((seen) => seen.asked > started && isUpSomewhere(seen));
                const out = views.find((seen) => isTakenOut(seen, server))?.answered ?? Infinity;
                const until = views[up - 1]?.asked ?? 0;
                const meanwhile = answered.filter(({ begun, ended: end }) => begun > out && end < until);
                expect(meanwhile.length).toBeGreaterThan(20);
                expect(meanwhile.filter((request) => request.server === server)).toEqual([]);
            }
        },
        5 * MINUTES,
    );

    test(
        "an image that the engine can't start takes no node out of service",
        async () => {
            const before = await containers();
            const image = await emptyImage(host);
            await deployment.configure({ image: image.reference });
            const output = await deployment.upFailing();
            expect(output).toMatch(/image: .* can't be used for a container/);
            expect(output).not.toContain("waiting for its running requests to end");
            await deployment.configure({ image: testImages().standIn });
            await image.remove();
            expect(await containers()).toEqual(before);
            expect(statesOf(await view(), "node1")).toEqual(["UP", "UP"]);
        },
        2 * MINUTES,
    );

    test(
        "a value with which a node can't start stops the update at that node, which is named; once it is set back, only that node is rolled back",
        async () => {
            const before = await containers();
            await deployment.configure({
                environment: JSON.stringify(WRONG_VALUE),
                readyTimeout: String(FAILING_SECONDS),
            });
            let failure = "";
            const failing = await trafficDuring(outputs, async () => (failure = await deployment.upFailing()));
            expect(failure).toContain(`${nameOf("node1")} is not ready ${FAILING_SECONDS} s after it was replaced`);
            expect(failure).toContain("SERVICE_HEALTH_PEER_TIMEOUT_SECS is wrong");
            expect(failing.failures).toEqual([]);
            const stopped = await containers();
            expect(stopped[0]?.id).not.toBe(before[0]?.id);
            expect(stopped.slice(1)).toEqual(before.slice(1));

            await deployment.configure({
                environment: JSON.stringify(READINESS),
                readyTimeout: String(READY_SECONDS),
            });
            const corrected = await trafficDuring(outputs, () => deployment.up());
            expect(corrected.failures).toEqual([]);
            expect((await containers())[0]?.id).not.toBe(stopped[0]?.id);
            expect((await containers()).slice(1)).toEqual(before.slice(1));
            expect(takesRequests(await view(), "node1")).toBe(true);
        },
        5 * MINUTES,
    );

    test(
        "the next update ends a drain that a killed update has left; an operator's drain is kept",
        async () => {
            const before = await containers();
            await setState("node3", "drain");
            const lasting = new LastingRequest(outputs, "node1");
            await deployment.configure({ restartedAt: "tomorrow" });
            const killed = deployment.upFailing();
            await until(async () => isTakenOut(await view(), "node1"));
            killPulumi();
            await killed;
            expect((await lasting.release()).status).toBe(200);
            expect(isTakenOut(await view(), "node1")).toBe(true);

            await deployment.configure({ restartedAt: "today" });
            expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
            expect(takesRequests(await view(), "node1")).toBe(true);
            expect(isTakenOut(await view(), "node3")).toBe(true);
            const notes = await host.exec(proxy.container, ["ls", SOCKET_DIRECTORY]);
            expect(notes).not.toContain("taken-out");
            expect(await containers()).toEqual(before);
            await setState("node3", "ready");
        },
        4 * MINUTES,
    );

    test.each(["SIGINT", "SIGTERM"] as const)(
        "%s during a drain: the node returns to service although a request still runs on it, and nothing is replaced",
        async (signal) => {
            const before = await containers();
            const lasting = new LastingRequest(outputs, "node1");
            await deployment.configure({ restartedAt: signal });
            const cancelled = deployment.upFailing();
            await until(async () => isTakenOut(await view(), "node1"));
            signalPulumi(signal);
            await cancelled;
            await until(async () => takesRequests(await view(), "node1"));
            expect((await lasting.release()).status).toBe(200);
            expect(await containers()).toEqual(before);
            expect(await host.exec(proxy.container, ["ls", SOCKET_DIRECTORY])).not.toContain("taken-out");
            await deployment.configure({ restartedAt: "today" });
        },
        4 * MINUTES,
    );

    test(
        "if Docker refuses to create a container, no node is left out, and the next update creates it",
        async () => {
            const before = await containers();
            const lasting = new LastingRequest(outputs, "node1");
            await deployment.configure({ restartedAt: "refused" });
            const failing = deployment.upFailing();
            await until(async () => isTakenOut(await view(), "node1"));
            // Once the previous container is removed, its name belongs to another one.
            await host.docker.getContainer(nameOf("node1")).rename({ name: `${nameOf("node1")}-former` });
            const foreign = await host.docker.createContainer({ name: nameOf("node1"), Image: testImages().standIn });
            expect((await lasting.release()).status).toBe(200);
            expect(await failing).toContain("is already in use by container");
            await until(
                async () => !(await host.exec(proxy.container, ["ls", SOCKET_DIRECTORY])).includes("taken-out"),
            );
            expect(isTakenOut(await view(), "node1")).toBe(false);
            expect((await containers()).slice(1)).toEqual(before.slice(1));

            await foreign.remove();
            await deployment.configure({ restartedAt: "today" });
            await deployment.up();
            await until(async () => takesRequests(await view(), "node1"));
        },
        5 * MINUTES,
    );

    test(
        "a drain and a reload at the same moment: the new worker keeps the drain",
        async () => {
            const { Networks: networks } = (await host.inspect(nameOf("node3"))).NetworkSettings;
            const address = networks[`${deployment.clusterName}-nodes`]?.IPAddress ?? "";
            const engine = await DockerEngine.connect({
                host: testedEngine(),
            });
            const servers = new ProxyServers(engine, `${deployment.clusterName}-nodes`);
            for (let round = 0; round < 5; round++) {
                const reload = host.exec(proxy.container, ["/bin/sh", "-c", RELOAD]);
                await Promise.all([reload, sleep(40 * round).then(() => servers.set([address], "drain"))]);
                expect({ round, out: isTakenOut(await view(), "node3") }).toEqual({ round, out: true });
                await servers.set([address], "ready");
                await until(async () => takesRequests(await view(), "node3"));
            }
        },
        4 * MINUTES,
    );

    test(
        "if an operator has stopped a node, no node is replaced, and the stopped one is named",
        async () => {
            const before = await containers();
            await host.docker.getContainer(nameOf("node2")).stop();
            await deployment.configure({ image: otherImage?.reference ?? "" });
            const failure = await deployment.upFailing();
            expect(failure).toContain(`${nameOf("node2")} is exited`);
            expect(failure).toContain(`docker start ${nameOf("node2")}`);
            expect(await containers()).toEqual(before);
            await host.docker.getContainer(nameOf("node2")).start();
        },
        4 * MINUTES,
    );

    test(
        "with a node that can't start, another image stops the update at that node; once it is corrected the rest follow, at --parallel 1",
        async () => {
            const before = await containers();
            const onDrive = (script: string) =>
                host.runOnVolumes(testImages().standIn, { "/drive": `${nameOf("node2")}-drive1` }, script);
            await onDrive("rm -r /drive/.service.sys && touch /drive/.service.sys");
            await host.docker.getContainer(nameOf("node2")).restart();
            await until(async () => (await host.inspect(nameOf("node2"))).RestartCount > 0);

            await deployment.configure({ readyTimeout: String(FAILING_SECONDS) });
            const failure = await deployment.upFailing();
            expect(failure).toContain(`${nameOf("node2")} is not ready`);
            expect(failure).toContain("the service can't start");
            const stopped = await containers();
            expect([stopped[0], stopped[2]]).toEqual([before[0], before[2]]);
            // Until its checks have failed, requests that can't be retried may still reach the node that is down.
            await until(async () => statesOf(await view(), "node2").every((state) => state.startsWith("DOWN")));

            await deployment.configure({ readyTimeout: String(READY_SECONDS) });
            await onDrive("rm /drive/.service.sys");
            let record: RolloutRecord | undefined;
            const { failures } = await trafficDuring(outputs, async () => {
                record = await RolloutRecord.of(deployment, () => deployment.up(1));
            });
            expect(failures).toEqual([]);
            // The node that kept exiting until it was corrected was not replaced a second time.
            expectOneAtATime(record as RolloutRecord, ["node1", "node3"], []);
            const after = await containers();
            const { Id: image } = await host.docker.getImage(otherImage?.reference ?? "").inspect();
            expect(after.map((container) => container.image)).toEqual([image, image, image]);
        },
        4 * MINUTES,
    );
});
