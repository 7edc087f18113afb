import type { DockerEngine } from "../../docker/engine";
import type { OneShotContainers } from "../../docker/oneShotContainers";
import { script } from "../../docker/script";

/** The part of an engine that a test of the network uses. */
export interface OverlayEngine extends Pick<DockerEngine, "imageId" | "run"> {
    readonly oneShots: Pick<OneShotContainers, "attached">;
}

/** A host of the network. */
export interface OverlayHost {
    name: string;
    /** IPv4 address at which the other hosts reach it. */
    address: string;
    engine: OverlayEngine;
}

/** A running helper container. */
export interface Helper {
    host: OverlayHost;
    /** Its container's id. */
    container: string;
    /** Its address on the network. Empty on the host's own network. */
    address: string;
}

/** A host without a helper container, and the reason. */
export interface Refusal {
    host: OverlayHost;
    reason: string;
}

/** What all helpers have in common. */
export interface HelperSettings {
    /** The cluster that they belong to. */
    owner: string;
    /** Name of an image with `/bin/sh`, `cat` and `curl`. */
    image: string;
    /** Network that they are attached to; `host` is each host's own. */
    network: string;
}

/** Starts a helper on each host, and removes them all when the work with them has ended. */
export async function withHelpers<Result>(
    hosts: readonly OverlayHost[],
    settings: HelperSettings,
    work: (helpers: Helper[], refusals: Refusal[]) => Promise<Result>,
): Promise<Result> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const removals: Promise<void>[] = [];
    const started = hosts.map(
        (host) =>
            new Promise<Helper | Refusal>((resolve) => {
                const running = startHelper(host, settings, (helper) => {
                    resolve(helper);
                    return released;
                });
                // A helper that can't be removed ends by itself, and the next update removes it.
                removals.push(running.catch((error: unknown) => resolve({ host, reason: (error as Error).message })));
            }),
    );
    try {
        const found = await Promise.all(started);
        return await work(
            found.flatMap((one) => ("container" in one ? [one] : [])),
            found.flatMap((one) => ("reason" in one ? [one] : [])),
        );
    } finally {
        release();
        await Promise.all(removals);
    }
}

async function startHelper(
    host: OverlayHost,
    { owner, image, network }: HelperSettings,
    use: (helper: Helper) => Promise<void>,
): Promise<void> {
    const id = await host.engine.imageId(image);
    if (id === undefined) {
        throw new Error(`there is no image "${image}"`);
    }
    await host.engine.oneShots.attached(owner, { image: id, network }, (container, address) =>
        use({ host, container, address }),
    );
}

/** Result of an attempt to connect, as `scripts/reach.sh` prints it. */
export type Reach = "connected" | "refused" | "unreachable" | "silent";

const RESULTS: readonly string[] = ["connected", "refused", "unreachable", "silent"] satisfies Reach[];

/**
 * Connects from a helper to all targets at once.
 *
 * @param targets As `address:port`.
 * @param seconds Time limit of a connection.
 */
export async function reach(
    { host, container }: Helper,
    targets: readonly string[],
    seconds: number,
): Promise<(target: string) => Reach> {
    const command = ["/bin/sh", "-c", script(__dirname, "reach.sh"), "reach", String(seconds), ...targets];
    const { output } = await host.engine.run(container, command);
    const results = new Map(output.split("\n").map((line) => [line.split(" ")[0], line.split(" ")[1] ?? ""]));
    return (target) => {
        const result = results.get(target) ?? "";
        if (!RESULTS.includes(result)) {
            throw new Error(`host ${host.name}: the network can't be tested from a container: ${output.trim()}`);
        }
        return result as Reach;
    };
}

/** A connection from one helper to another. */
export interface Direction {
    from: Helper;
    to: Helper;
}

/** A port that no program listens at in a helper, so that its kernel refuses connections: packets travel both ways then. */
const UNUSED_PORT = 9;

/** Connects in all directions at once. */
export async function reachAll(directions: readonly Direction[], seconds: number): Promise<Reach[]> {
    const target = ({ to }: Direction) => `${to.address}:${UNUSED_PORT}`;
    const reached = new Map(
        [...new Set(directions.map(({ from }) => from))].map((sender) => {
            const own = directions.filter(({ from }) => from === sender);
            return [sender, reach(sender, own.map(target), seconds)];
        }),
    );
    return Promise.all(directions.map(async (one) => (await reached.get(one.from))?.(target(one)) ?? "silent"));
}

/** Whether packets travel both ways: the target accepts the connection, or refuses it. */
export function answers(reached: Reach): boolean {
    return reached === "refused" || reached === "connected";
}

/**
 * A counter of the kernel, as a helper sees it. Undefined if the kernel has no such counter.
 *
 * @param file File that has names and values in two lines, or a name and a value on each line.
 */
export async function counter({ host, container }: Helper, file: string, name: string): Promise<number | undefined> {
    const { output } = await host.engine.run(container, ["cat", file]);
    const lines = output.split("\n").map((line) => line.split(/\s+/));
    const row = lines.findIndex((words) => words.includes(name));
    const index = lines[row]?.indexOf(name) ?? 0;
    const value = Number(index === 0 ? lines[row]?.[1] : lines[row + 1]?.[index]);
    return Number.isNaN(value) ? undefined : value;
}
