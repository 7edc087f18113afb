import { lossOfHosts, placeOnHosts, type HostLoss } from "../store/hostPlacement";
import type { ServiceProfile } from "../store/serviceProfile";
import { DEFAULT_PROFILE, findProfile } from "../store/profiles/all";
import { serviceProfile } from "../store/profiles/contract";
import type { StorageClusterArgs } from "../args/storageClusterArgs";
import type { Pool } from "../store/topology";

/** The pools of the args. `nodeCount` and the properties that belong to it are the short form for one pool. */
export function poolsOf({ pools, nodeCount = 1, drivesPerNode = 1, ...drives }: StorageClusterArgs): Pool[] {
    return pools ?? [{ nodeCount, drivesPerNode, drivePaths: drives.drivePaths, volumeNames: drives.volumeNames }];
}

/** Maximum number of nodes of a pool, and of drives of a node: RustFS and MinIO were seen to run with it. */
export const MAXIMUM_COUNT = 64;

/** The host of each node, one list for each pool. Undefined for a cluster on one host. */
export function placementOf({ hosts }: StorageClusterArgs, pools: Pool[]): string[][] | undefined {
    return hosts === undefined
        ? undefined
        : placeOnHosts(
              pools.map(({ nodeCount }) => Math.min(nodeCount, MAXIMUM_COUNT)),
              hosts.map(({ name }) => name),
          );
}

/** What the loss of each host means for each pool. Empty for a cluster on one host. */
export function lossesOf(args: StorageClusterArgs): HostLoss[] {
    const pools = poolsOf(args).map(({ nodeCount, drivesPerNode = 1 }) => ({ nodeCount, drivesPerNode }));
    const placement = placementOf(args, pools);
    const parityOf = profileOf(args).parityOfFirstPool === true ? "firstPool" : "eachPool";
    return placement === undefined ? [] : lossOfHosts(pools, placement, parityOf);
}

/** A folder of a host, and the name of the property that sets it. */
export interface GivenPath {
    propertyPath: string;
    path: string;
    /** Name of the host. Undefined in a cluster on one host. */
    host: string | undefined;
}

/** Folders of the hosts. With a host's name, only those of that host. */
export function pathsOf(args: StorageClusterArgs, onlyOn?: string): GivenPath[] {
    const pools = poolsOf(args);
    const placement = placementOf(args, pools);
    return pools
        .flatMap(({ drivePaths = [] }, pool) =>
            drivePaths.flatMap((paths, node) =>
                paths.map((path, drive) => ({
                    propertyPath: `${poolPath(args, pool)}drivePaths[${node}][${drive}]`,
                    path,
                    host: placement?.[pool]?.[node],
                })),
            ),
        )
        .filter(({ host }) => onlyOn === undefined || host === onlyOn);
}

export function poolPath({ pools }: StorageClusterArgs, pool: number): string {
    return pools === undefined ? "" : `pools[${pool}].`;
}

export function profileOf(args: StorageClusterArgs): ServiceProfile {
    return args.customProfile ?? findProfile(args.profile ?? DEFAULT_PROFILE.name) ?? serviceProfile;
}
