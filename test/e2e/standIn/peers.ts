import { request } from "node:http";
import { LIVE_PATH } from "./health";
import { peersOf, type Drive, type Peer } from "./volumes";

/**
 * Returns whether most of the cluster's nodes answer, including this one. It waits for each other node's response or
 * timeout, as RustFS does before it reports that it is ready. Names are resolved by the C library, on every call.
 */
export function askPeers(drives: Drive[], hostname: string, timeoutSeconds: number): () => Promise<boolean> {
    const peers = peersOf(drives, hostname);
    return async () => {
        const answers = await Promise.all(peers.map((peer) => isLive(peer, timeoutSeconds)));
        const live = 1 + answers.filter((answer) => answer).length;
        return live > (peers.length + 1) / 2;
    };
}

function isLive({ host, port }: Peer, timeoutSeconds: number): Promise<boolean> {
    return new Promise((resolve) => {
        // The signal's timeout includes the name lookup; the request's own timeout doesn't.
        const signal = AbortSignal.timeout(timeoutSeconds * 1000);
        request({ host, port, path: LIVE_PATH, agent: false, signal }, (incoming) => {
            incoming.resume().on("close", () => resolve(incoming.statusCode === 200));
        })
            .on("error", () => resolve(false))
            .end();
    });
}
