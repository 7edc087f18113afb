import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { agentFor, get } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { HaproxyRuntime } from "./harness/haproxyRuntime";
import { standInStore } from "./harness/stores";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;

describe("the proxy of one node", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let proxy: HaproxyRuntime;

    beforeAll(async () => {
        deployment = await Deployment.create(standInStore().config);
        await deployment.up();
        outputs = await deployment.outputs();
        proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
    }, 180 * SECOND);

    afterAll(() => deployment.remove(), 120 * SECOND);

    test.each([
        ["connect", "10s"],
        ["client", "1h"],
        ["server", "1h"],
        ["http-request", "30s"],
        ["tunnel", "1h"],
        ["check", "5s"],
    ])("timeout %s is %s, for every frontend and backend", async (name, value) => {
        const set = (await proxy.configuration())
            .split("\n")
            .filter((line) => line.trim().startsWith(`timeout ${name} `));
        expect(set).toEqual([`    timeout ${name} ${value}`]);
    });

    test("the console's cookie is SERVICE_CONSOLE with the value service, Secure and HttpOnly", async () => {
        const { headers } = await get(outputs, `${outputs.consoleUrl}/`);
        expect(headers["set-cookie"]).toEqual(["SERVICE_CONSOLE=service; path=/; HttpOnly; Secure"]);
    });

    test("an answer that sets the cookie is not for shared caches", async () => {
        const { headers } = await get(outputs, `${outputs.consoleUrl}/`);
        expect(headers["cache-control"]).toBe("private");
    });

    test("the cookie is the proxy's own: set once, and not shown to the store", async () => {
        const cookie = "SERVICE_CONSOLE=service; other=1";
        const { headers, body } = await get(outputs, `${outputs.consoleUrl}/service/console/whoami`, { cookie });
        expect(headers["set-cookie"]).toBeUndefined();
        const { rawHeaders } = JSON.parse(body.toString()) as { rawHeaders: string[] };
        const index = rawHeaders.findIndex((name) => name.toLowerCase() === "cookie");
        expect(rawHeaders[index + 1]).toBe("other=1");
    });

    test("no cookie is set on the S3 hostname", async () => {
        for (const path of ["/service/echo", "/bucket/key", "/"]) {
            expect((await get(outputs, outputs.s3Endpoint + path)).headers["set-cookie"]).toBeUndefined();
        }
    });

    test(
        "a WebSocket stays open, idle and under traffic, for longer than requests may take",
        async () => {
            const open = async () => {
                const url = `${outputs.consoleUrl.replace("https", "wss")}/service/console/live`;
                const socket = new WebSocket(url, { agent: agentFor(outputs) });
                await once(socket, "open");
                return socket;
            };
            const [idle, busy] = [await open(), await open()];
            let echoes = 0;
            busy.on("message", () => echoes++);
            for (let second = 0; second < 40; second++) {
                busy.send(`message ${second}`);
                await sleep(SECOND);
            }
            expect([idle.readyState, busy.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
            expect(echoes).toBeGreaterThanOrEqual(40);
            idle.send("still here");
            expect(String(((await once(idle, "message")) as [Buffer])[0])).toBe("still here");
            idle.terminate();
            busy.terminate();
        },
        60 * SECOND,
    );

    test(
        "haproxy -c reports no problem with the active configuration",
        async () => {
            expect(await proxy.check()).not.toMatch(/warning|alert/i);
        },
        30 * SECOND,
    );

    test(
        "a proxy whose process is killed is started again",
        async () => {
            const { Pid: former } = (await host.inspect(proxy.container)).State;
            await host.exec(proxy.container, ["/bin/sh", "-c", "kill -TERM 1"]).catch(() => undefined);
            await waitUntil("the proxy answers, as another process", async () => {
                const { Pid: pid, Running: running } = (await host.inspect(proxy.container)).State;
                const answer = await get(outputs, `${outputs.s3Endpoint}/service/echo`).catch(() => undefined);
                return running && pid !== former && answer?.status === 200;
            });
        },
        60 * SECOND,
    );
});
