import type { DeployedCluster } from "../../components/preflight/deployedCluster";
import type { DesiredCluster } from "../../components/preflight/desiredCluster";
import { readyNodes, takeOverProblems } from "../../components/preflight/takeOverChecks";
import type { DockerEngine } from "../../components/engine/dockerEngine";
import { takeOverBetween, type TakeOver } from "../../components/store/profiles/takeOvers";
import type { NodePlace } from "../../components/store/topology";
import { VirtualClock } from "./rollout/virtualClock";

const LAYOUT = JSON.stringify({
    version: "1",
    format: "xl-single",
    xl: { version: "3", this: "one", sets: [["one"]] },
});

/** Problems of a take-over of one drive, whose store answers all requests with a status; and the requests. */
async function problemsOf(takeOver: TakeOver | undefined, status: number, allowedChanges: string[] = []) {
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
    const node = { name: "node1", drives: [{ mountPath: "/data1", volumeName: "node1-drive1" }] };
    const desired = { nodes: [node], allowedChanges } as unknown as DesiredCluster;
    const deployed = {
        nodes: [{ name: "node1", container: { id: "id", state: "running" } }],
    } as unknown as DeployedCluster;
    const ready = await readyNodes(deployed, desired, () => Promise.resolve(engine));
    const problems = await takeOverProblems(takeOver as TakeOver, ready, desired, false, new VirtualClock());
    return { problems, asked };
}

describe("a store that is asked before another one takes over its drives", () => {
    test("and doesn't answer is a reason to try again later", async () => {
        const { problems } = await problemsOf(takeOverBetween("minio", "rustfs"), 503);
        expect(problems).toEqual([
            {
                propertyPath: "profile",
                reason: expect.stringMatching(
                    /^"rustfs" can't take over the drives now: .* read from node1: minio answers GET \/ with 503: .*\. Run this again/,
                ) as string,
            },
        ]);
    });

    test("isn't asked for settings that may be lost", async () => {
        const allowed = await problemsOf(takeOverBetween("minio", "rustfs"), 503, ["settingLoss"]);
        expect(allowed).toEqual({ problems: [], asked: [] });
    });

    test("isn't asked for settings on the way back, since all of them have an effect there", async () => {
        expect(await problemsOf(takeOverBetween("rustfs", "minio"), 503)).toEqual({ problems: [], asked: [] });
    });
});

describe("a take-over that begins", () => {
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
        takeOver: TakeOver | undefined,
        layouts: [drive: string, sets: string[][]][],
        ready: number[],
        { allowedChanges = [], compressedOn }: { allowedChanges?: string[]; compressedOn?: string } = {},
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
        const places = layouts.map((_, index) => {
            const name = `node${index}`;
            return { name, drives: [{ mountPath: "/data1", volumeName: `${name}-drive1` }] } as NodePlace;
        });
        const problems = await takeOverProblems(
            takeOver as TakeOver,
            places.flatMap((place, index) =>
                ready.includes(index) ? [{ place, container: String(index), engine }] : [],
            ),
            { nodes: places, allowedChanges: ["settingLoss", ...allowedChanges] } as unknown as DesiredCluster,
            true,
            new VirtualClock(),
        );
        return { problems: problems.map(({ reason }) => reason), lookedAt };
    };

    const toRustfs = takeOverBetween("minio", "rustfs");
    const toMinio = takeOverBetween("rustfs", "minio");
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
                /^"rustfs" can't take over the drives now: .* isn't ready on node2, node3\. .*unreadableObjects/,
            ),
        ]);
        expect(lookedAt).toEqual([]);
        const allowedChanges = ["unreadableObjects"];
        expect((await problemsAt(toRustfs, layouts, [0, 1], { allowedChanges })).problems).toEqual([]);
        expect(await problemsAt(toMinio, layouts, [0, 1])).toEqual({ problems: [], lookedAt: ["0", "1"] });
    });

    test("finds an object on a drive, which others lack that were away when it was written", async () => {
        for (const compressedOn of ["0", "3"]) {
            expect((await problemsAt(toRustfs, onePool, [0, 1, 2, 3], { compressedOn })).problems).toEqual([
                expect.stringMatching(/can't read objects that are compressed: b\/k\./),
            ]);
        }
    });

    test("is refused if the former store is needed and isn't ready on any node", async () => {
        expect((await problemsAt(toRustfs, onePool, [])).problems).toEqual([
            `"rustfs" can't take over the drives: minio is not ready on any node. Correct that first`,
        ]);
        expect((await problemsAt(toMinio, onePool, [])).problems).toEqual([]);
    });
});
