export { ALLOWABLE_CHANGES, type AllowableChange } from "./clusterChanges";
export { HaproxyFrontEnd, url, type HaproxyFrontEndArgs } from "./haproxyFrontEnd";
export {
    minioProfile,
    rustfsProfile,
    serviceProfile,
    type AlikeOnAllNodes,
    type RestrictedPaths,
    type ServiceProfile,
    type ServiceVariables,
} from "./serviceProfile";
export { StorageCluster, type ClusterEndpoints, type ClusterServer, type StorageClusterArgs } from "./storageCluster";
export { StorageNode, type StorageNodeArgs } from "./storageNode";
export type { DrivePlace, NodePlace, Pool } from "./topology";
