import * as pulumi from "@pulumi/pulumi";
import type { KeyPair } from "./args/contentsArgs";
import type { AdditionalStoreOutputs, ObjectStoreArgs } from "./args/objectStoreArgs";
import type { StoreReference } from "./args/storeReference";
import { refuse } from "./checks/refusal";
import { StoreCluster } from "./cluster";
import { createStoreContents } from "./contents/storeContents";
import { checkDeployment, contextOf } from "./deployment";
import { createWatchdogs } from "./hosts/watchdog/watchdogs";
import { createProxies, type ProxiesOutputs } from "./proxies";
import type { StoreUrls } from "./args/proxyStoreArgs";
import { outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import type { StorePart } from "./settings/additionalStores";
import { partsOf } from "./settings/deploymentSettings";
import { profileOf } from "./settings/pools";
import { warnOfClosedBuckets } from "./store/edgeWarnings";

/**
 * A complete store in one component: a {@link StorageCluster}, and a {@link HaproxyFrontEnd} as its entry point. With
 * `additionalStores`, it is several stores behind one proxy.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created; it lists all problems of the args.
 */
export class ObjectStore extends pulumi.ComponentResource {
    /** URL of the S3 API. Known once the proxy serves it. */
    readonly s3Endpoint: pulumi.Output<string>;
    /** URL of the console. Known once the proxy serves it. */
    readonly consoleUrl: pulumi.Output<string>;
    /** Root access key; a secret. */
    readonly accessKey: pulumi.Output<string>;
    /** Root secret key; a secret. */
    readonly secretKey: pulumi.Output<string>;
    /** Certificate of the CA that clients must trust. Empty with `certificate.pem` and `certificate.acme`. */
    readonly caCertificate: pulumi.Output<string>;
    /** Expiry time of the served certificate (`notAfter`), RFC 3339. */
    readonly certificateNotAfter: pulumi.Output<string>;
    /** The access keys of the args `accessKeys`, by name; a secret. Known once the store has them. */
    readonly accessKeys: pulumi.Output<{ [name: string]: KeyPair }>;
    /** The outputs of the args `additionalStores`, by name; a secret. */
    readonly additionalStores: pulumi.Output<{ [name: string]: AdditionalStoreOutputs }>;
    /** How other buckets, policies and access keys find the store. In an update it is known once every node is healthy. */
    readonly reference: pulumi.Output<StoreReference>;
    /** Names of the nodes' containers. */
    readonly nodeNames: pulumi.Output<string[]>;
    /** Names of the data volumes. */
    readonly volumeNames: pulumi.Output<string[]>;

    constructor(name: string, args: ObjectStoreArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:ObjectStore", name, {}, opts);
        outputsAwaitedByProgram(this);
        const parts = partsOf(name, args);
        const { problems, planned } = checkDeployment(args, parts);
        refuse("ObjectStore", problems);
        const context = contextOf("ObjectStore", this, name, args, planned, opts);

        createWatchdogs(name, parts, context, this);
        const clusterOf = (part: StorePart) =>
            new StoreCluster(part.component, part.cluster, { ...context, at: part.at }, this);
        const [store, ...additional] = parts.stores;
        const cluster = clusterOf(store);
        const others = additional.map((part) => ({ part, cluster: clusterOf(part) }));
        const clusters = others.map((other) => other.cluster.deployed);
        const proxies = createProxies(parts, [cluster.deployed, ...clusters], context, this);

        const { outputs } = cluster.deployed;
        this.reference = outputs.reference;
        this.accessKeys = contentsOf(`${name}-`, store, cluster, this);
        const ofAdditional = others.map((other) => outputsOf(other.part, other.cluster, proxies));
        this.additionalStores = pulumi.secret(Object.fromEntries(ofAdditional));
        this.s3Endpoint = proxies.s3Endpoint;
        this.consoleUrl = proxies.consoleUrl;
        this.accessKey = outputs.accessKey;
        this.secretKey = outputs.secretKey;
        this.caCertificate = proxies.caCertificate;
        this.certificateNotAfter = proxies.certificateNotAfter;
        this.nodeNames = outputs.nodeNames;
        this.volumeNames = outputs.volumeNames;
        this.registerOutputs({
            s3Endpoint: this.s3Endpoint,
            consoleUrl: this.consoleUrl,
            accessKey: this.accessKey,
            secretKey: this.secretKey,
            caCertificate: this.caCertificate,
            certificateNotAfter: this.certificateNotAfter,
            accessKeys: this.accessKeys,
            additionalStores: this.additionalStores,
            reference: this.reference,
            nodeNames: this.nodeNames,
            volumeNames: this.volumeNames,
        });
    }
}

/** Creates what a store contains. Returns its access keys, by name; a secret. */
function contentsOf(
    prefix: string,
    { contents, cluster: args }: StorePart,
    { deployed }: StoreCluster,
    parent: pulumi.Resource,
): pulumi.Output<{ [name: string]: KeyPair }> {
    warnOfClosedBuckets(parent, Object.keys(contents.buckets ?? {}), profileOf(args));
    return createStoreContents(prefix, contents, deployed.outputs.reference, args.retainData ?? true, {
        parent,
        // What is in a store is not deleted one by one with the store's data.
        deletedWith: deployed.deletedWithData,
    });
}

/** Creates what an additional store contains. Returns the store's name and outputs. */
function outputsOf(
    part: StorePart,
    cluster: StoreCluster,
    { storeUrls }: ProxiesOutputs,
): [string, pulumi.Output<AdditionalStoreOutputs>] {
    const { edge, place = 0, component } = part;
    const { accessKey, secretKey, nodeNames, volumeNames } = cluster.deployed.outputs;
    const urlOf = (url: keyof StoreUrls) => storeUrls.apply((urls) => urls[place + 1]?.[url] ?? "");
    return [
        edge.name ?? "",
        pulumi.output({
            s3Endpoint: urlOf("s3Endpoint"),
            consoleUrl: urlOf("consoleUrl"),
            accessKey,
            secretKey,
            // Names of stores have no dots, so that no two names of resources are equal.
            accessKeys: contentsOf(`${component}.`, part, cluster, cluster),
            nodeNames,
            volumeNames,
        }),
    ];
}
