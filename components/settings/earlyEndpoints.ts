import type * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "../args/clusterEndpoints";

const known = new WeakMap<object, pulumi.Output<ClusterEndpoints>>();

/** Records the endpoints of a cluster as they are known before its nodes are healthy. */
export function setEarlyEndpoints(
    endpoints: pulumi.Output<ClusterEndpoints>,
    early: pulumi.Output<ClusterEndpoints>,
): void {
    known.set(endpoints, early);
}

/**
 * The same endpoints, known before the cluster's nodes are healthy: for what may be prepared for a proxy that doesn't run
 * yet. A running proxy must not get the names of nodes that aren't ready.
 */
export function earlyEndpoints(endpoints: pulumi.Input<ClusterEndpoints>): pulumi.Input<ClusterEndpoints> {
    return known.get(endpoints) ?? endpoints;
}
