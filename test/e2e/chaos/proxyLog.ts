import type { DockerHost } from "../harness/dockerHost";

/** Maximum number of requests that are kept for one disturbance. */
const LIMIT = 150;

/** Status and termination state in HAProxy's log line of a request, in the format that haproxy.cfg sets. */
const REQUEST = / \S+ [^ /]+\/\S+ [-+0-9]+(?:\/[-+0-9]+){4} (-?\d+) \d+ \S+ \S+ (\S{4}) /;

/** The proxy's log lines since a time that explain a failed request or a server's state change, each with its time. */
export async function troubledLines(host: DockerHost, proxy: string, since: number): Promise<string[]> {
    const lines = (await host.timedLines(proxy, since)).filter(
        (line) => !/\[(NOTICE|WARNING)\]|Proxy \S+ stopped/.test(line),
    );
    const failed = lines.filter((line) => REQUEST.test(line) && !wentWell(line)).slice(0, LIMIT);
    return lines.filter((line) => !REQUEST.test(line) || failed.includes(line));
}

/** Status below 500, and neither the server nor the client aborted the request. */
function wentWell(line: string): boolean {
    const [, status, state = ""] = REQUEST.exec(line) ?? [];
    return Number(status) >= 200 && Number(status) < 500 && /^(--|LR)/.test(state);
}
