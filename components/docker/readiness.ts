import * as pulumi from "@pulumi/pulumi";
import { connectEngines } from "./connectEngine";
import { describeContainer, indent, isHealthy } from "./containerReport";
import type { Host, HostEngine } from "./hosts";
import { poll, systemClock, type Clock } from "./poll";
import { componentError } from "../checks/refusal";
import { changesNothing } from "../pulumi/pulumiCommand";

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
export interface ReadinessDependencies {
    engine: ReadinessEngine;
    clock: Clock;
}

/** Options of a wait for containers. */
export interface WaitOptions {
    /** Hosts that may have the containers. Default: the provider's own. */
    hosts?: readonly Host[];
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
    dependencies?: ReadinessDependencies;
}

/**
 * Waits until the engine reports every container as healthy. It runs at each update and stores nothing. So an update fails
 * as long as a cause exists, and succeeds once that is corrected, even without a changed input.
 *
 * @throws {pulumi.ResourceError} at once if a container is gone; after the limit with each container that is not healthy,
 * the output of its last check and its last log lines; if an engine gives no answer.
 */
export function waitUntilHealthy(containers: AwaitedContainer[], options: WaitOptions): Promise<void> {
    return changesNothing() ? Promise.resolve() : asComponent(options, () => untilHealthy(containers, options));
}

async function untilHealthy(containers: AwaitedContainer[], options: WaitOptions): Promise<void> {
    const { engine, clock } = await dependenciesOf(options);
    let waiting = containers;
    await poll(
        async (round) => {
            const found = await Promise.all(waiting.map(({ id }) => engine.health(id)));
            const gone = waiting.filter((_, index) => found[index]?.state === "gone");
            if (gone.length > 0) {
                const names = gone.map(({ name }) => name).join(", ");
                throw new Error(
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
 * @throws {pulumi.ResourceError} with the last log lines, if it fails or doesn't finish within the limit; if an engine gives no answer.
 */
export function waitUntilDone(container: AwaitedContainer, options: WaitOptions): Promise<void> {
    return asComponent(options, () => untilDone(container, options));
}

async function untilDone({ name, id }: AwaitedContainer, options: WaitOptions): Promise<void> {
    const { engine, clock } = await dependenciesOf(options);
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
    throw new Error(`${name} ${how}. Its last lines:\n${indent(await engine.logTail(id, 20))}`);
}

async function dependenciesOf({ hosts = [{}], dependencies }: WaitOptions): Promise<ReadinessDependencies> {
    return dependencies ?? { engine: await connectEngines(hosts), clock: systemClock };
}

/** Does work whose failures, also those of the engine, become errors of the component. */
async function asComponent(options: WaitOptions, work: () => Promise<void>): Promise<void> {
    try {
        await work();
    } catch (error) {
        throw componentError(options.component, error);
    }
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
    return new Error([...reports, advice].join("\n"));
}
