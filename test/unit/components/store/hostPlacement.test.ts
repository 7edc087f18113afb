import {
    describeLoss,
    erasureSets,
    lossOfHosts,
    placeOnHosts,
    worstLoss,
    type HostLoss,
} from "../../../../components/store/hostPlacement";

const HOSTS = ["a", "b", "c", "d", "e", "f"];

/** The losses of one pool on this number of hosts. */
function lossesOf(hostCount: number, nodeCount: number, drivesPerNode: number): HostLoss[] {
    return lossOfHosts([{ nodeCount, drivesPerNode }], placeOnHosts([nodeCount], HOSTS.slice(0, hostCount)));
}

describe("placement", () => {
    test("each pool starts at the first host again", () => {
        expect(placeOnHosts([4, 2, 3], ["a", "b", "c"])).toEqual([
            ["a", "b", "c", "a"],
            ["a", "b"],
            ["a", "b", "c"],
        ]);
    });

    test("hosts without nodes are possible, and pools without hosts are empty", () => {
        expect(placeOnHosts([1], ["a", "b"])).toEqual([["a"]]);
        expect(placeOnHosts([2], [])).toEqual([[]]);
    });
});

describe("the loss of the host with the most drives", () => {
    test.each([
        { hosts: 3, nodes: 3, drives: 1, size: 3, parity: 1, lost: 1, reads: true, writes: true, margin: 0 },
        { hosts: 3, nodes: 4, drives: 1, size: 4, parity: 2, lost: 2, reads: true, writes: false, margin: 0 },
        { hosts: 3, nodes: 6, drives: 1, size: 6, parity: 3, lost: 2, reads: true, writes: true, margin: 0 },
        { hosts: 3, nodes: 8, drives: 1, size: 8, parity: 4, lost: 3, reads: true, writes: true, margin: 0 },
        { hosts: 4, nodes: 4, drives: 1, size: 4, parity: 2, lost: 1, reads: true, writes: true, margin: 0 },
        { hosts: 4, nodes: 6, drives: 1, size: 6, parity: 3, lost: 2, reads: true, writes: true, margin: 0 },
        { hosts: 4, nodes: 4, drives: 2, size: 8, parity: 4, lost: 2, reads: true, writes: true, margin: 1 },
        { hosts: 4, nodes: 8, drives: 1, size: 8, parity: 4, lost: 2, reads: true, writes: true, margin: 1 },
        { hosts: 4, nodes: 4, drives: 4, size: 16, parity: 4, lost: 4, reads: true, writes: true, margin: 0 },
        { hosts: 5, nodes: 5, drives: 1, size: 5, parity: 2, lost: 1, reads: true, writes: true, margin: 1 },
        { hosts: 2, nodes: 2, drives: 1, size: 2, parity: 1, lost: 1, reads: true, writes: false, margin: 0 },
        { hosts: 2, nodes: 2, drives: 4, size: 8, parity: 4, lost: 4, reads: true, writes: false, margin: 0 },
        { hosts: 2, nodes: 2, drives: 8, size: 16, parity: 4, lost: 8, reads: false, writes: false, margin: 0 },
        { hosts: 3, nodes: 3, drives: 4, size: 12, parity: 4, lost: 4, reads: true, writes: true, margin: 0 },
        { hosts: 3, nodes: 3, drives: 5, size: 15, parity: 4, lost: 5, reads: false, writes: false, margin: 0 },
        { hosts: 2, nodes: 1, drives: 1, size: 1, parity: 0, lost: 1, reads: false, writes: false, margin: 0 },
        { hosts: 2, nodes: 1, drives: 4, size: 4, parity: 2, lost: 4, reads: false, writes: false, margin: 0 },
    ])("$nodes node(s) with $drives drive(s) on $hosts hosts: $lost of $size", (example) => {
        const { hosts, nodes, drives, size: setSize, parity, lost: drivesLost, reads, writes, margin } = example;
        const expected = { pool: 1, host: "a", drivesLost, setSize, parity, reads, writes, margin };
        expect(worstLoss(lossesOf(hosts, nodes, drives))).toEqual(expected);
    });
});

describe("erasure sets", () => {
    test("are as large as allowed, with the same number of drives on every node", () => {
        const sizes = (nodeCount: number, drivesPerNode: number) => lossesOf(1, nodeCount, drivesPerNode)[0]?.setSize;
        expect(sizes(1, 12)).toBe(12);
        expect(sizes(1, 32)).toBe(16);
        expect(sizes(1, 18)).toBe(9);
        expect(sizes(5, 7)).toBe(5);
        expect(sizes(6, 4)).toBe(12);
        expect(sizes(20, 1)).toBe(10);
        expect(sizes(32, 2)).toBe(16);
    });

    test("take the first drives of all nodes, then the second ones: 6 nodes with 4 drives are two sets of 12", () => {
        expect(lossesOf(3, 6, 4).map(({ host, drivesLost }) => [host, drivesLost])).toEqual([
            ["a", 4],
            ["b", 4],
            ["c", 4],
        ]);
    });

    test("are on successive nodes if there are more nodes than drives in a set", () => {
        // Nodes 1 to 10 are on a four times, nodes 11 to 20 on b.
        expect(lossesOf(3, 20, 1).map(({ host, drivesLost }) => [host, drivesLost])).toEqual([
            ["a", 4],
            ["b", 4],
            ["c", 3],
        ]);
        const placement = [Array.from({ length: 32 }, (_, node) => (node < 16 ? "a" : "b"))];
        expect(lossOfHosts([{ nodeCount: 32, drivesPerNode: 1 }], placement)).toMatchObject([
            { host: "a", drivesLost: 16, reads: false },
            { host: "b", drivesLost: 16, reads: false },
        ]);
    });

    test("that can't be formed have no losses", () => {
        expect(lossesOf(3, 17, 1)).toEqual([]);
        expect(lossesOf(3, 19, 2)).toEqual([]);
    });
});

describe("several pools", () => {
    const pools = [
        { nodeCount: 4, drivesPerNode: 1 },
        { nodeCount: 4, drivesPerNode: 4 },
    ];
    const placement = placeOnHosts([4, 4], ["a", "b", "c", "d"]);

    test("have one entry for each pool and host with nodes of it", () => {
        const losses = lossOfHosts([...pools, { nodeCount: 2, drivesPerNode: 2 }], [...placement, ["b", "b"]]);
        expect(losses.map(({ pool, host }) => `${pool}${host}`)).toEqual("1a 1b 1c 1d 2a 2b 2c 2d 3b".split(" "));
        expect(worstLoss(losses)).toMatchObject({ pool: 3, host: "b", drivesLost: 4, reads: false });
    });

    test("have the parity of their own sets, or that of the first pool", () => {
        expect(lossOfHosts(pools, placement)[4]).toMatchObject({ pool: 2, parity: 4, reads: true, writes: true });
        expect(lossOfHosts(pools, placement, "firstPool")[4]).toMatchObject({
            pool: 2,
            parity: 2,
            reads: false,
            writes: false,
        });
    });

    test("whose sets are too small for the first pool's parity are left out", () => {
        const smaller = [pools[1], pools[0]].flatMap((pool) => pool ?? []);
        expect(lossOfHosts(smaller, placement, "firstPool").map(({ pool }) => pool)).toEqual([1, 1, 1, 1]);
    });
});

describe("the worst loss", () => {
    const loss: HostLoss = {
        ...{ pool: 1, host: "a", drivesLost: 1, setSize: 8, parity: 4 },
        ...{ reads: true, writes: true, margin: 2 },
    };

    test("is one without reads, then one without writes, then the one with the smallest margin", () => {
        const small = { ...loss, host: "b", margin: 0 };
        const noWrites = { ...loss, host: "c", writes: false, margin: 0 };
        const noReads = { ...noWrites, host: "d", reads: false };
        expect(worstLoss([loss, small])).toBe(small);
        expect(worstLoss([small, noWrites, loss])).toBe(noWrites);
        expect(worstLoss([noWrites, noReads, small])).toBe(noReads);
        expect(worstLoss([small, { ...small, host: "e" }])).toBe(small);
        expect(worstLoss([])).toBeUndefined();
    });
});

test.each([
    [4, 8, 1, 'without host "a" pool 1 reads and writes; 1 more drive may fail'],
    [6, 12, 1, 'without host "a" pool 1 reads and writes; 2 more drives may fail'],
    [3, 3, 1, 'without host "a" pool 1 reads and writes; no other drive may fail'],
    [
        3,
        4,
        1,
        'without host "a" pool 1 reads but doesn\'t write (2 of 4 drives of an erasure set are left, writing needs 3)',
    ],
    [
        2,
        2,
        8,
        'without host "a" pool 1 doesn\'t read or write (8 of 16 drives of an erasure set are left, reading needs 12)',
    ],
])("%i hosts, %i nodes with %i drive(s): %s", (hosts, nodes, drives, sentence) => {
    expect(lossesOf(hosts, nodes, drives).map(describeLoss)[0]).toBe(sentence);
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
