/** Default of `drainTimeout`, in seconds. */
export const DEFAULT_DRAIN_SECONDS = 120;

/** Time that a node gets to become ready, in seconds. */
export const DEFAULT_READY_SECONDS = 300;
