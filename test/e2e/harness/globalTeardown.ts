import { DockerHost } from "./dockerHost";
import { runPrefix } from "./testRun";

/** Removes what a failed test left on the engine; nothing else has the run's prefix. */
export default async function globalTeardown(): Promise<void> {
    const left = await new DockerHost().removeEverythingOf(runPrefix());
    if (left.length > 0) {
        console.log(`removed what failed tests left: ${left.join(", ")}`);
    }
}
