import { setTimeout as sleep } from "node:timers/promises";
import type { Disturbance } from "./disturbance";

/**
 * The control run without a disturbance. A failure here means that the host is too slow for the store or for the load.
 */
export const nothingDone: Disturbance<unknown> = {
    name: "nothing, for 60 s",
    run: () => sleep(60_000),
    expected: { failedWithRetries: 0, failedWithoutRetries: 0 },
};
