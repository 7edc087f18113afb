import * as pulumi from "@pulumi/pulumi";
import type { HaproxyFrontEndArgs } from "./args/haproxyFrontEndArgs";
import type { StoreUrls } from "./args/proxyStoreArgs";
import { refuse } from "./checks/refusal";
import { contextOf } from "./deployment";
import { deployProxy, PROXY_TYPE } from "./proxy/deployProxy";
import { outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import { checkClusters } from "./settings/proxyBackends";
import { checkProxy } from "./settings/proxySettings";

/**
 * HAProxy as the only entry point: it terminates TLS, routes by hostname, and publishes the only ports (service contract,
 * sections 1, 3, 4 and 8). It starts once the cluster behind it is healthy.
 *
 * Its configuration and certificate are in a volume. A change is checked by `haproxy -c` of the proxy's own image, then
 * loaded by a reload. The container is replaced only if its image, ports, address or limits change.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created; it lists all problems of the args.
 */
export class HaproxyFrontEnd extends pulumi.ComponentResource {
    /** URL of the S3 API. Known once the proxy serves it. */
    readonly s3Endpoint: pulumi.Output<string>;
    /** URL of the console. Known once the proxy serves it. */
    readonly consoleUrl: pulumi.Output<string>;
    /** The same URLs for each store, in the order of the args. */
    readonly storeUrls: pulumi.Output<StoreUrls[]>;
    /** Certificate of the CA that clients must trust. Empty with `certificate.pem` and `certificate.acme`. */
    readonly caCertificate: pulumi.Output<string>;
    /** Expiry time of the served certificate (`notAfter`), RFC 3339. */
    readonly certificateNotAfter: pulumi.Output<string>;
    /** Name of the proxy's container. */
    readonly containerName: pulumi.Output<string>;

    constructor(name: string, args: HaproxyFrontEndArgs, opts?: pulumi.ComponentResourceOptions) {
        super(PROXY_TYPE, name, {}, opts);
        outputsAwaitedByProgram(this);
        refuse("HaproxyFrontEnd", [...checkProxy(name, args), ...checkClusters(args)]);
        const proxies = [{ name, host: undefined, args, at: (property: string) => property }];
        const context = contextOf("HaproxyFrontEnd", this, name, args, { clusters: [], proxies }, opts);
        const outputs = deployProxy(this, name, args, { host: context.hosts[0], allowed: context.allowed });
        this.s3Endpoint = outputs.s3Endpoint;
        this.consoleUrl = outputs.consoleUrl;
        this.storeUrls = outputs.storeUrls;
        this.caCertificate = outputs.caCertificate;
        this.certificateNotAfter = outputs.certificateNotAfter;
        this.containerName = outputs.containerName;
        this.registerOutputs({ ...outputs });
    }
}
