import { setTimeout as sleep } from "node:timers/promises";
import { testImages } from "../harness/testRun";
import type { ChaosTarget } from "./chaosTarget";
import { LOCK_HOLDER_GONE, STALE_AFTER_A_START, type Disturbance } from "./disturbance";

const AWAY = 60_000;

/**
 * Longest time, in seconds, that a request may hang on an unreachable node: three checks of 10 s, each 10 s after the
 * previous one (service contract, section 8: `timeout connect`), 11 s until the proxy ends it, and the client's next attempt.
 */
const LONGEST_SILENCE = 60 + 11 + 10;

/** Disconnects a node's network, and connects it again a minute later. */
export const networkCut: Disturbance = {
    name: "a node's network cut for 60 s",
    run: async (target) => {
        const node = target.node(3);
        const network = target.host.docker.getNetwork(target.nodeNetwork);
        const address = await addressOf(target, node);
        await network.disconnect({ Container: node, Force: true });
        await sleep(AWAY);
        await network.connect({
            Container: node,
            EndpointConfig: { IPAMConfig: { IPv4Address: address }, Aliases: [node] },
        });
    },
    expected: { failedWithRetries: 0, failedWithoutRetries: 4, longestStall: LONGEST_SILENCE, ...LOCK_HOLDER_GONE },
};

/** Answers every request with 503 at once, on both of a node's ports. */
const ALWAYS_503 = `
import http.server, threading
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def refuse(self):
        self.close_connection = True
        self.send_response(503)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()
    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = refuse
    def log_message(self, *args):
        pass
servers = [http.server.ThreadingHTTPServer(("", port), Handler) for port in (9000, 9001)]
threads = [threading.Thread(target=server.serve_forever) for server in servers]
[thread.start() for thread in threads]
`;

/** Replaces a node by a program that answers quickly, and only with 503. */
export const nodeAnswers503: Disturbance = {
    name: "a node answers nothing but 503 for 60 s",
    run: async (target) => {
        const { docker } = target.host;
        const node = target.node(4);
        const address = await addressOf(target, node);
        const impostor = await docker.createContainer({
            name: `${target.deployment.clusterName}-impostor`,
            Image: testImages().clients,
            Entrypoint: ["python3", "-c", ALWAYS_503],
            Cmd: [],
            HostConfig: { NetworkMode: target.nodeNetwork },
            NetworkingConfig: {
                EndpointsConfig: { [target.nodeNetwork]: { IPAMConfig: { IPv4Address: address } } },
            },
        });
        try {
            await docker.getContainer(node).stop();
            await impostor.start();
            await sleep(AWAY);
        } finally {
            await impostor.remove({ force: true, v: true });
            await docker.getContainer(node).start();
        }
    },
    // The proxy can't repeat requests with large bodies. It delays their responses, so that a client's third attempt comes
    // after the checks have failed.
    expected: { failedWithRetries: 0, ...STALE_AFTER_A_START },
};

async function addressOf(target: ChaosTarget, node: string): Promise<string> {
    const { NetworkSettings: settings } = await target.host.inspect(node);
    return settings.Networks[target.nodeNetwork]?.IPAddress ?? "";
}
