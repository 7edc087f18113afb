import { once } from "node:events";
import { WebSocket } from "ws";
import { agentFor, get } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { standInStore } from "./harness/stores";

const SECOND = 1000;

describe("the console's cookie in a cluster", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...standInStore().config, nodeCount: "3" });
        await deployment.up();
        outputs = await deployment.outputs();
    }, 180 * SECOND);

    afterAll(() => deployment.remove(), 120 * SECOND);

    /** Requests the console's page. Returns the node that answered, and the cookie that was set. */
    const visit = async (cookie?: string) => {
        const { status, headers } = await get(
            outputs,
            `${outputs.consoleUrl}/`,
            cookie === undefined ? {} : { cookie },
        );
        const set = String(headers["set-cookie"] ?? "").split(";")[0] ?? "";
        return { status, node: String(headers["x-node"]).replace(/^.*-/, ""), cookie: set };
    };

    test("is service_console, with the name of the node as its value", async () => {
        const cookies = new Set<string>();
        for (let visits = 0; visits < 30; visits++) {
            const { node, cookie } = await visit();
            expect(cookie).toBe(`service_console=${node}`);
            cookies.add(cookie);
        }
        expect([...cookies].sort()).toEqual([1, 2, 3].map((number) => `service_console=node${number}`));
    });

    test("keeps a browser on one node", async () => {
        const { node, cookie } = await visit();
        for (let visits = 0; visits < 30; visits++) {
            expect(await visit(cookie)).toEqual({ status: 200, node, cookie: "" });
        }
    });

    test("keeps a WebSocket on the same node", async () => {
        const { node, cookie } = await visit();
        for (let connections = 0; connections < 6; connections++) {
            const socket = new WebSocket(`${outputs.consoleUrl.replace("https", "wss")}/service/console/live`, {
                agent: agentFor(outputs),
                headers: { cookie },
            });
            const [message] = (await once(socket, "message")) as [Buffer];
            expect(message.toString().replace(/^.*-/, "")).toBe(node);
            socket.terminate();
        }
    });

    test(
        "moves a browser to another node when its node dies",
        async () => {
            const { node, cookie } = await visit();
            await host.docker.getContainer(`${deployment.clusterName}-pool1-${node}`).kill();
            const moved = await visit(cookie);
            expect(moved.status).toBe(200);
            expect(moved.node).not.toBe(node);
            expect(moved.cookie).toBe(`service_console=${moved.node}`);
            expect(await visit(moved.cookie)).toEqual({ status: 200, node: moved.node, cookie: "" });
        },
        30 * SECOND,
    );
});
