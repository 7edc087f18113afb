import { script, withParameters } from "../engine/script";
import { CURRENT, OF_VERSION, SECRETS_PATH } from "../naming/containerFiles";
import type { ServiceProfile } from "../store/serviceProfile";
import { CONSOLE_PORT, S3_PORT } from "../store/topology";

/** Seconds that the ports of a cluster's node stay closed after its store has ended without being asked to. */
export const CLOSED_AFTER_UNCLEAN_END_SECONDS = 4;

/** Process id of the store of a cluster's node, for its health check. */
const STORE_PID_FILE = "/tmp/store.pid";

/** Failed answers to its liveness path, one after the other, after which a store is ended: as many as take it out of the proxy. */
const HANGS = 3;

/**
 * Shell that starts the store: its arguments are the store's program and what that takes. A store that is alone takes the
 * shell's place. One of a cluster is its child, see {@link superviseScript}. It takes the secrets that the
 * container was made for, by their version, and ends without a store where there are no root keys.
 *
 * @param folder Where the secrets are mounted.
 */
export function startScript({ variables }: ServiceProfile, clustered: boolean, folder = SECRETS_PATH): string {
    const parameters = {
        _FOLDER: folder,
        _OF_VERSION: OF_VERSION,
        _CURRENT: CURRENT,
        _ROOT_KEYS: `${variables.accessKey} ${variables.secretKey}`,
    };
    return (
        withParameters(parameters, script(__dirname, "startStore.sh")) +
        (clustered ? superviseScript(CLOSED_AFTER_UNCLEAN_END_SECONDS, STORE_PID_FILE) : 'exec "$@"')
    );
}

/**
 * Runs the store and ends with its exit status. A request to stop goes on to the store, which has as long as the engine gives it.
 * Where the store ends without such a request (killed, out of memory, crashed), the shell waits first: connections are
 * refused meanwhile, the proxy sends their requests to other nodes without loss, takes the node out after the second refusal, and
 * in again by its checks. A store that came back at once would answer 503 to what it attracts until it is ready.
 *
 * The wait comes before the container's end, not after its next start: nothing has to remember how the store ended, and the
 * node's address still answers, with a refusal. Where the whole container is killed there is no such wait.
 *
 * @param closedFor Seconds to wait.
 * @param pidFile Where the store's process id is noted.
 */
export function superviseScript(closedFor: number, pidFile: string): string {
    return withParameters({ _CLOSED_FOR: closedFor, _STORE_PID_FILE: pidFile }, script(__dirname, "superviseStore.sh"));
}

/**
 * Succeeds when both listeners answer with a 2xx status; prints each URL, its status and the start of its body.
 *
 * Docker restarts no unhealthy container. A store that accepts connections and doesn't answer them is ended here, once
 * it didn't for as long as the health check allows, and started again by the restart policy.
 */
export function healthScript(profile: ServiceProfile, clustered: boolean): string {
    const [s3, console] = [S3_PORT, CONSOLE_PORT].map((port) => `http://127.0.0.1:${port}`);
    const parameters = {
        _URLS: `${s3}${profile.s3HealthPath} ${console}${profile.consoleHealthPath}`,
        _LIVENESS_URL: profile.livenessPath === undefined ? "" : `${s3}${profile.livenessPath}`,
        _HANGS: HANGS,
        _STORE_PID_FILE: clustered ? STORE_PID_FILE : "",
    };
    return withParameters(parameters, script(__dirname, "checkStore.sh"));
}
