import { setTimeout as sleep } from "node:timers/promises";
import { get } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { HaproxyRuntime, isUp, type BackendName } from "./harness/haproxyRuntime";
import { forgetHosts, NameServer } from "./harness/nameServer";
import { standInStore } from "./harness/stores";

const SECOND = 1000;

/**
 * Seconds until the proxy marks a lost node as down, at most. Three checks have to fail, each 10 s after the last one.
 * A check of an unreachable node takes up to 10 s (`timeout connect`), a check without an answer 5 s.
 */
const LOST_SECONDS = 60;

/** Seconds of observation. */
const WATCHED_SECONDS = 80;

/** Clients that send one request after the other. */
const CLIENTS = 4;

/** Observations after the loss. */
interface Course {
    /** Servers that got no requests at some time, in alphabetical order. */
    down: { [Backend in BackendName]: string[] };
    /** Seconds from the loss until the lost node got no requests. */
    lostAfter: { [Backend in BackendName]: number };
    /** Requests that weren't answered with 200. */
    failures: Failure[];
    answered: number;
}

interface Failure {
    /** Seconds from the loss to the end of the request. */
    after: number;
    reason: string;
}

describe("a lost node whose peers query it before they report that they are ready", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let proxy: HaproxyRuntime;
    let course: Course;
    const nameServers: NameServer[] = [];

    beforeAll(async () => {
        deployment = await Deployment.create({
            ...standInStore().config,
            nodeCount: "5",
            // As long as RustFS itself waits for a peer that hangs. A lookup without an answer takes the C library 10
            // s.
            environment: JSON.stringify({ SERVICE_HEALTH_PEER_TIMEOUT_SECS: "25" }),
        });
        await deployment.up();
        outputs = await deployment.outputs();
        proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
        const failing = await startNameServer("fail");
        const hanging = await startNameServer("hang");
        await failing.serve(nameOf("node1"));
        await hanging.serve(nameOf("node2"));
        // This node differs from the deployed configuration: it shows the failure that the hosts entries prevent.
        await hanging.serve(nameOf("node5"));
        await forgetHosts(nameOf("node5"));
        course = await loseNode4();
    }, 300 * SECOND);

    afterAll(async () => {
        await Promise.all(nameServers.map((server) => server.remove()));
        await deployment.remove();
    }, 120 * SECOND);

    const nameOf = (server: string) => `${deployment.clusterName}-pool1-${server}`;

    const startNameServer = async (lostNames: "fail" | "hang") => {
        const server = await NameServer.start(deployment, lostNames);
        nameServers.push(server);
        return server;
    };

    /** Sends requests one after the other until the end. */
    const load = async (begin: number, end: number) => {
        const failures: Failure[] = [];
        let answered = 0;
        while (Date.now() < end) {
            const reason = await get(outputs, `${outputs.s3Endpoint}/service/echo`).then(
                ({ status }) => (status === 200 ? undefined : String(status)),
                (error: unknown) => String(error),
            );
            if (reason === undefined) {
                answered++;
            } else {
                failures.push({ after: (Date.now() - begin) / SECOND, reason });
            }
            await sleep(100);
        }
        return { failures, answered };
    };

    /**
     * Records every server that gets no requests at some time until the end, and when that was first so for the lost
     * node.
     */
    const watch = async (begin: number, end: number) => {
        const seen = { s3: new Set<string>(), console: new Set<string>() };
        const lostAfter = { s3: Infinity, console: Infinity };
        while (Date.now() < end) {
            for (const backend of ["s3", "console"] as const) {
                const states = Object.entries(await proxy.states(backend));
                states.filter(([, state]) => !isUp(state)).forEach(([server]) => seen[backend].add(server));
                if (lostAfter[backend] === Infinity && seen[backend].has("node4")) {
                    lostAfter[backend] = (Date.now() - begin) / SECOND;
                }
            }
            await sleep(SECOND);
        }
        return { down: { s3: [...seen.s3].sort(), console: [...seen.console].sort() }, lostAfter };
    };

    const loseNode4 = async (): Promise<Course> => {
        const begin = Date.now();
        const end = begin + WATCHED_SECONDS * SECOND;
        const loads = Promise.all(Array.from({ length: CLIENTS }, () => load(begin, end)));
        const [watched, results] = await Promise.all([
            watch(begin, end),
            loads,
            host.docker.getContainer(nameOf("node4")).stop(),
        ]);
        return {
            ...watched,
            failures: results.flatMap(({ failures }) => failures),
            answered: results.reduce((sum, { answered }) => sum + answered, 0),
        };
    };

    test("takes no other node out of a backend, whether lookups of the lost name fail at once or hang", () => {
        expect(course.down.s3.filter((server) => server !== "node5")).toEqual(["node4"]);
        expect(course.down.console).toEqual(["node4"]);
    });

    test("is marked as down in both backends within a minute", () => {
        // One second more for the interval of the observation itself.
        expect(course.lostAfter.s3).toBeLessThan(LOST_SECONDS + 1);
        expect(course.lostAfter.console).toBeLessThan(LOST_SECONDS + 1);
    });

    test("fails at most the requests that were under way on it, and none after it is marked as down", () => {
        expect(course.failures.filter(({ after }) => after > course.lostAfter.s3)).toEqual([]);
        expect(course.failures.length).toBeLessThanOrEqual(CLIENTS);
        expect(course.answered).toBeGreaterThan(CLIENTS * WATCHED_SECONDS);
    });

    test("takes out a node whose hosts file doesn't name the others and whose lookups hang", () => {
        expect(course.down.s3).toContain("node5");
    });
});
