import { CURRENT, HEALTH_QUESTION, OF_VERSION, SECRETS_PATH, SECRETS_VERSION } from "../naming/containerFiles";
import type { ServiceProfile } from "./serviceProfile";
import { CONSOLE_PORT, S3_PORT } from "./topology";

const REMEDY = "remove the container ${HOSTNAME}-prepare, then run pulumi refresh and pulumi up";

/** Seconds that the ports of a cluster's node stay closed after its store has ended without being asked to. */
export const CLOSED_AFTER_UNCLEAN_END_SECONDS = 4;

/** Process id of the store of a cluster's node, for its health check. */
const STORE_PID = "/tmp/store.pid";

/**
 * Shell that starts the store: its arguments are the store's program and what that takes. A store that is alone takes the
 * shell's place. One of a cluster is its child, see {@link superviseScript}. It takes the secrets that the
 * container was made for, by their version, and ends without a store where there are no root keys.
 *
 * @param folder Where the secrets are mounted.
 */
export function startScript(profile: ServiceProfile, clustered: boolean, folder = SECRETS_PATH): string {
    const { accessKey, secretKey } = profile.variables;
    // Without root keys a store would take the vendor's, or those of the image, which everybody knows.
    const required = [accessKey, secretKey].map(
        (name) => `\${${name}:?is not in ${folder}/${CURRENT}/environment: ${REMEDY}}`,
    );
    return [
        // Another file may have been written since, for the next container.
        `_secrets=${folder}/${OF_VERSION}$${SECRETS_VERSION}; [ -e "$_secrets" ] || _secrets=${folder}/${CURRENT}`,
        `unset ${accessKey} ${secretKey} ${SECRETS_VERSION}`,
        'set -a; . "$_secrets/environment" || exit 1; set +a',
        '[ ! -e "$_secrets/ca-bundle.crt" ] || export SSL_CERT_FILE="$_secrets/ca-bundle.crt"; unset _secrets',
        `: ${required.map((value) => `"${value}"`).join(" ")}`,
        clustered ? superviseScript(CLOSED_AFTER_UNCLEAN_END_SECONDS, STORE_PID) : 'exec "$@"',
    ].join("; ");
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
    return [
        "_store=; _stopping=",
        `_stop() { _stopping=1; [ -z "$_store" ] || kill -TERM "$_store" 2>/dev/null; }`,
        "trap _stop TERM INT QUIT",
        '"$@" &',
        `_store=$!; echo "$_store" > ${pidFile}`,
        // A request that came before the store was there.
        '[ -z "$_stopping" ] || _stop',
        // A signal interrupts the first wait.
        'while :; do wait "$_store"; _status=$?; kill -0 "$_store" 2>/dev/null || break; done',
        `_store=; rm -f ${pidFile}`,
        `if [ -z "$_stopping" ]; then`,
        `echo "the store ended with status $_status and was not asked to: its ports stay closed for ${closedFor} s" >&2`,
        `sleep ${closedFor} & wait $!`,
        "fi",
        'exit "$_status"',
    ].join("\n");
}

/** Failed answers to its liveness path, one after the other, after which a store is ended: as many as take it out of the proxy. */
const HANGS = 3;

/**
 * Succeeds when both listeners answer with a 2xx status; prints each URL, its status and the start of its body.
 *
 * Docker restarts no unhealthy container. A store that accepts connections and doesn't answer them is ended here, once
 * it didn't for as long as the health check allows, and started again by the restart policy.
 */
export function healthScript(profile: ServiceProfile, clustered: boolean): string {
    const urls = [
        `http://127.0.0.1:${S3_PORT}${profile.s3HealthPath}`,
        `http://127.0.0.1:${CONSOLE_PORT}${profile.consoleHealthPath}`,
    ];
    return [
        ...(profile.livenessPath === undefined
            ? []
            : [endHanging(`http://127.0.0.1:${S3_PORT}${profile.livenessPath}`, clustered)]),
        `for url in ${urls.join(" ")}; do`,
        `answer=$(curl --noproxy "*" --silent --show-error --max-time 4 --write-out ' %{http_code}' "$url" 2>&1)`,
        `status=\${answer##* }`,
        `printf '%s %s %.200s\n' "$url" "$status" "\${answer% *}"`,
        `case "$status" in 2??) ;; *) exit 1 ;; esac`,
        `done`,
    ].join("\n");
}

/** Counts answers that didn't come in time (curl's exit code 28); what refuses connections is starting, or gone. */
function endHanging(url: string, clustered: boolean): string {
    const end = clustered ? `kill -9 "$(cat ${STORE_PID})"` : "kill -9 -1";
    return [
        `curl --noproxy "*" --silent --output /dev/null --max-time 3 ${url}`,
        "hangs=$?",
        `if [ -n "$${HEALTH_QUESTION}" ]; then [ $hangs != 28 ] || exit 1`,
        "elif [ $hangs = 28 ]; then",
        "echo . >> /tmp/hangs",
        `printf '%s: no answer within 3 s, %s time(s)\n' ${url} "$(wc -l < /tmp/hangs)"`,
        `if [ "$(wc -l < /tmp/hangs)" -ge ${HANGS} ]; then rm /tmp/hangs; ${end}; fi`,
        "exit 1",
        "else rm -f /tmp/hangs; fi",
    ].join("\n");
}
