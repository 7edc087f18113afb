import * as pulumi from "@pulumi/pulumi";
import { setTimeout as sleep } from "node:timers/promises";
import { DockerEngine } from "./dockerEngine";
import type { DockerHost } from "./dockerHost";
import { withoutStack } from "./problem";

/** A container to wait for. */
export interface AwaitedContainer {
    /** Its name, for messages. */
    name: string;
    /** Its id: an answer from before its start is an answer of another container. */
    id: string;
}

/** How long to wait for containers, and where. */
export interface WaitOptions {
    /** Docker host, as {@link DockerEngine.connect} takes it. */
    dockerHost?: DockerHost;
    /** Limit, in seconds. */
    timeout: number;
    /** The component that waits, for progress and errors. */
    component: pulumi.Resource;
}

const POLL_INTERVAL_MILLISECONDS = 250;

/**
 * Waits until the engine calls every container healthy. Evaluated at each update and stored nowhere, so that an
 * update fails for as long as a cause is there, and succeeds once it is mended, with no input changed.
 *
 * @throws {pulumi.ResourceError} at once where a container is gone; after the limit with each container that is not
 * healthy, what its last check printed and its last log lines.
 */
export async function waitUntilHealthy(containers: AwaitedContainer[], options: WaitOptions): Promise<void> {
    const engine = await DockerEngine.connect(options.dockerHost);
    const deadline = Date.now() + options.timeout * 1000;
    let waiting = containers;
    for (let round = 0; ; round++) {
        const found = await Promise.all(waiting.map(({ id }) => engine.health(id)));
        const gone = waiting.filter((_, index) => found[index]?.state === "gone");
        if (gone.length > 0) {
            const message =
                `${gone.map(({ name }) => name).join(", ")}: there is no such container any more. ` +
                "Run `pulumi refresh`, then the same update again.";
            throw withoutStack(new pulumi.ResourceError(message, options.component, true));
        }
        waiting = waiting.filter((_, index) => found[index]?.health !== "healthy");
        if (waiting.length === 0) {
            return;
        }
        if (Date.now() >= deadline) {
            throw await notHealthy(engine, waiting, options);
        }
        if (round % 20 === 0) {
            const names = waiting.map(({ name }) => name).join(", ");
            await pulumi.log.info(`waiting for ${names} to be healthy`, options.component, undefined, true);
        }
        await sleep(POLL_INTERVAL_MILLISECONDS);
    }
}

/**
 * Waits until a container that does one thing has done it. One that failed in an earlier update is started again.
 *
 * @throws {pulumi.ResourceError} where it fails, or is not done within the limit, with its last lines.
 */
export async function waitUntilDone(container: AwaitedContainer, options: WaitOptions): Promise<void> {
    const engine = await DockerEngine.connect(options.dockerHost);
    const { code, log } = await engine.completion(container.id, Date.now() + options.timeout * 1000);
    if (code !== 0) {
        const message = `${container.name} failed with exit code ${code}. Its last lines:\n${indent(log)}`;
        throw withoutStack(new pulumi.ResourceError(message, options.component, true));
    }
}

async function notHealthy(engine: DockerEngine, containers: AwaitedContainer[], options: WaitOptions): Promise<Error> {
    const reports = await Promise.all(
        containers.map(
            async ({ name, id }) =>
                `${name} is not healthy after ${options.timeout} s: ${await describeContainer(engine, id)}`,
        ),
    );
    const advice = "Mend the cause, then run the same update again: nothing has to be changed back.";
    return withoutStack(new pulumi.ResourceError([...reports, advice].join("\n"), options.component, true));
}

/** What the engine knows of a container: its health and state, its last health check, and its last log lines. */
export async function describeContainer(engine: DockerEngine, container: string): Promise<string> {
    const { health, state, lastCheck } = await engine.health(container);
    const log = state === "gone" ? "" : await engine.logTail(container, 10);
    return [
        `${health}, container ${state}.`,
        `Its last health check: ${lastCheck === "" ? "none yet" : `\n${indent(lastCheck)}`}`,
        `Its last log lines: ${log === "" ? "none" : `\n${indent(log)}`}`,
    ].join("\n");
}

/** A text within another one. */
export function indent(text: string): string {
    return text.replace(/^/gm, "    ");
}
