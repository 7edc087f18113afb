import type { StorageNodeArgs } from "../../../components";

/**
 * The cluster's inputs that determine each property of a node's args, by the names of their entries. Empty if the
 * property isn't visible on the engine.
 */
export const NODE_INPUTS: { [Property in keyof Required<StorageNodeArgs>]: string[] } = {
    profile: ["profile.user", "profile.command", "profile.s3HealthPath"],
    image: ["cluster.image"],
    place: ["cluster.nodeCount", "cluster.drivesPerNode", "cluster.drivePaths", "cluster.volumeNames", "cluster.pools"],
    clusterName: ["cluster.clusterName"],
    networkName: ["cluster.subnet"],
    egressNetworkName: ["cluster.egress"],
    hosts: ["cluster.subnet"],
    environment: ["cluster.environment"],
    secretEnvironment: ["cluster.secretEnvironment"],
    additionalTrustedCertificates: ["cluster.additionalTrustedCertificates"],
    memory: ["cluster.memory"],
    cpus: ["cluster.cpus"],
    openFiles: ["cluster.openFiles"],
    retainData: ["cluster.retainData"],
    dockerHost: ["cluster.dockerHost"],
    prepareTimeout: [],
    stackName: [],
    restartedAt: ["cluster.restartedAt"],
    labels: ["cluster.labels"],
    alike: ["profile.sameOnAllNodes"],
};
