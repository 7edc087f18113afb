import type { ServiceProfile } from "../store/serviceProfile";
import { DEFAULT_PROFILE, findProfile } from "../store/profiles/all";
import { serviceProfile } from "../store/profiles/contract";
import type { StorageClusterArgs } from "./storageClusterArgs";
import type { Pool } from "../store/topology";

/** The pools of the args. `nodeCount` and the properties that belong to it are the short form for one pool. */
export function poolsOf({ pools, nodeCount = 1, drivesPerNode = 1, ...drives }: StorageClusterArgs): Pool[] {
    return pools ?? [{ nodeCount, drivesPerNode, drivePaths: drives.drivePaths, volumeNames: drives.volumeNames }];
}

/** Folders of the host, with the names of the properties that set them. */
export function pathsOf(args: StorageClusterArgs): { propertyPath: string; path: string }[] {
    return poolsOf(args).flatMap(({ drivePaths = [] }, pool) =>
        drivePaths.flatMap((paths, node) =>
            paths.map((path, drive) => ({
                propertyPath: `${poolPath(args, pool)}drivePaths[${node}][${drive}]`,
                path,
            })),
        ),
    );
}

export function poolPath({ pools }: StorageClusterArgs, pool: number): string {
    return pools === undefined ? "" : `pools[${pool}].`;
}

export function profileOf(args: StorageClusterArgs): ServiceProfile {
    return args.customProfile ?? findProfile(args.profile ?? DEFAULT_PROFILE.name) ?? serviceProfile;
}
