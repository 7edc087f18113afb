/** Folder in the proxy's container for its sockets. */
export const SOCKET_DIRECTORY = "/run/haproxy";

/** Socket of the worker's runtime API. */
export const STATS_SOCKET = `${SOCKET_DIRECTORY}/stats.sock`;

/** Socket of the master, which takes reload commands. */
export const MASTER_SOCKET = `${SOCKET_DIRECTORY}/master.sock`;

/** File with the servers' states at the time when this worker was started (HAProxy manual, `server-state-file`). */
export const SERVER_STATE_FILE = `${SOCKET_DIRECTORY}/servers.state`;

/**
 * File with the state of a move to another store, a map of HAProxy. It outlives reloads and restarts; `npm run move` writes
 * it, and changes the map of the running worker with it.
 */
export const MOVE_FILE = `${SOCKET_DIRECTORY}/move.map`;

/** Lock file for changes of servers' states and for reloads: both write the states that the next worker starts with. */
export const RELOAD_LOCK = `${SOCKET_DIRECTORY}/reload.lock`;

/** Socket through which the container that exchanges certificates asks other proxies of the same store. */
export const PEERS_SOCKET = `${SOCKET_DIRECTORY}/peers.sock`;

/** Socket on which that container answers other proxies. */
export const EXCHANGE_SOCKET = `${SOCKET_DIRECTORY}/exchange.sock`;
