import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "./args/clusterEndpoints";
import type { StorageClusterArgs } from "./args/storageClusterArgs";
import type { StoreReference } from "./args/storeReference";
import type { Host } from "./docker/hosts";
import type { StorageClusterSettings } from "./settings/clusterSettings";
import { edgeRestrictionsOf } from "./store/edgeRestrictions";
import type { ServiceProfile } from "./store/serviceProfile";
import { CONSOLE_PORT, proxyAddresses, S3_PORT } from "./store/topology";
import { referenceTo } from "./storeClient/storeReference";

/** The outputs of a cluster. */
export interface ClusterOutputs {
    accessKey: pulumi.Output<string>;
    secretKey: pulumi.Output<string>;
    nodeNames: pulumi.Output<string[]>;
    volumeNames: pulumi.Output<string[]>;
    endpoints: pulumi.Output<ClusterEndpoints>;
    reference: pulumi.Output<StoreReference>;
}

/** The endpoints of a cluster. */
export function endpointsOf(
    { profile, image, subnet, topology, bucketDomains }: StorageClusterSettings,
    networkName: pulumi.Output<string>,
): pulumi.Output<ClusterEndpoints> {
    return pulumi.all([networkName, image, bucketDomains]).apply(([network, reference, domains]) => ({
        profileName: profile.name,
        networkName: network,
        subnet,
        servers: topology.nodes.map(({ serverName, address }) => ({ name: serverName, address })),
        s3Port: S3_PORT,
        consolePort: CONSOLE_PORT,
        s3HealthPath: profile.s3HealthPath,
        s3ReadHealthPath: profile.s3ReadHealthPath,
        consoleHealthPath: profile.consoleHealthPath,
        restrictedPaths: profile.restrictedPaths,
        ...denial(profile),
        ...(profile.variables.trustedProxies === undefined ? {} : { proxyAddresses: proxyAddresses(subnet) }),
        ...edgeRestrictionsOf(profile, reference),
        ...(domains.length === 0 ? {} : { bucketDomains: domains.map((domain) => domain.toLowerCase()) }),
    }));
}

/** What lets a proxy keep nodes out that have started. */
function denial({
    denialSeconds,
    livenessPath,
}: ServiceProfile): Pick<ClusterEndpoints, "denialSeconds" | "livenessPath"> {
    return denialSeconds === undefined
        ? {}
        : { denialSeconds, ...(livenessPath === undefined ? {} : { livenessPath }) };
}

/**
 * The reference of a cluster. It isn't derived from any resource of the cluster: what is kept of its contents doesn't keep these
 * resources.
 */
export function referenceOf(
    { clusterName }: StorageClusterSettings,
    { clientImage, hosts }: StorageClusterArgs,
    first: Host,
    ready: Promise<void>,
): pulumi.Output<StoreReference> {
    const engine = pulumi.output(first.dockerHost ?? {});
    return pulumi
        .all([ready, referenceTo(clusterName, { clientImage, hosts }, engine)])
        .apply(([, reference]) => reference);
}
