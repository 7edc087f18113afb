import { UNDONE_AFTER_STARTS, type Disturbance } from "./disturbance";
import type { OwnEngine } from "./ownEngine";

/** Stops the Docker daemon, which stops the containers, and starts it again. */
export function engineRestarted(engine: () => OwnEngine): Disturbance {
    return {
        name: "restart of the Docker daemon",
        run: () => engine().restart(),
        expected: { servedWithin: 90, ...UNDONE_AFTER_STARTS },
    };
}
