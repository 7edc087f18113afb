import { DockerHost } from "./dockerHost";
import { runPrefix } from "./testRun";

/** Removes what failed tests left on the engine. Only this run's resources have its prefix. */
export default async function globalTeardown(): Promise<void> {
    const left = await new DockerHost().removeEverythingOf(runPrefix());
    if (left.length > 0) {
        console.log(`removed what failed tests left: ${left.join(", ")}`);
    }
}
