/**
 * Pulumi components of an S3-compatible object store on Docker, and of the way in.
 *
 * @packageDocumentation
 */

export { ACME_KEY_TYPES, type AcmeArgs, type ExternalAccountBindingArgs } from "./certificate/acmeSettings";
export type { CertificateArgs } from "./certificate/certificateSource";
export { ALLOWABLE_CHANGES, type AllowableChange } from "./preflight/clusterChanges";
export type { RestrictedPaths, UnverifiedUploads } from "./store/edgeRestrictions";
export type { FrontEndService, FrontEndServiceServer, FrontEndStore } from "./frontEnd/frontEndBackends";
export { HaproxyFrontEnd, url, type HaproxyFrontEndArgs } from "./frontEnd/haproxyFrontEnd";
export type { KnownVulnerability } from "./store/knownVulnerabilities";
export { ObjectStore, type ObjectStoreArgs } from "./objectStore";
export type { SelfSignedArgs } from "./certificate/selfSignedCertificate";
export {
    minioProfile,
    rustfsProfile,
    serviceProfile,
    type AlikeOnAllNodes,
    type ServiceProfile,
    type ServiceVariables,
} from "./store/serviceProfile";
export { StorageCluster, type ClusterEndpoints, type ClusterServer, type StorageClusterArgs } from "./cluster/storageCluster";
export { StorageNode, type HostAddress, type NodeTurn, type NodeTurns, type StorageNodeArgs } from "./cluster/storageNode";
export type { DrivePlace, NodePlace, Pool } from "./store/topology";
