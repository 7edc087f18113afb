import { section } from "./section";
import { type HaproxyStore } from "./haproxyStore";
import { s3Backends } from "./stores";

/** Name of the file, in the same folder as haproxy.cfg, with the Lua program that keeps started nodes out. */
export const STARTED_NODES_PROGRAM = "keepStartedNodesOut.lua";

/**
 * Keeps a node that has started out of the S3 API for as long as it may deny what its peers have (`denialSeconds` of the
 * profile). A single node has no peers.
 */
export function startedNodesSections(stores: HaproxyStore[]): string[] {
    const programs = stores.flatMap((store) => {
        const { denialSeconds, livenessPath, s3HealthPath, servers } = store.cluster;
        const backends = s3Backends(store).map(({ backend }) => backend);
        return denialSeconds === undefined || servers.length === 1
            ? []
            : [
                  `lua-load ${STARTED_NODES_PROGRAM} ${denialSeconds} ${livenessPath ?? s3HealthPath} ${backends.join(",")}`,
              ];
    });
    return programs.length === 0
        ? []
        : [section("A node that has just started may deny what its peers have: it stays out.", "global", programs)];
}
