import * as pulumi from "@pulumi/pulumi";
import { outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import type { StorePart } from "./settings/additionalStores";
import { createStoreContents } from "./contents/storeContents";
import { profileOf } from "./settings/pools";
import { StorageCluster } from "./storageCluster";
import { dataHolderOf } from "./docker/dataHolder";
import { dockerHostOf } from "./docker/providerHost";
import { deploymentHosts } from "./docker/hosts";
import type { StoreUrls } from "./proxy/haproxyFrontEnd";
import { hostProviders } from "./docker/hostProviders";
import { refuse } from "./checks/refusal";
import type { AdditionalStoreOutputs, ObjectStoreArgs } from "./args/objectStoreArgs";
import { ObjectStoreFrontEnds } from "./proxies";
import { checkParts, demandsOfParts, partsOf } from "./settings/deploymentSettings";
import { createWatchdogs } from "./hosts/watchdog/watchdogs";
import { engineAllows } from "./requirements/run";
import { snapshotOf, type CheckedOptions } from "./settings/context";
import { EngineSnapshot } from "./requirements/engineCache";
import { warnOfClosedBuckets } from "./store/edgeWarnings";
import type { KeyPair } from "./args/contentsArgs";
import type { StoreReference } from "./args/storeReference";

/**
 * A complete store in one component: a {@link StorageCluster}, and a {@link HaproxyFrontEnd} as its entry point. With
 * `additionalStores`, it is several stores behind one front end.
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
        refuse("ObjectStore", checkParts(parts));
        const dockerHost = dockerHostOf(this, args.dockerHost);
        const demands = { ...demandsOfParts(parts), dockerHost };
        const checked = snapshotOf(opts);
        const engineSnapshot = checked ?? new EngineSnapshot(deploymentHosts(args, dockerHost));
        const childOptions: CheckedOptions & { parent: pulumi.Resource } = {
            parent: this,
            engineSnapshot,
            hostProviders: hostProviders(name, args.hosts, { parent: this }),
            // Neither part is started if another one can't be deployed.
            dependsOn: engineAllows("ObjectStore", checked ? undefined : demands, opts?.dependsOn, engineSnapshot),
        };

        createWatchdogs(name, parts, childOptions);
        const [store, ...additional] = parts.stores;
        const cluster = new StorageCluster(store.component, store.cluster, childOptions);
        const others = additional.map((part) => ({
            part,
            cluster: new StorageCluster(part.component, part.cluster, childOptions),
        }));
        const endpoints = others.map((other) => other.cluster.endpoints);
        const frontEnds = new ObjectStoreFrontEnds(parts, [cluster.endpoints, ...endpoints], childOptions);

        this.reference = cluster.reference;
        this.accessKeys = contentsOf(`${name}-`, store, cluster, this);
        const ofAdditional = others.map((other) => outputsOf(other.part, other.cluster, frontEnds));
        this.additionalStores = pulumi.secret(Object.fromEntries(ofAdditional));
        this.s3Endpoint = frontEnds.s3Endpoint;
        this.consoleUrl = frontEnds.consoleUrl;
        this.accessKey = cluster.accessKey;
        this.secretKey = cluster.secretKey;
        this.caCertificate = frontEnds.caCertificate;
        this.certificateNotAfter = frontEnds.certificateNotAfter;
        this.nodeNames = cluster.nodeNames;
        this.volumeNames = cluster.volumeNames;
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
    cluster: StorageCluster,
    parent: pulumi.Resource,
): pulumi.Output<{ [name: string]: KeyPair }> {
    warnOfClosedBuckets(parent, Object.keys(contents.buckets ?? {}), profileOf(args));
    return createStoreContents(prefix, contents, cluster.reference, args.retainData ?? true, {
        parent,
        // What is in a store is not deleted one by one with the store's data.
        deletedWith: dataHolderOf(cluster),
    });
}

/** Creates what an additional store contains. Returns the store's name and outputs. */
function outputsOf(
    part: StorePart,
    cluster: StorageCluster,
    { storeUrls }: ObjectStoreFrontEnds,
): [string, pulumi.Output<AdditionalStoreOutputs>] {
    const { edge, place = 0, component } = part;
    const urlOf = (url: keyof StoreUrls) => storeUrls.apply((urls) => urls[place + 1]?.[url] ?? "");
    return [
        edge.name ?? "",
        pulumi.output({
            s3Endpoint: urlOf("s3Endpoint"),
            consoleUrl: urlOf("consoleUrl"),
            accessKey: cluster.accessKey,
            secretKey: cluster.secretKey,
            // Names of stores have no dots, so that no two names of resources are equal.
            accessKeys: contentsOf(`${component}.`, part, cluster, cluster),
            nodeNames: cluster.nodeNames,
            volumeNames: cluster.volumeNames,
        }),
    ];
}
