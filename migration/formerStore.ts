import { poll } from "../components/docker/poll";
import type { NodeSpec } from "../components/store/topology";
import type { MigrationDependencies } from "./migrationDependencies";
import type { MigratedNode } from "./storeMigration";
import type { Migration } from "./supported";

/** Longest wait for a former store that need not be ready, in seconds. */
const OPTIONAL_SECONDS = 60;

/** Number of attempts, one each half second, between two progress messages. */
const ROUNDS_PER_MESSAGE = 20;

/** States of containers that don't become ready. */
const ENDED = ["created", "dead", "exited", "paused", "removing"];

/** A node and its container. */
interface PlacedNode {
    place: NodeSpec;
    /** Id of the container. */
    container: string;
}

/**
 * Waits until the former store is ready on all nodes on which it runs: an interrupted migration may have started it just now, and what isn't
 * ready can't be compared.
 *
 * @param readyTimeout Time limit, in seconds. A store that need not be ready gets a minute at most.
 * @param goesOn Throws if the program is interrupted.
 * @returns The nodes on which it became ready within the limit.
 */
export async function untilFormerReady(
    { engine, clock, report }: Pick<MigrationDependencies, "engine" | "clock" | "report">,
    nodes: readonly MigratedNode[],
    { from, needsFormer }: Pick<Migration, "from" | "needsFormer">,
    readyTimeout: number,
    goesOn: () => void,
): Promise<PlacedNode[]> {
    const timeout = needsFormer ? readyTimeout : Math.min(readyTimeout, OPTIONAL_SECONDS);
    let waiting = nodes.flatMap(({ place, container }) =>
        ENDED.includes(container.state) ? [] : [{ place, container: container.id }],
    );
    const ready: PlacedNode[] = [];
    const areReady = async (round: number) => {
        const checks = await Promise.all(waiting.map(({ container }) => engine.checkHealth(container)));
        ready.push(...waiting.filter((_, index) => checks[index]?.code === 0));
        waiting = waiting.filter((_, index) => checks[index]?.code !== 0);
        goesOn();
        if (waiting.length === 0) {
            return true;
        }
        if (round % ROUNDS_PER_MESSAGE === 0) {
            const names = waiting.map(({ place }) => place.name).join(", ");
            await report.progress(`waiting for ${names} to be ready with ${from.name}, for ${timeout} s at most`);
        }
        return undefined;
    };
    await poll(areReady, { clock, timeout });
    return ready;
}
