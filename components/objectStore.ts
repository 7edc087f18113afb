import * as pulumi from "@pulumi/pulumi";
import type { CertificateArgs } from "./certificate/certificateSource";
import { dockerHostOf } from "./engine/dockerHost";
import { bothDemands, engineAllows, type EngineDemands } from "./preflight/enginePreflight";
import { HaproxyFrontEnd } from "./frontEnd/haproxyFrontEnd";
import { url } from "./naming/endpointUrl";
import type { HaproxyFrontEndArgs } from "./frontEnd/haproxyFrontEndArgs";
import { checkHaproxyFrontEnd, frontEndDemands } from "./frontEnd/haproxyFrontEndSettings";
import { refuse, type Problem } from "./inputs/problem";
import { StorageCluster } from "./cluster/storageCluster";
import type { StorageClusterArgs } from "./cluster/storageClusterArgs";
import { clusterDemands } from "./cluster/storageClusterSettings";
import { checkStorageCluster } from "./cluster/storageClusterChecks";

/** Args of {@link ObjectStore}: those that most people need. */
export interface ObjectStoreArgs {
    /** Public hostname of the S3 API. */
    s3Host: string;
    /** Public hostname of the console, another one. */
    consoleHost: string;
    /** Profile that comes with the package: `rustfs`, `minio` or `service`. Default: `rustfs`. Fixed for the store's life. */
    profile?: string;
    /** Image of the store, with an exact version. Default: the profile's own. A change replaces the nodes one by one. */
    image?: pulumi.Input<string>;
    /** Image of HAProxy 3.2 on Debian, with an exact version. Default: `haproxy:3.2.26`. A change replaces the proxy. */
    haproxyImage?: pulumi.Input<string>;
    /** Nodes, 1 to 64. Default: 1. Fixed for the store's life. */
    nodeCount?: number;
    /** Drives of each node, 1 to 64. Default: 1. Fixed for the store's life. */
    drivesPerNode?: number;
    /** Folders of the host that drives stand on, one list for each node. Default: none, the volumes lie in Docker's own data folder. */
    drivePaths?: string[][];
    /** Lets several drives stand on one device. For development. Default: false. */
    allowDrivesOnOneDevice?: boolean;
    /**
     * Name on the Docker host: prefix of all containers, volumes and networks, 40 characters at most. Default: the component's
     * name. Fixed for the store's life.
     */
    storeName?: string;
    /** Root access key, at least 3 characters. Default: generated. */
    accessKey?: pulumi.Input<string>;
    /** Root secret key, at least 8 characters. Default: generated. */
    secretKey?: pulumi.Input<string>;
    /** More environment variables for the store. A change replaces the nodes one by one where the store allows it. */
    environment?: { [name: string]: pulumi.Input<string> };
    /** Where the certificate comes from. Default: self-signed. A change is loaded without replacing the proxy. */
    certificate?: CertificateArgs;
    /** Port of the host for HTTP, which is redirected to HTTPS. Default: 80. A change replaces the proxy. */
    httpPort?: number;
    /** Port of the host for HTTPS. Default: 443. A change replaces the proxy. */
    httpsPort?: number;
    /** Address of the host that both ports are published on. Default: `0.0.0.0`. A change replaces the proxy. */
    publishAddress?: string;
    /** Whether Pulumi refuses to delete data volumes and what opens them. Default: true. */
    retainData?: boolean;
    /** Changes that are refused otherwise, as `allowedChanges` of {@link StorageClusterArgs}. Default: none. */
    allowedChanges?: string[];
    /** More labels for all containers. Default: none. A change replaces them. */
    labels?: { [name: string]: string };
    /**
     * Host of the engine that the Docker provider deploys to, for what the program itself asks of it. Default: that of the provider that is
     * passed to the component, else of the config keys (`docker:context`, `docker:host` …), else of the environment, as the provider takes
     * them. Refused where the provider talks to another engine.
     */
    dockerHost?: pulumi.Input<string>;
}

/**
 * A whole store in one component: a {@link StorageCluster}, and a {@link HaproxyFrontEnd} as the way in. Whoever needs an
 * arg that isn't here composes these two.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created, with every problem of the args at once.
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
    /** Certificate of the CA that clients have to trust; empty with `certificate.pem` and `certificate.acme`. */
    readonly caCertificate: pulumi.Output<string>;
    /** End of the served certificate's validity, RFC 3339. */
    readonly certificateNotAfter: pulumi.Output<string>;
    /** Names of the data volumes. */
    readonly volumeNames: pulumi.Output<string[]>;

    constructor(name: string, args: ObjectStoreArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:ObjectStore", name, {}, opts);
        const [ofCluster, ofFrontEnd] = [clusterArgs(name, args), frontEndArgs(name, args)];
        const demands = bothDemands(clusterDemands(name, ofCluster), frontEndDemands(name, ofFrontEnd));
        refuse("ObjectStore", checkObjectStore(name, ofCluster, ofFrontEnd, demands));
        const dockerHost = dockerHostOf(this, args.dockerHost);
        // Neither part is begun where the other can't be had.
        const dependsOn = engineAllows("ObjectStore", { ...demands, dockerHost }, opts?.dependsOn);
        const childOptions = { parent: this, dependsOn };

        const cluster = new StorageCluster(`${name}-cluster`, ofCluster, childOptions);
        const frontEnd = new HaproxyFrontEnd(
            `${name}-front-end`,
            { ...ofFrontEnd, cluster: cluster.endpoints },
            childOptions,
        );

        this.s3Endpoint = frontEnd.s3Endpoint;
        this.consoleUrl = frontEnd.consoleUrl;
        this.accessKey = cluster.accessKey;
        this.secretKey = cluster.secretKey;
        this.caCertificate = frontEnd.caCertificate;
        this.certificateNotAfter = frontEnd.certificateNotAfter;
        this.volumeNames = cluster.volumeNames;
        this.registerOutputs({
            s3Endpoint: this.s3Endpoint,
            consoleUrl: this.consoleUrl,
            accessKey: this.accessKey,
            secretKey: this.secretKey,
            caCertificate: this.caCertificate,
            certificateNotAfter: this.certificateNotAfter,
            volumeNames: this.volumeNames,
        });
    }
}

function clusterArgs(name: string, args: ObjectStoreArgs): StorageClusterArgs {
    const { storeName, consoleHost, httpsPort = 443 } = args;
    return {
        clusterName: storeName ?? name,
        profile: args.profile,
        image: args.image,
        nodeCount: args.nodeCount,
        drivesPerNode: args.drivesPerNode,
        drivePaths: args.drivePaths,
        allowDrivesOnOneDevice: args.allowDrivesOnOneDevice,
        accessKey: args.accessKey,
        secretKey: args.secretKey,
        environment: args.environment,
        consoleUrl: url(consoleHost, httpsPort),
        retainData: args.retainData,
        allowedChanges: args.allowedChanges,
        labels: args.labels,
        dockerHost: args.dockerHost,
    };
}

function frontEndArgs(name: string, args: ObjectStoreArgs): HaproxyFrontEndArgs {
    return {
        frontEndName: args.storeName ?? name,
        s3Host: args.s3Host,
        consoleHost: args.consoleHost,
        certificate: args.certificate,
        image: args.haproxyImage,
        httpPort: args.httpPort,
        httpsPort: args.httpsPort,
        publishAddress: args.publishAddress,
        retainCertificates: args.retainData,
        labels: args.labels,
        dockerHost: args.dockerHost,
    };
}

/** Every problem of both parts, under the names that the args here have. */
function checkObjectStore(
    name: string,
    cluster: StorageClusterArgs,
    frontEnd: HaproxyFrontEndArgs,
    { networks: [nodes] = [] }: EngineDemands,
): Problem[] {
    const renamed = (problems: Problem[], names: { [property: string]: string }) =>
        problems.map(({ propertyPath, reason }) => ({ propertyPath: names[propertyPath] ?? propertyPath, reason }));
    return [
        ...renamed(checkStorageCluster(name, cluster), { clusterName: "storeName" }),
        // Its name and labels are the cluster's, which were checked above.
        ...renamed(checkHaproxyFrontEnd(name, frontEnd, nodes?.subnet), { image: "haproxyImage" }).filter(
            ({ propertyPath }) => propertyPath !== "frontEndName" && !propertyPath.startsWith("labels["),
        ),
    ];
}
