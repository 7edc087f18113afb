import type { Problem } from "../checks/problem";
import { parityFor, setSizeOf } from "../store/hostPlacement";
import { poolPath, poolsOf, profileOf } from "./pools";
import type { StorageClusterArgs } from "../args/storageClusterArgs";

/**
 * Refuses a pool whose erasure sets are too small for the parity of the first pool, of a store that uses that for all pools.
 * Such a store doesn't start, and so neither does a running cluster that gets such a pool. MinIO: `newErasureServerPools` in
 * cmd/erasure-server-pool.go, `ValidateParity` in internal/config/storageclass/storage-class.go.
 */
export function checkPoolParity(args: StorageClusterArgs): Problem[] {
    const { name, parityOfFirstPool, parityVariable = "" } = profileOf(args);
    const given = { ...args.environment, ...args.secretEnvironment };
    // If a user sets the parity, the store checks it.
    if (parityOfFirstPool !== true || parityVariable in given) {
        return [];
    }
    const sizes = poolsOf(args).map(({ nodeCount, drivesPerNode = 1 }) => setSizeOf({ nodeCount, drivesPerNode }));
    const parity = parityFor(sizes[0] ?? 0);
    return sizes.flatMap((size = 0, index) => {
        const reason =
            `has erasure sets of ${size} drives. ${name} uses the parity of the first pool, ${parity} drives, for all ` +
            `pools, and doesn't start with erasure sets of fewer than ${2 * parity}: give this pool more nodes or drives`;
        return size === 0 || size >= 2 * parity ? [] : [{ propertyPath: `${poolPath(args, index)}nodeCount`, reason }];
    });
}
