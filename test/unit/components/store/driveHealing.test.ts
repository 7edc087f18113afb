import { minioProfile, rustfsProfile } from "../../../../components";
import { inAgreement, parityIn, readHealing, type DriveHealing } from "../../../../components/store/driveHealing";

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
