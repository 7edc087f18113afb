import { formsErasureSets } from "./topology";

/** Largest number of drives in an erasure set, of both stores. */
const LARGEST_SET = 16;

/** What the loss of one host means for a pool with nodes on it. */
export interface HostLoss {
    /** Number of the pool, from 1, as in the names of its nodes. */
    pool: number;
    /** Name of the host. */
    host: string;
    /** The greatest number of drives that any erasure set of the pool loses. The other properties describe that set. */
    drivesLost: number;
    /** Number of drives in each erasure set of the pool. */
    setSize: number;
    /** Number of parity drives in each erasure set. */
    parity: number;
    /** Whether every object of the pool can still be read. */
    reads: boolean;
    /** Whether the pool can still be written to. */
    writes: boolean;
    /** Number of further drives of an erasure set that may fail while the pool reads and writes. */
    margin: number;
}

/** A pool as far as its erasure sets depend on it. */
export interface PoolSize {
    nodeCount: number;
    drivesPerNode: number;
}

/**
 * The hosts of the nodes, one list for each pool. Each pool is distributed on its own, from the first host on, so that all
 * pools are even.
 *
 * @param nodeCounts Number of nodes in each pool.
 */
export function placeOnHosts(nodeCounts: number[], hosts: readonly string[]): string[][] {
    return nodeCounts.map((nodeCount) =>
        Array.from({ length: nodeCount }, (_, node) => hosts[node % hosts.length] ?? []).flat(),
    );
}

/**
 * The effect of losing any one host, for each pool and each host with nodes of it, with the default parity of MinIO and
 * RustFS. Pools that the stores refuse are left out: those that can't form erasure sets, or whose sets are too small for
 * the parity of the first pool.
 *
 * The stores' locks need no more than that: they need half of the nodes of a set for reading and more than half for
 * writing, and the drives needed are on at least as many nodes.
 *
 * @param placement The hosts of the nodes, as {@link placeOnHosts} returns them.
 * @param parityOf The pool whose set size decides the parity. RustFS decides it for each pool. MinIO uses the default of
 * the first pool for all pools (`newErasureServerPools` in cmd/erasure-server-pool.go).
 */
export function lossOfHosts(
    pools: PoolSize[],
    placement: string[][],
    parityOf: "eachPool" | "firstPool" = "eachPool",
): HostLoss[] {
    const sizes = pools.map(setSizeOf);
    return pools.flatMap((pool, index) => {
        const hosts = placement[index] ?? [];
        const setSize = sizes[index] ?? 0;
        const parity = parityFor((parityOf === "firstPool" ? sizes[0] : setSize) ?? 0);
        if (setSize === 0 || parity > setSize / 2) {
            return [];
        }
        const { toRead, toWrite } = drivesNeeded(setSize, parity);
        return [...new Set(hosts)].map((host): HostLoss => {
            const drivesLost = mostDrivesLost(pool, (node) => hosts[node] === host);
            const left = setSize - drivesLost;
            return {
                pool: index + 1,
                host,
                drivesLost,
                setSize,
                parity,
                reads: left >= toRead,
                writes: left >= toWrite,
                margin: Math.max(0, left - toWrite),
            };
        });
    });
}

/** The loss with the worst effect, the first of several equal ones. Undefined without any. */
export function worstLoss(losses: HostLoss[]): HostLoss | undefined {
    const rank = ({ reads, writes, margin }: HostLoss) => (reads ? 1 : 0) + (writes ? 1 + margin : 0);
    return losses.reduce<HostLoss | undefined>(
        (worst, loss) => (worst === undefined || rank(loss) < rank(worst) ? loss : worst),
        undefined,
    );
}

/** A loss as a sentence for people: what the pool still does without the host. */
export function describeLoss({ pool, host, drivesLost, setSize, parity, reads, writes, margin }: HostLoss): string {
    const start = `without host "${host}" pool ${pool}`;
    if (writes) {
        const further = margin === 0 ? "no other drive" : `${margin} more drive${margin === 1 ? "" : "s"}`;
        return `${start} reads and writes; ${further} may fail`;
    }
    const { toRead, toWrite } = drivesNeeded(setSize, parity);
    const left = `${setSize - drivesLost} of ${setSize} drives of an erasure set are left`;
    return reads
        ? `${start} reads but doesn't write (${left}, writing needs ${toWrite})`
        : `${start} doesn't read or write (${left}, reading needs ${toRead})`;
}

/**
 * Number of drives in each erasure set of a pool: the largest allowed one. Undefined if the pool can't form sets.
 *
 * `getSetIndexes` in MinIO's cmd/endpoint-ellipses.go chooses it from the divisors of the number of drives, 2 to 16.
 * `possibleSetCountsWithSymmetry` checks only the last range that it parses, and ranges are parsed from the right: of
 * `http://node{1...4}/drive{1...2}` that is the range of the nodes. RustFS has the same functions in
 * crates/ecstore/src/layout/disks_layout.rs.
 */
export function setSizeOf({ nodeCount, drivesPerNode }: PoolSize): number | undefined {
    if (nodeCount * drivesPerNode === 1) {
        return 1;
    }
    const sizes = Array.from({ length: LARGEST_SET - 1 }, (_, index) => LARGEST_SET - index);
    return sizes.find((size) => formsErasureSets(nodeCount, drivesPerNode, size, size));
}

/**
 * The erasure sets of a pool, each as the nodes and drives in it, both from 0. Empty if the pool can't form sets.
 *
 * The stores order the drives of a pool by drive and then by node: the first drive of every node, the second drive of every
 * node, and so on (`argExpander` in ellipses/ellipses.go of minio/pkg, `arg_expander` in RustFS's crates/utils/src/string.rs).
 * Each set is the next `setSize` drives of that list (`endpointSet.Get` in MinIO's cmd/endpoint-ellipses.go). So a set has
 * the same number of drives on every node, or one drive on each of several successive nodes.
 */
export function erasureSets(pool: PoolSize): { node: number; drive: number }[][] {
    const setSize = setSizeOf(pool);
    const { nodeCount, drivesPerNode } = pool;
    const drives = Array.from({ length: nodeCount * drivesPerNode }, (_, index) => ({
        node: index % nodeCount,
        drive: Math.floor(index / nodeCount),
    }));
    return setSize === undefined
        ? []
        : Array.from({ length: drives.length / setSize }, (_, set) => drives.slice(set * setSize, (set + 1) * setSize));
}

/** The greatest number of drives that any erasure set loses with these nodes. */
function mostDrivesLost(pool: PoolSize, isLost: (node: number) => boolean): number {
    return Math.max(...erasureSets(pool).map((set) => set.filter(({ node }) => isLost(node)).length));
}

/** Parity by default of both stores (`DefaultParityBlocks` in MinIO's internal/config/storageclass/storage-class.go). */
export function parityFor(setSize: number): number {
    return Math.min(4, Math.floor(setSize / 2));
}

/**
 * Number of drives of a set that its objects need. Where data and parity are equal, writing needs one more: two halves of
 * a set must not both accept writes.
 */
function drivesNeeded(setSize: number, parity: number): { toRead: number; toWrite: number } {
    const data = setSize - parity;
    return { toRead: data, toWrite: data === parity ? data + 1 : data };
}
