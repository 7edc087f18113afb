import { script, withParameters } from "../docker/script";
import { CURRENT, OF_VERSION, SECRETS_PATH } from "../naming/containerFiles";
import type { ServiceProfile } from "../store/serviceProfile";
import { CONSOLE_PORT, S3_PORT } from "../store/topology";

/** Time that the ports of a cluster's node stay closed after its store ended without a stop request, in seconds. */
const CLOSED_AFTER_UNCLEAN_END_SECONDS = 4;

/** File with the process id of the store on a cluster's node, for its health check. */
const STORE_PID_FILE = "/tmp/store.pid";

/**
 * Number of timeouts of the liveness path in a row after which the store is killed. The same number of failed checks takes
 * a server out of the proxy.
 */
const HANGS = 3;

/**
 * Least time between the first and the last of these timeouts, in seconds: three of the contract's checks are 26 s apart. A store
 * that starts is checked more often, and may need longer for its first response.
 */
const HANGS_SECONDS = 25;

/**
 * Shell script that starts the store. Its arguments are the store's program and the arguments of that. A store that is a
 * single node replaces the shell (`exec`). A store of a cluster runs as the shell's child, see {@link superviseScript}. The
 * script reads the version of the secrets that the container was made for. It ends without starting the store if a root key
 * is missing.
 *
 * @param folder Folder that the secrets are mounted at.
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
 * Runs the store and ends with its exit status. A stop request is passed on to the store, which has as much time as the
 * engine allows. If the store ends without such a request (killed, out of memory, crashed), the shell waits first.
 * Meanwhile connections are refused. The proxy sends their requests to other nodes without loss, takes the node out after
 * the second refusal, and returns it to service by its health checks. Without the wait, a store that restarts at once would
 * get requests and answer 503 to them until it is ready.
 *
 * The wait comes before the container ends, not after its next start. So the way in which the store ended needs no record,
 * and the node's address still answers, with a refusal. There is no such wait if the whole container is killed.
 *
 * @param closedFor Time to wait, in seconds.
 * @param pidFile File that the store's process id is written to.
 */
export function superviseScript(closedFor: number, pidFile: string): string {
    return withParameters({ _CLOSED_FOR: closedFor, _STORE_PID_FILE: pidFile }, script(__dirname, "superviseStore.sh"));
}

/**
 * Succeeds if both listeners answer with a 2xx status. Prints each URL, its status and the start of its body.
 *
 * Docker doesn't restart an unhealthy container. The health check therefore kills a store that accepts connections without
 * answering them for as long as it allows. The restart policy then starts the store again.
 */
export function healthScript(profile: ServiceProfile, clustered: boolean): string {
    const [s3, console] = [S3_PORT, CONSOLE_PORT].map((port) => `http://127.0.0.1:${port}`);
    const parameters = {
        _URLS: `${s3}${profile.s3HealthPath} ${console}${profile.consoleHealthPath}`,
        _LIVENESS_URL: profile.livenessPath === undefined ? "" : `${s3}${profile.livenessPath}`,
        _HANGS: HANGS,
        _HANGS_SECONDS: HANGS_SECONDS,
        _STORE_PID_FILE: clustered ? STORE_PID_FILE : "",
    };
    return withParameters(parameters, script(__dirname, "checkStore.sh"));
}
