import type { ChaosTarget } from "./chaosTarget";

/** What is asked of a disturbance, besides that no byte is ever wrong and that everything gets whole by itself. */
export interface Expectations {
    /** Operations that may fail with the SDK's default retries. */
    failedWithRetries?: number;
    /** Operations that may fail without retries. */
    failedWithoutRetries?: number;
    /** Seconds from the beginning until no operation fails any more. */
    servedWithin?: number;
    /** Seconds in which no operation at all has success. */
    longestGap?: number;
    /** Seconds that a single operation may take. */
    longestStall?: number;
    /**
     * Stores that may read or list something else than was acknowledged while it lasts, since they know no better
     * themselves (docs/chaos.md says why). What is read afterwards must be right.
     */
    staleMeanwhile?: string[];
    /** Stores in which what was acknowledged as deleted may be there again for good. It may not be something else. */
    deletesUndone?: string[];
}

/** MinIO's nodes go without some of their peers' drives for up to 17 s from their start, and say that they are well. */
export const STALE_AFTER_A_START = { staleMeanwhile: ["MinIO"] };

/** Where two of its nodes start within that time, a delete may have reached too few drives, and be undone. */
export const UNDONE_AFTER_STARTS = { ...STALE_AFTER_A_START, deletesUndone: ["MinIO"] };

/** A planned change or a fault, as it is done to a deployment under load. */
export interface Disturbance {
    name: string;
    /** Does it, and ends once its cause is gone: the paused container runs again, the update is through. */
    run: (target: ChaosTarget) => Promise<void>;
    expected: Expectations;
    /** Seconds that everything may take to be whole again once the cause is gone. Default: 90. */
    wholeWithin?: number;
}
