import { request } from "node:http";
import { LIVE_PATH } from "./health";
import { peersOf, type Drive, type Peer } from "./volumes";

/**
 * Tells whether most of the cluster's nodes answer, this one among them, once each of the others did or its time was
 * over: so does RustFS before it says that it is ready. Names are looked up as the C library does, and anew each time.
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
        // The signal counts the lookup's time too, which the request's own timeout doesn't.
        const signal = AbortSignal.timeout(timeoutSeconds * 1000);
        request({ host, port, path: LIVE_PATH, agent: false, signal }, (incoming) => {
            incoming.resume().on("close", () => resolve(incoming.statusCode === 200));
        })
            .on("error", () => resolve(false))
            .end();
    });
}
