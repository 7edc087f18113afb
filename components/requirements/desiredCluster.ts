import type { NetworkKind } from "./networkKind";
import type { SharedInputs } from "../store/nodeEnvironment";
import type { ServiceProfile } from "../store/serviceProfile";
import type { NodeSpec, Pool } from "../store/topology";

/** The part of a desired cluster that may come from other resources. */
export interface ClusterInputs {
    /** Settings that must be identical on all nodes, without secrets. Undefined while they aren't known. */
    alike?: SharedInputs;
    /** The nodes' image. Undefined while it isn't known. */
    image?: string;
    /** Secret variables of the nodes, as far as they are known. */
    secrets: { [name: string]: string };
}

/** A cluster as the program requests it. */
export interface DesiredCluster extends ClusterInputs {
    clusterName: string;
    /** Project and stack, joined by a slash. */
    stackName: string;
    /** Name of the component in its program. */
    componentName: string;
    profile: ServiceProfile;
    pools: Pool[];
    nodes: NodeSpec[];
    /** Name of the node network. */
    networkName: string;
    subnet: string;
    /** Kind of the node network. */
    networkKind: NetworkKind;
    allowedChanges: readonly string[];
    /** Number of parity drives in each erasure set, if the environment sets it. */
    parity?: number;
    /** Names of the clusters of the further stores behind its proxy. Undefined if that isn't known. */
    additionalClusters?: readonly string[];
    /** Whether the args have `pools` instead of `nodeCount`: determines the names of properties in messages. */
    namesPools: boolean;
}
