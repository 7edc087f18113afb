import { untilFormerReady } from "../../../migration/formerStore";
import type { MigratedNode } from "../../../migration/storeMigration";
import { withMessageOnly } from "../../../components/checks/problem";
import { migrationBetween, type Migration } from "../../../migration/supported";
import { VirtualClock } from "../fakes/virtualClock";

const toRustfs = migrationBetween("minio", "rustfs") as Migration;
const toMinio = migrationBetween("rustfs", "minio") as Migration;

/**
 * Seconds that the wait takes with a readyTimeout of 90 s, what it says, and the nodes that are ready, or its error.
 *
 * @param states The state of each node's container, and when it is ready, in seconds: `running 20, exited never`.
 */
async function wait(migration: Migration, states: string, interruptedAt?: number) {
    const nodes = states.split(", ").map((text): [string, number] => {
        const [state = "", readyAt] = text.split(" ");
        return [state, readyAt === "never" ? Infinity : Number(readyAt)];
    });
    const clock = new VirtualClock();
    const said: string[] = [];
    const goesOn = () => {
        if (clock.now() >= (interruptedAt ?? Infinity) * 1000) {
            throw new Error("the update was interrupted");
        }
    };
    const dependencies: Parameters<typeof untilFormerReady>[0] = {
        clock,
        engine: {
            checkHealth: (id) => {
                const readyAt = nodes[Number(id)]?.[1] ?? Infinity;
                return Promise.resolve({ code: clock.now() < readyAt * 1000 ? -1 : 0, output: "" });
            },
        } as Parameters<typeof untilFormerReady>[0]["engine"],
        report: {
            progress: (text) => Promise.resolve(void said.push(text)),
            warning: (text) => Promise.resolve(void said.push(text)),
            error: (message) => withMessageOnly(new Error(message)),
        },
    };
    const planned = nodes.map(([state], index): MigratedNode => {
        const name = `node${index + 1}`;
        return {
            place: { name, serverName: name, address: "10.0.0.1", drives: [] },
            container: { id: String(index), state },
        };
    });
    const result = await untilFormerReady(dependencies, planned, migration, 90, goesOn).then(
        (ready) =>
            ready
                .map(({ place }) => place.name)
                .sort()
                .join(", "),
        (error: unknown) => (error as Error).message,
    );
    return { seconds: Math.round(clock.now() / 1000), said: [...new Set(said)], result };
}

describe("the wait for a former store that an interrupted update has just started", () => {
    test.each<[string, Migration, string, number, string]>([
        ["all are ready", toRustfs, "running 0", 0, "node1"],
        ["one takes a while", toRustfs, "running 20, running 0", 20, "node1, node2"],
        ["one is restarted", toRustfs, "running 0, restarting 30", 30, "node1, node2"],
        ["one doesn't run", toRustfs, "exited never, running 3", 3, "node2"],
        ["none runs", toRustfs, "exited never, created never, paused never", 0, ""],
        ["one never is, and all should be", toRustfs, "running 0, running never", 90, "node1"],
        ["one never is, and none needs to be", toMinio, "running 0, running never", 60, "node1"],
    ])("%s: it ends once all that run are ready, or at the limit", async (_, migration, nodes, seconds, ready) => {
        expect(await wait(migration, nodes)).toMatchObject({ seconds, result: ready });
    });

    test("names the nodes that it waits for, and the limit", async () => {
        const nodes = "running 20, running 0, running 5";
        expect((await wait(toRustfs, nodes)).said).toEqual([
            "waiting for node1, node3 to be ready with minio, for 90 s at most",
            "waiting for node1 to be ready with minio, for 90 s at most",
        ]);
        expect((await wait(toRustfs, "running 0")).said).toEqual([]);
    });

    test("ends with an error if the update is interrupted: the take-over doesn't begin", async () => {
        const { seconds, result } = await wait(toRustfs, "running never", 7);
        expect([seconds, result]).toEqual([7, "the update was interrupted"]);
    });
});
