import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "./args/clusterEndpoints";
import type { HaproxyFrontEndArgs } from "./args/haproxyFrontEndArgs";
import type { DeployedCluster } from "./cluster";
import { SeveralProxies } from "./hosts/severalProxies";
import { StoreProxy, type ProxyOutputs } from "./proxy/deployProxy";
import { changesNothing } from "./pulumi/pulumiCommand";
import type { Context } from "./settings/context";
import type { ProxyPart, ObjectStoreParts } from "./settings/deploymentSettings";

/** The outputs of all proxies of a deployment. */
export type ProxiesOutputs = Omit<ProxyOutputs, "containerName">;

/**
 * Creates the proxies of a deployment: one, or one on each host that publishes ports. All serve the same hostnames and the same
 * certificate. A change reaches them one after the other: each waits until the one before serves.
 *
 * @param clusters Those of each of the stores.
 */
export function createProxies(
    parts: ObjectStoreParts,
    clusters: readonly [DeployedCluster, ...DeployedCluster[]],
    context: Context,
    parent: pulumi.Resource,
): ProxiesOutputs {
    const { proxies } = parts;
    const [first, ...additional] = clusters.map(({ outputs }) => outputs.endpoints);
    const several =
        first === undefined || parts.hosts === undefined
            ? undefined
            : new SeveralProxies(parts, proxies, first, context, parent);
    const endpoints = [several?.endpoints ?? first, ...additional];
    const earlyEndpoints = several === undefined ? clusters.map((cluster) => cluster.earlyEndpoints) : undefined;
    const made: StoreProxy[] = [];
    for (const proxy of proxies) {
        const [host = context.hosts[0]] = context.hosts.filter(({ name }) => name === proxy.host);
        const shared = proxy.host === undefined ? undefined : several?.contextOf(proxy.host);
        const own = { host, allowed: after(context.allowed, made.at(-1)), earlyEndpoints, ...shared };
        const created = new StoreProxy(proxy.name, withClusters(proxy, endpoints), own, parent);
        several?.add(proxy.host ?? "", created);
        made.push(created);
    }
    return outputsOf(made);
}

function withClusters(
    { args }: ProxyPart,
    endpoints: readonly (pulumi.Output<ClusterEndpoints> | undefined)[],
): HaproxyFrontEndArgs {
    const stores = args.stores.flatMap((store, index) => {
        const cluster = endpoints[index];
        return cluster === undefined ? [] : [{ ...store, cluster }];
    });
    return { ...args, stores };
}

function outputsOf(made: readonly StoreProxy[]): ProxiesOutputs {
    // Known once all proxies serve.
    const first = <Value>(ofAll: pulumi.Output<Value>[], none: Value) =>
        pulumi.all(ofAll as pulumi.Output<unknown>[]).apply(([value]) => (value as Value | undefined) ?? none);
    const outputs = made.map((proxy) => proxy.outputs);
    // That of a proxy whose host is away isn't known.
    const ends = pulumi.all(outputs.map(({ certificateNotAfter }) => certificateNotAfter));
    return {
        s3Endpoint: first(
            outputs.map(({ s3Endpoint }) => s3Endpoint),
            "",
        ),
        consoleUrl: first(
            outputs.map(({ consoleUrl }) => consoleUrl),
            "",
        ),
        storeUrls: first(
            outputs.map(({ storeUrls }) => storeUrls),
            [],
        ),
        caCertificate: first(
            outputs.map(({ caCertificate }) => caCertificate),
            "",
        ),
        certificateNotAfter: ends.apply((all) => all.find((end) => end !== "") ?? ""),
    };
}

/** Dependencies that are met once another proxy serves. In a preview, which deploys nothing, that one counts at once. */
function after(
    allowed: pulumi.Output<pulumi.Resource[]>,
    before: StoreProxy | undefined,
): pulumi.Output<pulumi.Resource[]> {
    const serving = before === undefined || changesNothing() ? pulumi.output("") : before.outputs.s3Endpoint;
    return pulumi.all([allowed, serving]).apply(([resources]) => resources);
}
