import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "./args/clusterEndpoints";
import type { StorageClusterArgs } from "./args/storageClusterArgs";
import type { StoreReference } from "./args/storeReference";
import { refuse } from "./checks/refusal";
import { CLUSTER_TYPE, deployCluster } from "./cluster";
import { contextOf } from "./deployment";
import { checkHosts } from "./hosts/placement/hostChecks";
import { outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import { checkStorageCluster } from "./settings/clusterChecks";

/**
 * An S3-compatible store with a console: one node, or several as one erasure-coded cluster, on its own internal network. It
 * publishes no port; {@link HaproxyFrontEnd} does.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created; it lists all problems of the args.
 */
export class StorageCluster extends pulumi.ComponentResource {
    /** Root access key; a secret. */
    readonly accessKey: pulumi.Output<string>;
    /** Root secret key; a secret. */
    readonly secretKey: pulumi.Output<string>;
    /** Names of the nodes' containers. */
    readonly nodeNames: pulumi.Output<string[]>;
    /** Names of the data volumes. */
    readonly volumeNames: pulumi.Output<string[]>;
    /**
     * Addresses and ports of the nodes, for {@link HaproxyFrontEnd}. In an update they are known only once every node is
     * healthy.
     */
    readonly endpoints: pulumi.Output<ClusterEndpoints>;
    /** How buckets, policies and access keys find the store. In an update it is known only once every node is healthy. */
    readonly reference: pulumi.Output<StoreReference>;

    constructor(name: string, args: StorageClusterArgs = {}, opts?: pulumi.ComponentResourceOptions) {
        super(CLUSTER_TYPE, name, {}, opts);
        outputsAwaitedByProgram(this);
        refuse("StorageCluster", [...checkStorageCluster(name, args), ...checkHosts(args)]);
        const clusters = [{ component: name, cluster: args, at: (property: string) => property }];
        const context = contextOf("StorageCluster", this, name, args, { clusters, proxies: [] }, opts);
        const { outputs } = deployCluster(this, name, args, context);
        this.accessKey = outputs.accessKey;
        this.secretKey = outputs.secretKey;
        this.nodeNames = outputs.nodeNames;
        this.volumeNames = outputs.volumeNames;
        this.endpoints = outputs.endpoints;
        this.reference = outputs.reference;
        this.registerOutputs(outputs);
    }
}
