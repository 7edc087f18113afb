import type { ChaosTarget } from "./chaosTarget";

/** Most requests that are kept of one disturbance. */
const LIMIT = 150;

/** Status and termination state of a request's line in HAProxy's log, as haproxy.cfg has it. */
const REQUEST = / \S+ [^ /]+\/\S+ [-+0-9]+(?:\/[-+0-9]+){4} (-?\d+) \d+ \S+ \S+ (\S{4}) /;

/** The proxy's lines since a time that say why a request failed, or what became of a server; each with its time. */
export async function troubledLines({ host, proxy }: ChaosTarget, since: number): Promise<string[]> {
    const lines = (await host.timedLines(proxy.container, since)).filter(
        (line) => !/\[(NOTICE|WARNING)\]|Proxy \S+ stopped/.test(line),
    );
    const failed = lines.filter((line) => REQUEST.test(line) && !wentWell(line)).slice(0, LIMIT);
    return lines.filter((line) => !REQUEST.test(line) || failed.includes(line));
}

/** Below 500, and ended neither by the server nor by the client. */
function wentWell(line: string): boolean {
    const [, status, state = ""] = REQUEST.exec(line) ?? [];
    return Number(status) >= 200 && Number(status) < 500 && /^(--|LR)/.test(state);
}
