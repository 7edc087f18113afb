import { CONNECT_SECONDS } from "./defaults";
import { movedBackendOf } from "./moves";
import { section } from "./section";
import { type HaproxyStore } from "./haproxyStore";
import { s3Backends } from "./stores";

/** Name of the file, in the same folder as haproxy.cfg, with the Lua program that ends hanging requests. */
export const HANGING_REQUESTS_PROGRAM = "endHangingRequests.lua";

/**
 * Seconds for which a server has to be down before the requests on it end: by then no request waits for a connection to it
 * any more.
 */
const DOWN_SECONDS = CONNECT_SECONDS + 1;

/**
 * Ends S3 requests that hang on a node that is down; clients then use another one. The console's requests don't end: its
 * cookie still leads to a drained node, and its requests may finish.
 */
export function hangingRequestsSection(stores: HaproxyStore[]): string {
    const backends = stores.flatMap((store) => [
        ...s3Backends(store).map(({ backend }) => backend),
        ...(store.move === undefined ? [] : [movedBackendOf(store)]),
    ]);
    return section("Clients of a node that hangs wait only until it has been down for a while.", "global", [
        // HAProxy warns without it. The program reads no sample.
        "tune.lua.bool-sample-conversion normal",
        `lua-load ${HANGING_REQUESTS_PROGRAM} ${DOWN_SECONDS} ${backends.join(",")}`,
    ]);
}
