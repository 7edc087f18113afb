/**
 * Pulumi components of an S3-compatible object store on Docker, and of HAProxy before it.
 *
 * @packageDocumentation
 */

export {
    ACME_KEY_TYPES,
    type AcmeArgs,
    type ExternalAccountBindingArgs,
    type CertificateArgs,
    type DnsChallengeArgs,
    type SelfSignedArgs,
} from "./args/certificateArgs";
export { AccessKey } from "./contents/accessKey";
export type { AccessKeyArgs, AccessKeySettings } from "./args/accessKeyArgs";
export { Bucket } from "./contents/bucket";
export type {
    BucketArgs,
    BucketCorsRule,
    BucketLifecycleRule,
    BucketNotification,
    BucketRetention,
    BucketSettings,
} from "./args/bucketArgs";
export { Policy } from "./contents/policy";
export type { PolicyArgs, PolicyGrants } from "./args/policyArgs";
export type { KeyPair, StoreAccessKeyArgs, StoreContentsArgs, StorePolicyArgs } from "./args/contentsArgs";
export type { StoreReference } from "./args/storeReference";
export { ALLOWABLE_CHANGES, type AllowableChange } from "./requirements/clusterChanges";
export { DRIVE_WORDS, type DriveWord } from "./requirements/driveWords";
export type {
    RestrictedPaths,
    ReplicatedMetadata,
    RequiredHeader,
    SharedObjects,
    UnverifiedUploads,
} from "./store/edgeRestrictions";
export type { FloatingAddressArgs } from "./args/floatingAddressArgs";
export type {
    FrontEndService,
    FrontEndServiceServer,
    FrontEndStore,
    StoreMoveArgs,
    StoreUrls,
} from "./args/proxyStoreArgs";
export { HaproxyFrontEnd } from "./haproxyFrontEnd";
export { url } from "./naming/endpointUrl";
export type { HaproxyFrontEndArgs, StoreEdgeArgs } from "./args/haproxyFrontEndArgs";
export type { KnownVulnerability } from "./store/knownVulnerabilities";
export { ObjectStore } from "./objectStore";
export type { AdditionalStoreArgs, AdditionalStoreOutputs, ObjectStoreArgs } from "./args/objectStoreArgs";
export type {
    SameOnAllNodes,
    HealingRequests,
    QuotaPaths,
    ServiceProfile,
    ServiceVariables,
} from "./store/serviceProfile";
export { minioProfile } from "./store/profiles/minio";
export { rustfsProfile } from "./store/profiles/rustfs";
export { serviceProfile } from "./store/profiles/contract";
export { StorageCluster } from "./storageCluster";
export type { StorageClusterArgs, StoreNodesArgs } from "./args/storageClusterArgs";
export type { StorePlaceArgs } from "./args/storePlaceArgs";
export type { ClusterEndpoints, ClusterServer } from "./args/clusterEndpoints";
export type { StoreHost } from "./args/hostArgs";
export { StorageNode } from "./storageNode";
export type { HostAddress, StorageNodeArgs } from "./args/storageNodeArgs";
export type { DriveSpec, NodeSpec, Pool } from "./store/topology";
