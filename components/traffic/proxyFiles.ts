/** Folder in the proxy's container for its sockets. */
export const SOCKET_DIRECTORY = "/run/haproxy";

/** Socket of the runtime API of the worker. */
export const STATS_SOCKET = `${SOCKET_DIRECTORY}/stats.sock`;

/** Socket of the master, which is asked for reloads. */
export const MASTER_SOCKET = `${SOCKET_DIRECTORY}/master.sock`;

/** What the servers' states were when this worker was started (HAProxy manual, `server-state-file`). */
export const SERVER_STATE_FILE = `${SOCKET_DIRECTORY}/servers.state`;

/** Lock file of whoever changes servers' states or reloads: both write what the next worker starts with. */
export const RELOAD_LOCK = `${SOCKET_DIRECTORY}/reload.lock`;
