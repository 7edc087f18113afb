export { HaproxyFrontEnd, url, type HaproxyFrontEndArgs } from "./haproxyFrontEnd";
export {
    minioProfile,
    rustfsProfile,
    serviceProfile,
    type RestrictedPaths,
    type ServiceProfile,
    type ServiceVariables,
} from "./serviceProfile";
export { StorageCluster, type ClusterEndpoints, type ClusterServer, type StorageClusterArgs } from "./storageCluster";
export { StorageNode, type StorageNodeArgs } from "./storageNode";
export type { DrivePlace, NodePlace } from "./topology";
