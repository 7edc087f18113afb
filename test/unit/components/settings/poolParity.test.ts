import type { StorageClusterArgs } from "../../../../components/args/storageClusterArgs";
import { checkStorageCluster } from "../../../../components/settings/clusterChecks";

const pathsOf = (args: StorageClusterArgs) =>
    checkStorageCluster("store", args).map(({ propertyPath }) => propertyPath);
const reasonsOf = (args: StorageClusterArgs) => checkStorageCluster("store", args).map(({ reason }) => reason);

describe("a cluster's args", () => {
    describe("refuse a later pool that is too small for the first one's parity", () => {
        const pools = [
            { nodeCount: 4, drivesPerNode: 2 },
            { nodeCount: 2, drivesPerNode: 3 },
        ];
        const args = { profile: "minio", pools, allowDrivesOnOneDevice: true };

        test("of MinIO, which would not start", () => {
            expect(pathsOf(args)).toEqual(["pools[1].nodeCount"]);
            expect(reasonsOf(args)).toEqual([
                "has erasure sets of 6 drives. minio uses the parity of the first pool, 4 drives, for all pools, and " +
                    "doesn't start with erasure sets of fewer than 8: give this pool more nodes or drives",
            ]);
        });

        test("but not the other way round, nor with a parity of the user's", () => {
            expect(pathsOf({ ...args, pools: [...pools].reverse() })).toEqual([]);
            expect(pathsOf({ ...args, environment: { MINIO_STORAGE_CLASS_STANDARD: "EC:2" } })).toEqual([]);
        });

        test("and not for RustFS, which decides it for each pool", () => {
            expect(pathsOf({ ...args, profile: "rustfs" })).toEqual([]);
        });
    });
});
