import * as pulumi from "@pulumi/pulumi";
import { StorageCluster } from "./cluster/storageCluster";
import type { StorageClusterArgs, StoreNodesArgs } from "./cluster/storageClusterArgs";
import { dockerHostOf } from "./engine/dockerHost";
import { HaproxyFrontEnd } from "./frontEnd/haproxyFrontEnd";
import type { HaproxyFrontEndArgs, StoreEdgeArgs } from "./frontEnd/haproxyFrontEndArgs";
import { refuse } from "./inputs/problem";
import { checkParts, demandsOfParts, type PartTerms, type StoreParts } from "./jointCheck";
import { url } from "./naming/endpointUrl";
import { engineAllows } from "./preflight/enginePreflight";

/** Args of {@link ObjectStore}: the args of both parts, with one name and one limit of open files for both. */
export interface ObjectStoreArgs extends StoreNodesArgs, StoreEdgeArgs {
    /** Public hostname of the S3 API. A change is loaded without replacing the proxy. */
    s3Host: string;
    /** Public hostname of the console; must differ from the S3 hostname. A change is loaded without replacing the proxy. */
    consoleHost: string;
    /** Image of HAProxy 3.2 on Debian, with an exact version. Default: `haproxy:3.2.26`. A change replaces the proxy. */
    haproxyImage?: pulumi.Input<string>;
    /**
     * Name of the store on the Docker host: prefix of all containers, volumes and networks, 40 characters at most. Default:
     * the component's name. Can't be changed later.
     */
    storeName?: string;
    /** Additional labels for all containers, such as a team or a cost centre. Default: none. A change replaces them. */
    labels?: { [name: string]: string };
    /**
     * Limit of open files for each node and for the proxy, 1024 to 1048576. Default: 20000. A change replaces the
     * containers.
     */
    openFiles?: number;
    /**
     * Whether Pulumi protects against deletion: data volumes, the credentials that open them, the self-signed certificate's
     * CA, and the volumes with the ACME account, its keys and certificates. Default: true.
     */
    retainData?: boolean;
}

/**
 * A complete store in one component: a {@link StorageCluster}, and a {@link HaproxyFrontEnd} as its entry point. For
 * several stores behind one front end, compose these two.
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
    /** Names of the data volumes. */
    readonly volumeNames: pulumi.Output<string[]>;

    constructor(name: string, args: ObjectStoreArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:ObjectStore", name, {}, opts);
        const parts = partsOf(name, args);
        refuse("ObjectStore", checkParts(name, parts, TERMS));
        const dockerHost = dockerHostOf(this, args.dockerHost);
        // Neither part is started if the other one can't be deployed.
        const dependsOn = engineAllows("ObjectStore", { ...demandsOfParts(name, parts), dockerHost }, opts?.dependsOn);
        const childOptions = { parent: this, dependsOn };

        const cluster = new StorageCluster(`${name}-cluster`, parts.cluster, childOptions);
        const frontEnd = new HaproxyFrontEnd(
            `${name}-front-end`,
            { ...parts.frontEnd, cluster: cluster.endpoints },
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

/** The args of each part. */
function partsOf(name: string, args: ObjectStoreArgs): StoreParts {
    const {
        storeName = name,
        haproxyImage,
        s3Host,
        consoleHost,
        services,
        certificate,
        httpPort,
        httpsPort,
        publishAddress,
        publicSubnet,
        publicNetworkName,
        proxyNumber,
        adminNetworks,
        consoleNetworks,
        hstsMaxAge,
        maxConnectionsPerAddress,
        hardStopAfter,
        accessLog,
        ...ofCluster
    } = args;
    const { labels, dockerHost, openFiles, retainData } = args;
    const ofFrontEnd = {
        ...{ s3Host, consoleHost, services, certificate, httpPort, httpsPort, publishAddress, publicSubnet },
        ...{ publicNetworkName, proxyNumber, adminNetworks, consoleNetworks, hstsMaxAge, maxConnectionsPerAddress },
        ...{ hardStopAfter, accessLog, labels, dockerHost, openFiles },
    };
    return {
        cluster: {
            ...onlyOf<StorageClusterArgs, typeof ofCluster>(ofCluster),
            clusterName: storeName,
            consoleUrl: url(consoleHost, httpsPort ?? 443),
        },
        frontEnd: {
            ...onlyOf<HaproxyFrontEndArgs, typeof ofFrontEnd>(ofFrontEnd),
            frontEndName: storeName,
            image: haproxyImage,
            retainCertificates: retainData,
        },
    };
}

/** Returns the args unchanged. An arg that the part doesn't have doesn't compile. */
function onlyOf<Part, Args>(args: Args & { [Arg in Exclude<keyof Args, keyof Part>]: never }): Args {
    return args;
}

/** The names of the parts' args in {@link ObjectStoreArgs}. */
const TERMS: PartTerms = {
    cluster: (path) => (path === "clusterName" ? "storeName" : path),
    frontEnd: (path) => (path === "image" ? "haproxyImage" : path),
};
