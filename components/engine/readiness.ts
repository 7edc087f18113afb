import * as pulumi from "@pulumi/pulumi";
import type { ContainerHealth } from "./engine";
import { HostEngines, type DeploymentHost, type HostEngine } from "./hostEngines";
import { poll, systemClock, type Clock } from "./poll";
import { withoutStack } from "../inputs/problem";

/** A container to wait for. */
export interface AwaitedContainer {
    /** Its name, for messages. */
    name: string;
    /** Its id. With the id, the answer can't be about an earlier container of the same name. */
    id: string;
}

/** The part of the engine that is queried for a container's state. */
export type ReadinessEngine = Pick<HostEngine, "checkHealth" | "ending" | "health" | "logTail" | "now" | "start">;

/** The engine and the clock that readiness checks use. */
export interface ReadinessWorld {
    engine: ReadinessEngine;
    clock: Clock;
}

/** Options of a wait for containers. */
export interface WaitOptions {
    /** Hosts that may have the containers. Default: the provider's own. */
    hosts?: readonly DeploymentHost[];
    /** Time limit, in seconds. */
    timeout: number;
    /** The component that waits, for progress and errors. */
    component: pulumi.Resource;
    /** Start time of this update, in milliseconds of the clock. Default: the start of the process. */
    begun?: number;
    /**
     * Whether a container is healthy too if its health check succeeds when it is run now, so that the engine's first check,
     * one interval after the start, isn't waited for. Default: false.
     */
    checksNow?: boolean;
    /** Default: the engines of `hosts`, and this machine's clock. */
    world?: ReadinessWorld;
}

/**
 * Waits until the engine reports every container as healthy. It runs at each update and stores nothing. So an update fails
 * as long as a cause exists, and succeeds once that is corrected, even without a changed input.
 *
 * @throws {pulumi.ResourceError} at once if a container is gone; after the limit with each container that is not healthy,
 * the output of its last check and its last log lines.
 */
export async function waitUntilHealthy(containers: AwaitedContainer[], options: WaitOptions): Promise<void> {
    const { engine, clock } = await worldOf(options);
    let waiting = containers;
    await poll(
        async (round) => {
            const found = await Promise.all(waiting.map(({ id }) => engine.health(id)));
            const gone = waiting.filter((_, index) => found[index]?.state === "gone");
            if (gone.length > 0) {
                const names = gone.map(({ name }) => name).join(", ");
                throw failureOf(
                    options,
                    `${names}: there is no such container any more. Run \`pulumi refresh\`, then the same update again.`,
                );
            }
            const healthy = await Promise.all(
                waiting.map(({ id }, index) => isHealthy(engine, id, found[index], options.checksNow)),
            );
            waiting = waiting.filter((_, index) => healthy[index] !== true);
            if (waiting.length > 0 && round % 20 === 0) {
                const names = waiting.map(({ name }) => name).join(", ");
                await pulumi.log.info(`waiting for ${names} to be healthy`, options.component, undefined, true);
            }
            return waiting.length === 0 ? true : undefined;
        },
        { clock, timeout: options.timeout, interval: 250 },
    );
    if (waiting.length > 0) {
        throw await notHealthy(engine, waiting, options);
    }
}

/**
 * Waits until a container that does one task has finished. A container that failed before this update is started once more.
 * One that is gone counts as finished, since `docker container prune` removes ended containers.
 *
 * @throws {pulumi.ResourceError} with the last log lines, if it fails or doesn't finish within the limit.
 */
export async function waitUntilDone({ name, id }: AwaitedContainer, options: WaitOptions): Promise<void> {
    const { engine, clock } = await worldOf(options);
    const before = await engine.ending(id);
    if (typeof before === "object" && before.code !== 0) {
        // Start time of this update by the engine's clock. This machine's clock may show another time of day.
        const begun = (await engine.now(id)) - (clock.now() - (options.begun ?? 0));
        if (before.finishedAt < begun) {
            await engine.start(id);
        }
    }
    const ending = await poll(() => engine.ending(id), { clock, timeout: options.timeout, interval: 100 });
    if (ending === "gone" || ending?.code === 0) {
        return;
    }
    const how =
        ending === undefined ? `has not ended within ${options.timeout} s` : `failed with exit code ${ending.code}`;
    throw failureOf(options, `${name} ${how}. Its last lines:\n${indent(await engine.logTail(id, 20))}`);
}

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

async function worldOf({ hosts = [{}], world }: WaitOptions): Promise<ReadinessWorld> {
    return world ?? { engine: await HostEngines.connect(hosts), clock: systemClock };
}

function failureOf({ component }: WaitOptions, message: string): Error {
    return withoutStack(new pulumi.ResourceError(message, component, true));
}

async function notHealthy(
    engine: ReadinessEngine,
    containers: AwaitedContainer[],
    options: WaitOptions,
): Promise<Error> {
    const reports = await Promise.all(
        containers.map(
            async ({ name, id }) =>
                `${name} is not healthy after ${options.timeout} s: ${await describeContainer(engine, id)}`,
        ),
    );
    const advice = "Correct the cause, then run the same update again: nothing has to be changed back.";
    return failureOf(options, [...reports, advice].join("\n"));
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
