import { setTimeout as sleep } from "node:timers/promises";
import { get } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { HaproxyRuntime, isUp, type BackendName } from "./harness/haproxyRuntime";
import { StandIn } from "./harness/standIn";
import { standInStore } from "./harness/stores";
import { PATIENCE_SECONDS, waitUntil } from "./harness/wait";

const SECOND = 1000;

/**
 * Largest error, in milliseconds, of the time that HAProxy reports for a state change, in whole seconds. The next check
 * comes 10 s later.
 */
const ACCOUNT_MILLISECONDS = 3 * SECOND;

/** Answers that are not a timely 200, by the node that gives them. */
const FAILURES = {
    node2: { status: 201, hang: 0 },
    node3: { status: 204, hang: 0 },
    node4: { status: 302, hang: 0 },
    node5: { status: 503, hang: 0 },
    node6: { status: 200, hang: 6 },
};

/** Number of checks in a row until HAProxy changed a node's state. */
interface Course {
    checksUntilDown: { [server: string]: number };
    checksUntilUp: { [server: string]: number };
    /** Nodes that answered requests while the others were down. */
    answeredMeanwhile: Set<string>;
    /** Server states of the other backend during that time. */
    otherBackend: { [server: string]: string };
    /** Milliseconds between consecutive checks over the whole course, by node. */
    intervals: { [server: string]: number[] };
}

describe("health checks and server states", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let proxy: HaproxyRuntime;
    const courses: { [backend: string]: Promise<Course> } = {};

    beforeAll(async () => {
        deployment = await Deployment.create({ ...standInStore().config, nodeCount: "6" });
        await deployment.up();
        outputs = await deployment.outputs();
        proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
    }, 180 * SECOND);

    afterAll(() => deployment.remove(), 120 * SECOND);

    const node = (server: string) => new StandIn(host, `${deployment.clusterName}-pool1-${server}`);

    const setHealth = (backend: BackendName, server: string, status: number, hang = 0) =>
        node(server).setHealthForProxy(backend, status, hang);

    /** HAProxy's checks, without those of the container's own health check. */
    const checksOf = async (backend: BackendName, server: string) =>
        (await node(server).checks())[backend].filter(({ remoteAddress }) => !remoteAddress.endsWith("127.0.0.1"));

    /** Times of HAProxy's checks. */
    const checkTimes = async (backend: BackendName, server: string): Promise<number[]> =>
        (await checksOf(backend, server)).map(({ time }) => time);

    const urlOf = (backend: BackendName) => (backend === "s3" ? outputs.s3Endpoint : outputs.consoleUrl);

    /** The node that answers, by its name in the proxy's configuration. */
    const answeringNode = async (backend: BackendName, headers: { [name: string]: string } = {}) => {
        const { status, headers: answer } = await get(outputs, `${urlOf(backend)}/service/echo`, headers);
        expect(status).toBe(200);
        return String(answer["x-node"]).replace(/^.*-/, "");
    };

    /**
     * Waits until HAProxy routes to these servers, or doesn't. Returns the time of each state change, as HAProxy
     * reports it.
     */
    const waitFor = async (backend: BackendName, servers: string[], up: boolean) => {
        const seen: { [server: string]: number } = {};
        const end = Date.now() + PATIENCE_SECONDS * SECOND;
        while (Object.keys(seen).length < servers.length) {
            const states = await proxy.states(backend);
            const reached = servers.filter((name) => isUp(states[name]) === up && seen[name] === undefined);
            const changes = reached.length === 0 ? {} : await proxy.lastChanges(backend);
            for (const server of reached) {
                seen[server] = changes[server] ?? 0;
            }
            if (Date.now() > end) {
                throw new Error(
                    `not all of ${servers.join(", ")} are ${up ? "up" : "down"}: ${JSON.stringify(states)}`,
                );
            }
            await sleep(250);
        }
        return seen;
    };

    /** Number of consecutive checks with that answer until the servers changed their state. */
    const checksUntil = async (
        backend: BackendName,
        changes: { [server: string]: number },
        answered: "sound" | "failed",
    ) =>
        Object.fromEntries(
            await Promise.all(
                Object.entries(changes).map(async ([server, end]) => {
                    const answers = (await checksOf(backend, server))
                        .filter(({ time }) => time <= end + ACCOUNT_MILLISECONDS)
                        .map(({ sound }) => (sound ? "sound" : "failed"));
                    const last = answers.lastIndexOf(answered === "sound" ? "failed" : "sound");
                    return [server, answers.length - 1 - last] as const;
                }),
            ),
        );

    /** Takes all nodes but the first down in one backend by their answers, then lets them recover. */
    const runCourse = async (backend: BackendName): Promise<Course> => {
        const failing = Object.keys(FAILURES);
        await Promise.all(failing.map((server) => node(server).clearChecks()));
        await Promise.all(
            Object.entries(FAILURES).map(([server, { status, hang }]) => setHealth(backend, server, status, hang)),
        );
        const down = await waitFor(backend, failing, false);
        const checksUntilDown = await checksUntil(backend, down, "failed");

        const answers = await Promise.all(Array.from({ length: 40 }, () => answeringNode(backend)));
        const otherBackend = await proxy.states(backend === "s3" ? "console" : "s3");
        await Promise.all(failing.map((server) => setHealth(backend, server, 200)));
        const up = await waitFor(backend, failing, true);
        const checksUntilUp = await checksUntil(backend, up, "sound");
        const intervals = Object.fromEntries(
            await Promise.all(
                failing.map(async (server) => {
                    const times = await checkTimes(backend, server);
                    return [server, times.slice(1).map((time, index) => time - (times[index] ?? 0))] as const;
                }),
            ),
        );
        return { checksUntilDown, checksUntilUp, answeredMeanwhile: new Set(answers), otherBackend, intervals };
    };

    /** The course of a backend. The first test that needs it runs it, once. */
    const course = (backend: BackendName) => (courses[backend] ??= runCourse(backend));

    const each = (count: number) => Object.fromEntries(Object.keys(FAILURES).map((server) => [server, count]));

    describe.each<BackendName>(["s3", "console"])("the backend %s", (backend) => {
        test("has every node", async () => {
            const servers = Array.from({ length: 6 }, (_, index) => `node${index + 1}`);
            expect(Object.keys(await proxy.states(backend))).toEqual(servers);
            const seen = new Set<string>();
            for (let request = 0; request < 60 && seen.size < 6; request++) {
                seen.add(await answeringNode(backend));
            }
            expect([...seen].sort()).toEqual(servers);
        });

        test("gives a request to the node with the fewest connections", async () => {
            const slow: ReturnType<typeof get>[] = [];
            for (let busyNodes = 1; busyNodes <= 3; busyNodes++) {
                slow.push(get(outputs, `${urlOf(backend)}/service/slow?seconds=12`));
                await waitUntil("the proxy has handed the slow request on", async () => {
                    const sessions = Object.values(await proxy.sessions(backend));
                    return sessions.filter((count) => count > 0).length === busyNodes;
                });
            }
            const quick: string[] = [];
            for (let request = 0; request < 12; request++) {
                quick.push(await answeringNode(backend));
            }
            const busy = (await Promise.all(slow)).map(({ headers }) => String(headers["x-node"]).replace(/^.*-/, ""));
            expect(new Set(busy).size).toBe(3);
            expect(quick.filter((server) => busy.includes(server))).toEqual([]);
        }, 30_000);

        test("asks for its health path, without credentials", async () => {
            await waitForCheck(backend);
            const path = backend === "s3" ? "/health/ready" : "/service/console/health";
            const checks = (await node("node1").checks())[backend].filter(
                ({ remoteAddress }) => !remoteAddress.endsWith("127.0.0.1"),
            );
            const connections = (await node("node1").record()).filter(({ number }) =>
                checks.some(({ connection }) => connection === number),
            );
            expect(connections.length).toBeGreaterThan(0);
            for (const { bytes } of connections) {
                expect(bytes.toString("latin1")).toMatch(new RegExp(`^GET ${path} HTTP/1\\.1\r\n`));
            }
            const names = checks.flatMap(({ rawHeaders }) => rawHeaders.filter((_, index) => index % 2 === 0));
            expect(names.filter((name) => /authorization|cookie/i.test(name))).toEqual([]);
        }, 30_000);

        test("counts 201, 204, 302, 503 and an answer after 6 s as failed: down after three checks", async () => {
            expect((await course(backend)).checksUntilDown).toEqual(each(3));
        }, 240_000);

        test("sends no request to a node that is down", async () => {
            expect([...(await course(backend)).answeredMeanwhile]).toEqual(["node1"]);
        }, 240_000);

        test("has health of its own: the other one stays whole", async () => {
            const states = Object.values((await course(backend)).otherBackend);
            expect(states).toEqual(Array.from({ length: 6 }, () => "UP"));
        }, 240_000);

        test("takes a node back after two checks", async () => {
            expect((await course(backend)).checksUntilUp).toEqual(each(2));
        }, 240_000);

        test("begins a check 10 s after the last one ended, in every state", async () => {
            const { node6: ofHanging = [], ...others } = (await course(backend)).intervals;
            // A busy machine may start and answer a single check late, but not most of them.
            const differsFrom =
                (seconds: number, most = 3) =>
                (milliseconds: number) =>
                    Math.abs(milliseconds - seconds * SECOND) > most * SECOND;
            // Three checks until it is down and two until it is up, at least.
            expect(Object.values(others).filter(({ length }) => length < 4)).toEqual([]);
            expect(Object.values(others).flat().filter(differsFrom(10))).toEqual([]);
            expect(Object.values(others).map(medianOf).filter(differsFrom(10, 1))).toEqual([]);
            // A check without an answer ends after 5 s.
            expect(ofHanging.filter(differsFrom(10)).filter(differsFrom(15))).toEqual([]);
        }, 240_000);
    });

    const waitForCheck = async (backend: BackendName) => {
        await waitUntil("node1 is checked", async () => (await checkTimes(backend, "node1")).length > 0);
    };

    test("a node that leaves maintenance gets traffic after two checks", async () => {
        await proxy.ask("set server s3/node2 state maint");
        expect((await proxy.states("s3"))["node2"]).toBe("MAINT");
        await sleep(2 * SECOND);
        await node("node2").clearChecks();
        await proxy.ask("set server s3/node2 state ready");
        expect(isUp((await proxy.states("s3"))["node2"])).toBe(false);
        const up = await waitFor("s3", ["node2"], true);
        expect(await checksUntil("s3", up, "sound")).toEqual({ node2: 2 });
    }, 60_000);

    test("a container that is recreated gets traffic after two checks", async () => {
        await host.docker.getContainer(node("node3").nodeName).remove({ force: true });
        await waitFor("s3", ["node3"], false);
        await deployment.refresh();
        await deployment.up();
        const up = await waitFor("s3", ["node3"], true);
        expect(await checksUntil("s3", up, "sound")).toEqual({ node3: 2 });
    }, 240_000);

    test("a reload keeps every state: down stays down, drained stays drained, and no good node turns down", async () => {
        await setHealth("s3", "node5", 503);
        await waitFor("s3", ["node5"], false);
        await proxy.ask("set server s3/node4 state drain");
        await deployment.configure({ hstsMaxAge: "60" });
        await deployment.up();
        expect(await proxy.configuration()).toContain("max-age=60");

        const good = ["node1", "node2", "node3", "node6"];
        for (let second = 0; second < 15; second++) {
            const states = await proxy.states("s3");
            expect([states["node4"], states["node5"]?.split(" ")[0]]).toEqual(["DRAIN", "DOWN"]);
            expect(good.filter((server) => !isUp(states[server]))).toEqual([]);
            expect(good).toContain(await answeringNode("s3"));
            await sleep(SECOND);
        }
        await proxy.ask("set server s3/node4 state ready");
        await setHealth("s3", "node5", 200);
        await waitFor("s3", ["node4", "node5"], true);
    }, 240_000);
});

function medianOf(values: number[]): number {
    return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}
