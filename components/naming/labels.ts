/** What the names of all labels of the components begin with. */
export const LABEL_PREFIX = "docker-object-store";

/** Labels by which what is deployed is found again, with or without the stack's state. */
export const LABELS = {
    cluster: `${LABEL_PREFIX}.cluster`,
    node: `${LABEL_PREFIX}.node`,
    pool: `${LABEL_PREFIX}.pool`,
    /** Place of a drive in its node, from 1. */
    drive: `${LABEL_PREFIX}.drive`,
    /** Names of the volumes that hold a node's drives, joined by commas, on its secrets where those were there before it. */
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
    /** Digest of what a node has alike with its peers. */
    alike: `${LABEL_PREFIX}.alike`,
    /** Version of the secrets that a node's container was made for. */
    secretsVersion: `${LABEL_PREFIX}.secrets-version`,
    /** What `restartedAt` was when a container was made. */
    restartedAt: `${LABEL_PREFIX}.restarted-at`,
    /** Cluster or front end that an update has made a container for, only to ask the engine something. */
    helper: `${LABEL_PREFIX}.helper`,
    /** Run of the program that has made it. */
    helperRun: `${LABEL_PREFIX}.helper-run`,
    /** Name of a front end. */
    frontEnd: `${LABEL_PREFIX}.front-end`,
} as const;
