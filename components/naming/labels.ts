/** Prefix of the names of all labels of the components. */
export const LABEL_PREFIX = "docker-object-store";

/** Labels by which deployed resources are found again, with or without the stack's state. */
export const LABELS = {
    cluster: `${LABEL_PREFIX}.cluster`,
    node: `${LABEL_PREFIX}.node`,
    pool: `${LABEL_PREFIX}.pool`,
    /** Number of a drive in its node, from 1. */
    drive: `${LABEL_PREFIX}.drive`,
    /**
     * Names of the volumes that hold a node's drives, joined by commas. A label of the node's secrets volume, for drives
     * whose volumes existed before the node.
     */
    volumes: `${LABEL_PREFIX}.volumes`,
    profile: `${LABEL_PREFIX}.profile`,
    nodesInPool: `${LABEL_PREFIX}.nodes-in-pool`,
    drivesPerNode: `${LABEL_PREFIX}.drives-per-node`,
    /** Project and stack, joined by a slash. */
    stack: `${LABEL_PREFIX}.stack`,
    /** Name of the component in its program. */
    component: `${LABEL_PREFIX}.component`,
    /** Digest of a container's inputs. */
    inputs: `${LABEL_PREFIX}.inputs`,
    /** Digest of the settings that must be identical on all nodes. */
    alike: `${LABEL_PREFIX}.alike`,
    /** Version of the secrets that a node's container was made for. */
    secretsVersion: `${LABEL_PREFIX}.secrets-version`,
    /** Value of `restartedAt` when a container was created. */
    restartedAt: `${LABEL_PREFIX}.restarted-at`,
    /** Cluster or proxy for which an update has created a helper container, which only tests or reads something. */
    helper: `${LABEL_PREFIX}.helper`,
    /** Program run that created it. */
    helperRun: `${LABEL_PREFIX}.helper-run`,
    /** Node network on which a container runs a store's client for one session. */
    client: `${LABEL_PREFIX}.client`,
    /** Cluster in which a container tries another store on the drives, or hands files over to it. */
    trial: `${LABEL_PREFIX}.trial`,
    /** Node on whose drives a container tries another store. */
    trialNode: `${LABEL_PREFIX}.trial-node`,
    /** Node networks that a proxy was created with, with its addresses there, if it was created for several stores. */
    nodeNetworks: `${LABEL_PREFIX}.node-networks`,
    /** Name of a proxy. */
    proxy: `${LABEL_PREFIX}.front-end`,
    /** Name of the store that a watchdog belongs to. */
    watchdog: `${LABEL_PREFIX}.watchdog`,
    /** Name of a Docker host in stack config. A label of the host's node in a swarm, which outlives the stack. */
    host: "object-store.host",
} as const;
