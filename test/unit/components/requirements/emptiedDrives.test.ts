import { ruleOnDrives, type RuledDrive, type RuledSet } from "../../../../components/requirements/emptiedDrives";

const HOSTS = ["a", "b", "c", "d"];

const SAID: { [state: string]: [RuledDrive["healing"], string] } = {
    healing: ["unhealed", "is being healed since 10:00"],
    silent: ["unknown", "no answer"],
    stopped: ["stopped", "is on a node that doesn't run"],
};

/** A drive on each of these hosts: `ok`, `empty`, `healing`, `silent` (nothing is known), `used` (empty, and in use), `stopped` (with its node). */
const setOf = (parity: number, ...states: string[]): RuledSet => ({
    parity,
    drives: states.map((state, index): RuledDrive => {
        const [healing, reason] = SAID[state] ?? ["healed", ""];
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
        ["one beside it, whose node was stopped for it", setOf(2, "ok", "empty", "stopped", "ok"), [b]],
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
            "more than the parity with drives beside it, whose node was stopped",
            setOf(1, "ok", "empty", "stopped", "ok"),
            [b, "unhealedDrives:c"],
            /^node2 drive 1 would be empty, and node3 drive 1 is on a node that doesn't run.* no value of allowedChanges allows that/,
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
