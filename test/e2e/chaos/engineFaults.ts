import { UNDONE_AFTER_STARTS, type Disturbance } from "./disturbance";
import type { OwnEngine } from "./ownEngine";

/** The Docker daemon is told to stop, which stops the containers, and is started again. */
export function engineRestarted(engine: () => OwnEngine): Disturbance {
    return {
        name: "restart of the Docker daemon",
        run: () => engine().restart(),
        expected: { servedWithin: 90, ...UNDONE_AFTER_STARTS },
    };
}
