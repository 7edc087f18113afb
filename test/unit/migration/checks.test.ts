import { migrationProblems, type AllowedLoss } from "../../../migration/checks";
import type { FoundNode } from "../../../migration/foundCluster";
import type { DockerEngine } from "../../../components/docker/engine";
import { migrationBetween, type Migration } from "../../../migration/supported";
import type { NodeSpec } from "../../../components/store/topology";
import { VirtualClock } from "../fakes/virtualClock";

const LAYOUT = JSON.stringify({
    version: "1",
    format: "xl-single",
    xl: { version: "3", this: "one", sets: [["one"]] },
});

const NOTHING_LOST: AllowedLoss = { loseSettings: false, loseUnreadable: false };

/** A node, as far as the checks need it. */
const nodeOf = (name: string, variables: string[] = []) => ({
    place: { name, drives: [{ mountPath: "/data1", volumeName: `${name}-drive1` }] } as NodeSpec,
    own: { Config: { Env: variables.map((variable) => `${variable}=x`) } } as FoundNode["own"],
    secrets: {},
});

/** Problems of a migration of one drive, whose store answers all requests with a status; and the requests. */
async function problemsOf(
    migration: Migration | undefined,
    status: number,
    loss: Partial<AllowedLoss> = {},
    variables: string[] = [],
) {
    const asked: string[] = [];
    const engine = {
        checkHealth: () => Promise.resolve({ code: 0, output: "" }),
        readFile: () => Promise.resolve(LAYOUT),
        run: (_: string, command: string[]) => {
            const paths = command.slice(4);
            asked.push(...paths);
            return Promise.resolve({
                code: 0,
                output: paths.map(() => `<Name>bucket</Name>\n=== ${status} 0\n`).join(""),
            });
        },
    } as unknown as DockerEngine;
    const node = nodeOf("node1", variables);
    const ready = [{ place: node.place, container: "id", engine }];
    const problems = await migrationProblems(
        migration as Migration,
        [node],
        ready,
        { ...NOTHING_LOST, loseUnreadable: true, ...loss },
        new VirtualClock(),
    );
    return { problems, asked };
}

describe("a store that is asked before another one takes over its drives", () => {
    test("and doesn't answer is a reason to try again later", async () => {
        const { problems } = await problemsOf(migrationBetween("minio", "rustfs"), 503);
        expect(problems).toEqual([
            expect.stringMatching(/read from node1: minio answers GET \/ with 503: .*\. Run this again/),
        ]);
    });

    test("isn't asked for settings that may be lost", async () => {
        const allowed = await problemsOf(migrationBetween("minio", "rustfs"), 503, { loseSettings: true });
        expect(allowed).toEqual({ problems: [], asked: [] });
    });

    test("isn't asked for settings on the way back, since all of them have an effect there", async () => {
        expect(await problemsOf(migrationBetween("rustfs", "minio"), 503)).toEqual({ problems: [], asked: [] });
    });
});

test("a variable that encrypts what the store has is refused", async () => {
    const { problems } = await problemsOf(migrationBetween("minio", "rustfs"), 200, {}, ["MINIO_KMS_SECRET_KEY"]);
    expect(problems).toEqual([expect.stringMatching(/^MINIO_KMS_SECRET_KEY: minio encrypts/)]);
});

describe("a migration that begins", () => {
    const SETS = [
        ["a", "b"],
        ["c", "d"],
    ];
    const layoutOf = (drive: string, sets: string[][]) =>
        JSON.stringify({ version: "1", format: "xl", xl: { version: "3", this: drive, sets } });

    /**
     * Problems of nodes with one drive each.
     *
     * @param layouts The drive of each node, and the sets of its pool.
     * @param ready Numbers of the nodes that are ready.
     * @param compressedOn Number of the node whose drive has a compressed object.
     */
    const problemsAt = async (
        migration: Migration | undefined,
        layouts: [drive: string, sets: string[][]][],
        ready: number[],
        { loseUnreadable = false, compressedOn }: { loseUnreadable?: boolean; compressedOn?: string } = {},
    ) => {
        const lookedAt: string[] = [];
        const engine = {
            readFile: (id: string) => Promise.resolve(layoutOf(...(layouts[Number(id)] ?? ["", []]))),
            run: (id: string, command: string[]) => {
                if (command[3] === "scan") {
                    lookedAt.push(id);
                }
                return Promise.resolve({ code: 0, output: id === compressedOn ? "compressed /data1/b/k\0" : "" });
            },
        } as unknown as DockerEngine;
        const nodes = layouts.map((_, index) => nodeOf(`node${index}`));
        const problems = await migrationProblems(
            migration as Migration,
            nodes,
            nodes.flatMap(({ place }, index) =>
                ready.includes(index) ? [{ place, container: String(index), engine }] : [],
            ),
            { loseSettings: true, loseUnreadable },
            new VirtualClock(),
        );
        return { problems, lookedAt };
    };

    const toRustfs = migrationBetween("minio", "rustfs");
    const toMinio = migrationBetween("rustfs", "minio");
    const onePool: [string, string[][]][] = SETS.flat().map((drive) => [drive, SETS]);
    const twoPools: [string, string[][]][] = SETS.flatMap((set) =>
        set.map((drive): [string, string[][]] => [drive, [set]]),
    );

    test.each([
        ["erasure set", onePool],
        ["pool", twoPools],
    ])("looks at all drives, and is refused if it can't look at half of each %s", async (_, layouts) => {
        const all = { problems: [], lookedAt: ["0", "1", "2", "3"] };
        expect(await problemsAt(toRustfs, layouts, [0, 1, 2, 3])).toEqual(all);
        expect(await problemsAt(toRustfs, layouts, [1, 3])).toEqual({ problems: [], lookedAt: ["1", "3"] });
        const { problems, lookedAt } = await problemsAt(toRustfs, layouts, [0, 1]);
        expect(problems).toEqual([
            expect.stringMatching(
                /not all objects of minio can be looked at, since it isn't ready on node2, node3\. .*--lose-unreadable/,
            ),
        ]);
        expect(lookedAt).toEqual([]);
        expect((await problemsAt(toRustfs, layouts, [0, 1], { loseUnreadable: true })).problems).toEqual([]);
        expect(await problemsAt(toMinio, layouts, [0, 1])).toEqual({ problems: [], lookedAt: ["0", "1"] });
    });

    test("finds an object on a drive, which others lack that were away when it was written", async () => {
        for (const compressedOn of ["0", "3"]) {
            expect((await problemsAt(toRustfs, onePool, [0, 1, 2, 3], { compressedOn })).problems).toEqual([
                expect.stringMatching(/^b\/k: rustfs can't read objects that are compressed\./),
            ]);
        }
    });

    test("is refused if the former store is needed and isn't ready on any node", async () => {
        expect((await problemsAt(toRustfs, onePool, [])).problems).toEqual([
            "minio is not ready on any node. Start it first (docker start)",
        ]);
        expect((await problemsAt(toMinio, onePool, [])).problems).toEqual([]);
    });
});
