/**
 * Pulumi components of an S3-compatible object store on Docker, and of its HAProxy front end.
 *
 * @packageDocumentation
 */

export { ACME_KEY_TYPES, type AcmeArgs, type ExternalAccountBindingArgs } from "./certificate/acmeSettings";
export { AccessKey } from "./buckets/accessKey";
export type { AccessKeyArgs, AccessKeySettings } from "./buckets/accessKeyArgs";
export { Bucket } from "./buckets/bucket";
export type {
    BucketArgs,
    BucketCorsRule,
    BucketLifecycleRule,
    BucketNotification,
    BucketRetention,
    BucketSettings,
} from "./buckets/bucketArgs";
export { Policy } from "./buckets/policy";
export type { PolicyArgs, PolicyGrants } from "./buckets/policyArgs";
export type { KeyPair, StoreAccessKeyArgs, StoreContentsArgs, StorePolicyArgs } from "./buckets/storeContents";
export type { StoreReference } from "./client/storeReference";
export type { CertificateArgs } from "./certificate/certificateSource";
export type { DnsChallengeArgs } from "./certificate/dnsChallenge";
export { ALLOWABLE_CHANGES, type AllowableChange } from "./preflight/clusterChanges";
export { DRIVE_WORDS, type DriveWord } from "./preflight/driveWords";
export type {
    RestrictedPaths,
    ReplicatedMetadata,
    RequiredHeader,
    SharedObjects,
    UnverifiedUploads,
} from "./store/edgeRestrictions";
export type { FloatingAddressArgs } from "./floatingAddress/floatingAddressArgs";
export type { FrontEndService, FrontEndServiceServer, FrontEndStore } from "./frontEnd/frontEndBackends";
export { HaproxyFrontEnd, type StoreUrls } from "./frontEnd/haproxyFrontEnd";
export { url } from "./naming/endpointUrl";
export type { HaproxyFrontEndArgs, StoreEdgeArgs } from "./frontEnd/haproxyFrontEndArgs";
export type { KnownVulnerability } from "./store/knownVulnerabilities";
export { ObjectStore } from "./objectStore";
export type { AdditionalStoreArgs, AdditionalStoreOutputs, ObjectStoreArgs } from "./objectStoreArgs";
export type { StoreMoveArgs } from "./frontEnd/storeMove";
export type { SelfSignedArgs } from "./certificate/selfSignedCertificate";
export {
    type AlikeOnAllNodes,
    type HealingRequests,
    type QuotaPaths,
    type ServiceProfile,
    type ServiceVariables,
} from "./store/serviceProfile";
export { minioProfile } from "./store/profiles/minio";
export { rustfsProfile } from "./store/profiles/rustfs";
export { serviceProfile } from "./store/profiles/contract";
export { StorageCluster } from "./cluster/storageCluster";
export type { StorageClusterArgs, StoreNodesArgs, StorePlaceArgs } from "./cluster/storageClusterArgs";
export { type ClusterEndpoints, type ClusterServer } from "./traffic/clusterEndpoints";
export type { StoreHost } from "./store/storeHosts";
export { StorageNode } from "./cluster/storageNode";
export { type HostAddress, type NodeTurn, type NodeTurns, type StorageNodeArgs } from "./cluster/storageNodeArgs";
export type { DrivePlace, NodePlace, Pool } from "./store/topology";
