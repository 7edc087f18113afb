import type { ChaosTarget } from "./chaosTarget";

/** Expectations for a disturbance. In addition, no byte may ever be wrong, and everything has to recover by itself. */
export interface Expectations {
    /** Number of operations that may fail with the SDK's default retries. */
    failedWithRetries?: number;
    /** Number of operations that may fail without retries. */
    failedWithoutRetries?: number;
    /** Seconds from the start until no operation fails any more. */
    servedWithin?: number;
    /** Seconds from the end of the cause until no operation fails any more. */
    servedWithinOfCause?: number;
    /** Longest time, in seconds, in which no operation succeeds. */
    longestGap?: number;
    /** Longest duration of one operation, in seconds. */
    longestStall?: number;
    /** Number of operations on objects that may take longer, since they wait for a lock of a process that is gone. Default: 0. */
    waitForLocks?: number;
    /**
     * Stores that may read or list stale state during the disturbance (docs/contributing/fault-tests.md says why). What is read afterwards
     * must be right.
     */
    staleMeanwhile?: string[];
    /** Stores in which an acknowledged delete may be undone permanently. Any other wrong content is still a failure. */
    deletesUndone?: string[];
}

/** Milliseconds after which MinIO's nodes have found each other's drives once more; the next one may stop then. */
export const DRIVES_FOUND = 20_000;

/**
 * Seconds until a store discards a lock whose holder is gone, and lets the next operation on the object go on. MinIO looks
 * once a minute for locks that weren't refreshed for a minute (cmd/lock-rest-server.go). No other store was seen to do so.
 */
export const LOCK_EXPIRY: Readonly<Record<string, number>> = { MinIO: 120 };

/**
 * A process that holds the lock of an object may be killed or hang, so an operation may wait for it. One such operation was
 * seen in a run, at most.
 */
export const LOCK_HOLDER_GONE = { waitForLocks: 2 };

/**
 * For up to 17 s after their start, MinIO's nodes miss some of their peers' drives, and still report that they are
 * healthy.
 */
export const STALE_AFTER_A_START = { staleMeanwhile: ["MinIO"] };

/** If two nodes of MinIO start within that time, a delete may reach too few drives and be undone. */
export const UNDONE_AFTER_STARTS = { ...STALE_AFTER_A_START, deletesUndone: ["MinIO"] };

/** A planned change or a fault that is applied to a deployment under load. */
export interface Disturbance<Target = ChaosTarget> {
    name: string;
    /** Applies it, and returns once its cause is gone: the paused container runs again, or the update has ended. */
    run: (target: Target) => Promise<void>;
    expected: Expectations;
    /** Seconds within which everything has to be healthy again once the cause is gone. Default: 90. */
    wholeWithin?: number;
}
