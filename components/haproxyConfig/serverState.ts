import { frontEndName, movedBackendOf } from "./moves";
import { type HaproxyStore } from "./haproxyStore";
import { backendsOf } from "./stores";

const COLUMNS =
    "# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight " +
    "srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state " +
    "bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr " +
    "srv_agent_addr srv_agent_port";

/**
 * The server states that a proxy starts with, before its first health check: every server is up (HAProxy management guide,
 * `show servers state`, version 1). The proxy starts once every node is healthy, and so it can serve at once. A node that
 * has become unhealthy meanwhile is taken out after three checks.
 */
export function renderInitialServerStates(stores: Pick<HaproxyStore, "name" | "cluster" | "move">[]): string {
    const ofStores = stores.flatMap(backendsOf).map(({ backend, port, servers }) => ({
        backend,
        servers: servers.map(({ name, address }) => ({ name, address, port, usesTls: 0 })),
    }));
    const ofMoves = stores.flatMap((store) => ({
        backend: movedBackendOf(store),
        servers: (store.move?.to ?? []).map((server, index) => ({ ...server, name: frontEndName(index), usesTls: 1 })),
    }));
    const lines = [...ofStores, ...ofMoves].flatMap(({ backend, servers }, index) =>
        servers.map(
            ({ name, address, port, usesTls }, server) =>
                `${index + 1} ${backend} ${server + 1} ${name} ${address} 2 0 1 1 0 1 0 4 6 0 0 0 - ${port} - ${usesTls} 0 - - 0`,
        ),
    );
    return ["1", COLUMNS, ...lines, ""].join("\n");
}
