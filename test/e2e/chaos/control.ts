import { setTimeout as sleep } from "node:timers/promises";
import type { Disturbance } from "./disturbance";

/** What fails here fails without anybody's doing: the host is too slow for the store, or the load for the host. */
export const nothingDone: Disturbance = {
    name: "nothing, for 60 s",
    run: () => sleep(60_000),
    expected: { failedWithRetries: 0, failedWithoutRetries: 0 },
};
