import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "./args/clusterEndpoints";
import type { HaproxyFrontEndArgs } from "./args/haproxyFrontEndArgs";
import type { DeployedCluster } from "./cluster";
import { SeveralFrontEnds } from "./hosts/severalProxies";
import { StoreFrontEnd, type FrontEndOutputs } from "./proxy/deployProxy";
import { changesNothing } from "./pulumi/pulumiCommand";
import type { Context } from "./settings/context";
import type { FrontEndPart, ObjectStoreParts } from "./settings/deploymentSettings";

/** The outputs of all front ends of a deployment. */
export type ProxiesOutputs = Omit<FrontEndOutputs, "containerName">;

/**
 * Creates the front ends of a deployment: one, or one on each host that publishes ports. All serve the same hostnames and the same
 * certificate. A change reaches them one after the other: each waits until the one before serves.
 *
 * @param clusters Those of each of the stores.
 */
export function createFrontEnds(
    parts: ObjectStoreParts,
    clusters: readonly [DeployedCluster, ...DeployedCluster[]],
    context: Context,
    parent: pulumi.Resource,
): ProxiesOutputs {
    const { frontEnds } = parts;
    const [first, ...additional] = clusters.map(({ outputs }) => outputs.endpoints);
    const several =
        first === undefined || parts.hosts === undefined
            ? undefined
            : new SeveralFrontEnds(parts, frontEnds, first, context, parent);
    const endpoints = [several?.endpoints ?? first, ...additional];
    const earlyEndpoints = several === undefined ? clusters.map((cluster) => cluster.earlyEndpoints) : undefined;
    const made: StoreFrontEnd[] = [];
    for (const frontEnd of frontEnds) {
        const [host = context.hosts[0]] = context.hosts.filter(({ name }) => name === frontEnd.host);
        const shared = frontEnd.host === undefined ? undefined : several?.contextOf(frontEnd.host);
        const own = { host, allowed: after(context.allowed, made.at(-1)), earlyEndpoints, ...shared };
        const created = new StoreFrontEnd(frontEnd.name, withClusters(frontEnd, endpoints), own, parent);
        several?.add(frontEnd.host ?? "", created);
        made.push(created);
    }
    return outputsOf(made);
}

function withClusters(
    { args }: FrontEndPart,
    endpoints: readonly (pulumi.Output<ClusterEndpoints> | undefined)[],
): HaproxyFrontEndArgs {
    const stores = args.stores.flatMap((store, place) => {
        const cluster = endpoints[place];
        return cluster === undefined ? [] : [{ ...store, cluster }];
    });
    return { ...args, stores };
}

function outputsOf(made: readonly StoreFrontEnd[]): ProxiesOutputs {
    // Known once all front ends serve.
    const first = <Value>(ofAll: pulumi.Output<Value>[], none: Value) =>
        pulumi.all(ofAll as pulumi.Output<unknown>[]).apply(([value]) => (value as Value | undefined) ?? none);
    const outputs = made.map((frontEnd) => frontEnd.outputs);
    // That of a front end whose host is away isn't known.
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

/** Dependencies that are met once another front end serves. In a preview, which deploys nothing, that one counts at once. */
function after(
    allowed: pulumi.Output<pulumi.Resource[]>,
    before: StoreFrontEnd | undefined,
): pulumi.Output<pulumi.Resource[]> {
    const serving = before === undefined || changesNothing() ? pulumi.output("") : before.outputs.s3Endpoint;
    return pulumi.all([allowed, serving]).apply(([resources]) => resources);
}
