/**
 * Pulumi components of an S3-compatible object store on Docker, and of the way in.
 *
 * @packageDocumentation
 */

export { ACME_KEY_TYPES, type AcmeArgs, type ExternalAccountBindingArgs } from "./acmeSettings";
export type { CertificateArgs } from "./certificateSource";
export { ALLOWABLE_CHANGES, type AllowableChange } from "./clusterChanges";
export type { RestrictedPaths, UnverifiedUploads } from "./edgeRestrictions";
export type { FrontEndService, FrontEndServiceServer, FrontEndStore } from "./frontEndBackends";
export { HaproxyFrontEnd, url, type HaproxyFrontEndArgs } from "./haproxyFrontEnd";
export type { KnownVulnerability } from "./knownVulnerabilities";
export { ObjectStore, type ObjectStoreArgs } from "./objectStore";
export type { SelfSignedArgs } from "./selfSignedCertificate";
export {
    minioProfile,
    rustfsProfile,
    serviceProfile,
    type AlikeOnAllNodes,
    type ServiceProfile,
    type ServiceVariables,
} from "./serviceProfile";
export { StorageCluster, type ClusterEndpoints, type ClusterServer, type StorageClusterArgs } from "./storageCluster";
export { StorageNode, type HostAddress, type NodeTurn, type NodeTurns, type StorageNodeArgs } from "./storageNode";
export type { DrivePlace, NodePlace, Pool } from "./topology";
