import type { ServiceProfile } from "../store/serviceProfile";

/** Limits of a rollout that the args and the store's profile set. */
export interface RolloutLimits {
    profile: Pick<ServiceProfile, "maintenancePath" | "settleSeconds">;
    /** Time limit for a node to become ready, in seconds. */
    readyTimeout: number;
    /** Time that the requests running on a node have to finish before the node is stopped, in seconds. */
    drainTimeout: number;
}

/** Longest wait for the requests on a server that went from drain to maintenance, in seconds. */
export const LAST_REQUESTS_SECONDS = 10;

/** Time limit for two health checks of a proxy to pass once a node is ready, in seconds. */
export const UP_SECONDS = 60;

/** Longest wait for nodes to find each other, in seconds. */
export const SETTLED_SECONDS = 60;

/** Longest time for the undo after a signal. Pulumi kills a plugin or a program that has not ended 5 s after SIGINT. */
export const GRACE_MILLISECONDS = 10_000;

/** Smallest number of nodes at which a store can serve requests without one of them. */
export const SMALLEST_TO_ROLL = 3;

/**
 * Smallest number of nodes at which two of them may lack parts of one object, as in an erasure set. An object that was
 * written while one node was out must be readable while the next one is out.
 */
export const SMALLEST_TO_HEAL_LATER = 4;
