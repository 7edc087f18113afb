import { minioProfile, rustfsProfile } from "../../../../components";
import { checkDriveWord } from "../../../../components/requirements/driveWords";
import { ruleOnDrives, type RuledDrive, type RuledSet } from "../../../../components/requirements/emptiedDrives";
import { inAgreement, parityIn, readHealing, type DriveHealing } from "../../../../components/store/driveHealing";
import { erasureSets } from "../../../../components/store/hostPlacement";

const HOSTS = ["a", "b", "c", "d"];

/** A drive on each of these hosts: `ok`, `empty`, `healing`, `silent` (nothing is known), `used` (empty, and in use). */
const setOf = (parity: number, ...states: string[]): RuledSet => ({
    parity,
    drives: states.map((state, index): RuledDrive => {
        const [healing, reason]: [RuledDrive["healing"], string] =
            state === "healing"
                ? ["unhealed", "is being healed since 10:00"]
                : state === "silent"
                  ? ["unknown", "no answer"]
                  : ["healed", ""];
        return {
            node: { server: `node${index + 1}`, host: HOSTS[index] },
            container: `store-pool1-node${index + 1}`,
            name: `node${index + 1} drive 1`,
            ...(state === "empty" || state === "used"
                ? {
                      emptied: { propertyPath: "clusterName", reason: `node${index + 1}'s volume is gone` },
                      healing: "unhealed",
                      reason: "is away",
                  }
                : { healing, reason }),
            inUse: state === "used",
        };
    }),
});

describe("the rule for drives", () => {
    const b = "emptyDrives:b";

    test.each<[string, RuledSet, string[]]>([
        ["no drive is emptied, whatever the store says", setOf(2, "healing", "silent", "ok", "ok"), []],
        ["one, which its host names, while all others are healed", setOf(2, "ok", "empty", "ok", "ok"), [b]],
        ["one, which its node names", setOf(2, "ok", "empty", "ok", "ok"), ["emptyDrives:node2"]],
        ["as many as the parity, if all are named", setOf(2, "empty", "empty", "ok", "ok"), ["emptyDrives:a", b]],
        ["another is being healed, and is named", setOf(2, "healing", "empty", "ok", "ok"), [b, "unhealedDrives:a"]],
        [
            "nothing is known of the others, and all are named",
            setOf(1, "silent", "empty", "silent"),
            [b, "unhealedDrives:node1", "unhealedDrives:c"],
        ],
        ["the only drive, which is named: it begins from the start", setOf(0, "empty"), ["emptyDrives:node1"]],
        [
            "all drives of a set, if all are named: it begins from the start",
            setOf(1, "empty", "empty", "empty"),
            ["emptyDrives:a", b, "emptyDrives:c"],
        ],
    ])("allows: %s", (_, set, words) => {
        const { problems, needed, emptied } = ruleOnDrives([set], words);
        expect(problems).toEqual([]);
        expect(needed.sort()).toEqual(words.sort());
        expect(emptied).toEqual(set.drives.filter((drive) => drive.emptied !== undefined));
    });

    test.each<[string, RuledSet, string[], RegExp]>([
        ["no word", setOf(2, "ok", "empty", "ok", "ok"), [], /^node2's volume is gone, or, .* add "emptyDrives:b"/],
        ["the bare word", setOf(2, "ok", "empty", "ok", "ok"), ["emptyDrives"], /add "emptyDrives:b"/],
        ["a word for another host", setOf(2, "ok", "empty", "ok", "ok"), ["emptyDrives:c"], /add "emptyDrives:b"/],
        [
            "one of two isn't named",
            setOf(2, "empty", "empty", "ok", "ok"),
            [b],
            /^node1's volume is gone, or, .* add "emptyDrives:a"/,
        ],
        [
            "another is being healed",
            setOf(2, "healing", "empty", "ok", "ok"),
            [b],
            /^node2 drive 1 can't be emptied now, .*: node1 drive 1 is being healed since 10:00\. Wait .* add "unhealedDrives:a"/,
        ],
        [
            "nothing is known of others",
            setOf(2, "silent", "empty", "ok", "silent"),
            [b, "unhealedDrives:a"],
            /: node4 drive 1 isn't known to be healed \(no answer\)\. .* add "unhealedDrives:d"/,
        ],
        [
            "more than the parity",
            setOf(2, "empty", "empty", "empty", "ok"),
            ["emptyDrives:a", b, "emptyDrives:c", "unhealedDrives:d"],
            /^node1 drive 1, node2 drive 1, node3 drive 1 would be empty\. .* of 4 drives can lose 2, .* no value of allowedChanges allows that/,
        ],
        [
            "more than the parity with what is being healed, whatever is named",
            setOf(1, "healing", "empty", "ok"),
            [b, "unhealedDrives:a"],
            /^node2 drive 1 would be empty, and node1 drive 1 is being healed .* no value of allowedChanges allows that.*npm run status/,
        ],
        [
            "one that the store has in use",
            setOf(2, "ok", "used", "ok", "ok"),
            [b],
            /^node2's volume is gone, but the other nodes have node2 drive 1 in use: is host "b" still there.*docker stop store-pool1-node2/,
        ],
    ])("refuses: %s", (_, set, words, reason) => {
        const { problems } = ruleOnDrives([set], words);
        expect(problems.map((problem) => problem.reason)).toContainEqual(expect.stringMatching(reason));
    });

    test("each set is on its own: drives of another one don't count", () => {
        const sets = [setOf(1, "ok", "empty", "ok"), setOf(1, "healing", "silent", "healing")];
        expect(ruleOnDrives(sets, [b]).problems).toEqual([]);
        expect(ruleOnDrives([setOf(1, "ok", "empty", "ok"), setOf(1, "empty", "ok", "ok")], [b]).problems).toHaveLength(
            1,
        );
    });

    test("a word that names nothing that is emptied isn't needed", () => {
        const words = ["emptyDrives:a", b, "unhealedDrives:c"];
        expect(ruleOnDrives([setOf(2, "ok", "empty", "ok", "ok")], words).needed).toEqual([b]);
        expect(ruleOnDrives([setOf(2, "ok", "ok", "ok", "ok")], words).needed).toEqual([]);
    });
});

describe("a word for drives", () => {
    test.each(["emptyDrives:node1", "emptyDrives:node4", "unhealedDrives:node2", "emptyDrives:b"])(
        "%s names a node or a host",
        (value) => expect(checkDriveWord("allowedChanges[0]", value, 4, HOSTS)).toEqual([]),
    );

    test.each([
        [
            "emptyDrives",
            /^"emptyDrives" doesn't say for which drives: give one of "emptyDrives:node1" to "emptyDrives:node4", or .*"emptyDrives:a"/,
        ],
        ["emptyDrives:", /doesn't say for which/],
        ["unhealedDrives:node5", /names no node or host of this cluster: give one of "unhealedDrives:node1"/],
        ["emptyDrives:e", /names no node or host/],
        ["emptyDrives:node01", /names no node or host/],
    ])("%s is refused, with what to write instead", (value, reason) => {
        expect(checkDriveWord("allowedChanges[0]", value, 4, HOSTS)).toEqual([
            { propertyPath: "allowedChanges[0]", reason: expect.stringMatching(reason) as string },
        ]);
    });

    test("a single node has one name", () => {
        expect(checkDriveWord("allowedChanges[0]", "emptyDrives", 1, [])[0]?.reason).toMatch(
            /give "emptyDrives:node1"$/,
        );
    });
});

describe("erasure sets", () => {
    test("have the first drive of every node, then the second", () => {
        expect(erasureSets({ nodeCount: 2, drivesPerNode: 2 })).toEqual([
            [
                { node: 0, drive: 0 },
                { node: 1, drive: 0 },
                { node: 0, drive: 1 },
                { node: 1, drive: 1 },
            ],
        ]);
        const sets = erasureSets({ nodeCount: 32, drivesPerNode: 1 });
        expect(sets.map((set) => set.map(({ node }) => node))).toEqual([
            Array.from({ length: 16 }, (_, node) => node),
            Array.from({ length: 16 }, (_, node) => node + 16),
        ]);
    });
});

const nodes = [1, 2].map((node) => ({
    name: `store-pool1-node${node}`,
    drives: [{ mountPath: "/data/drive1" }, { mountPath: "/data/drive2" }],
}));
const endpoint = (node: number, drive: number) => `http://store-pool1-node${node}:9000/data/drive${drive}`;
const states = (healing: DriveHealing[]) => healing.map(({ state }) => state);
const reasons = (healing: DriveHealing[]) => healing.map(({ reason }) => reason);

describe("what MinIO says about healing", () => {
    const requests = minioProfile.healing ?? { drives: "" };
    const whole = [endpoint(1, 1), endpoint(1, 2), endpoint(2, 1), endpoint(2, 2)].map((at) => ({
        endpoint: at,
        state: "ok",
    }));
    const read = (...disks: object[]) =>
        readHealing({ drives: JSON.stringify({ sets: [{ disks }], sc_parity: { STANDARD: 2 } }) }, requests, nodes);

    test("all drives are there, and none is being healed", () => {
        expect(states(read(...whole))).toEqual(["healed", "healed", "healed", "healed"]);
        expect(
            states(read(...whole.map((disk) => ({ ...disk, heal_info: { finished: true, items_failed: 0 } })))),
        ).toEqual(Array.from({ length: 4 }, () => "healed"));
    });

    test.each<[object, string, string]>([
        [
            { healing: true, heal_info: { started: "2026-11-20T10:00:00Z" } },
            "unhealed",
            "is being healed since 2026-11-20T10:00:00Z",
        ],
        [{ healing: true }, "unhealed", "is being healed"],
        [{ state: "offline" }, "unhealed", "doesn't answer the others: offline"],
        [
            { heal_info: { finished: true, items_failed: 3 } },
            "unhealed",
            "was healed except for 3 object(s) that the store could not heal",
        ],
        [{ endpoint: "http://other:9000/data/drive1" }, "unhealed", "isn't among the drives that the store lists"],
    ])("%j", (change, state, reason) => {
        const [first, ...others] = whole;
        const [found] = read({ ...first, ...change }, ...others);
        expect([found?.state, found?.reason]).toEqual([state, reason]);
    });

    test("no answer, or another one", () => {
        expect(reasons(readHealing({ drives: new Error("refused") }, requests, nodes))).toEqual(
            Array(4).fill("refused"),
        );
        expect(states(readHealing({ drives: "<html>" }, requests, nodes))).toEqual(Array(4).fill("unknown"));
        expect(states(readHealing({}, requests, nodes))).toEqual(Array(4).fill("unknown"));
    });

    test("the parity that it works with", () => {
        expect(parityIn({ drives: JSON.stringify({ sc_parity: { STANDARD: 1 } }) }, 0)).toBe(1);
        expect(parityIn({ drives: "" }, 0)).toBeUndefined();
    });
});

describe("what RustFS says about healing", () => {
    const requests = rustfsProfile.healing ?? { drives: "" };
    const drives = (change: object = {}) =>
        JSON.stringify({
            info: {
                disks: [1, 2].flatMap((node) =>
                    [1, 2].map((drive) => ({
                        endpoint: endpoint(node, drive),
                        state: "ok",
                        healing: false,
                        ...(node === 2 && drive === 1 ? change : {}),
                    })),
                ),
                backend: { StandardSCParities: [2, 4] },
            },
        });
    const tasks = (state = "idle", unknown = 0) =>
        JSON.stringify({
            state,
            clusterStatusComplete: unknown === 0,
            coverage: { expected: 2, responded: 2 - unknown, unknown },
        });
    const replacements = (records: object[] = [], definitive = true) =>
        JSON.stringify({
            local: { definitive, records: [], reason: definitive ? null : "heal runtime is not initialized" },
            cluster: { definitive, records },
        });
    const whole = { drives: drives(), tasks: tasks(), replacements: replacements() };
    const read = (change: object, absent = 0) => readHealing({ ...whole, ...change }, requests, nodes, absent);

    test("all drives are there, nothing is being healed, and the records are complete", () => {
        expect(states(read({}))).toEqual(Array(4).fill("healed"));
        expect(parityIn(whole, 1)).toBe(4);
    });

    test("a record of a drive that has been replaced and healed", () => {
        const records = [{ state: "completed", targetSlots: [endpoint(2, 1)] }];
        expect(states(read({ replacements: replacements(records) }))).toEqual(Array(4).fill("healed"));
    });

    test.each<[string, object, string[]]>([
        ["a drive has its marker", { drives: drives({ healing: true }) }, ["healed", "healed", "unhealed", "healed"]],
        [
            "a drive has no format yet",
            { drives: drives({ state: "unformatted disk" }) },
            ["healed", "healed", "unhealed", "healed"],
        ],
        [
            "a record isn't completed",
            { replacements: replacements([{ state: "running", targetSlots: [endpoint(2, 1)] }]) },
            ["healed", "healed", "unhealed", "healed"],
        ],
        ["a task runs", { tasks: tasks("active") }, Array(4).fill("unknown") as string[]],
        ["a node doesn't say whether it heals", { tasks: tasks("degraded", 1) }, Array(4).fill("unknown") as string[]],
        ["healing is switched off", { tasks: tasks("disabled") }, Array(4).fill("unknown") as string[]],
        ["the records are incomplete", { replacements: replacements([], false) }, Array(4).fill("unknown") as string[]],
        [
            "an empty record list alone",
            { tasks: new Error("503"), drives: drives() },
            Array(4).fill("unknown") as string[],
        ],
    ])("not healed: %s", (_, change, expected) => {
        expect(states(read(change))).toEqual(expected);
    });

    test("a node that is known not to run needn't say anything", () => {
        expect(states(read({ tasks: tasks("degraded", 1) }, 1))).toEqual(Array(4).fill("healed"));
        expect(states(read({ tasks: tasks("degraded", 2) }, 1))).toEqual(Array(4).fill("unknown"));
        expect(states(read({ tasks: tasks("active", 1) }, 1))).toEqual(Array(4).fill("unknown"));
    });

    test("several nodes have to agree", () => {
        const [one, other] = [read({}), read({ drives: drives({ healing: true, heal_info: { started: "10:00" } }) })];
        expect(states(inAgreement([one, other, one]))).toEqual(["healed", "healed", "unhealed", "healed"]);
        expect(inAgreement([one, other])[2]).toMatchObject({ reason: "is being healed since 10:00", inUse: true });
    });
});
