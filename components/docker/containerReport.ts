import type { ContainerHealth } from "./model";
import type { HostEngine } from "./hosts";

/**
 * Whether a container is healthy, as the engine has found it.
 *
 * @param checksNow Whether its health check is run now if the engine hasn't run it yet.
 */
export async function isHealthy(
    engine: Pick<HostEngine, "checkHealth">,
    id: string,
    found: ContainerHealth | undefined,
    checksNow = false,
): Promise<boolean> {
    const isStarting = found?.health === "starting" && found.state === "running";
    return found?.health === "healthy" || (checksNow && isStarting && (await engine.checkHealth(id)).code === 0);
}

/** Number of log lines of a container that are read, and of those that a message shows. */
const [READ_LINES, SHOWN_LINES] = [500, 10];

/** The engine's information about a container: its health and state, its last health check, and its last log lines. */
export async function describeContainer(
    engine: Pick<HostEngine, "health" | "logTail">,
    container: string,
): Promise<string> {
    const { health, state, lastCheck } = await engine.health(container);
    const log = state === "gone" ? "" : await engine.logTail(container, READ_LINES);
    const lines = withoutChecks(log, lastCheck).slice(-SHOWN_LINES).join("\n");
    return [
        `${health}, container ${state}.`,
        `Its last health check: ${lastCheck === "" ? "none yet" : `\n${indent(lastCheck)}`}`,
        `Its last log lines: ${lines === "" ? "none" : `\n${indent(lines)}`}`,
    ].join("\n");
}

/** The lines of a log, without those about the URLs that a health check has printed, unless there are no others. */
function withoutChecks(log: string, lastCheck: string): string[] {
    const lines = log === "" ? [] : log.split("\n");
    const paths = [...lastCheck.matchAll(/\bhttps?:\/\/[^/\s]+(\/[^\s?]+)/g)].map(([, path = ""]) => path);
    const others = lines.filter((line) => !paths.some((path) => line.includes(path)));
    return others.length === 0 ? lines : others;
}

/** Indents a text that is part of another one. */
export function indent(text: string): string {
    return text.replace(/^/gm, "    ");
}
