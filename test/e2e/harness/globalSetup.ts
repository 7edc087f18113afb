import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { bundlePlugin } from "../../../tools/pulumi/pluginBundle";
import { CLI_FOLDER } from "../../../tools/pulumi/toolchainParts";
import { DockerHost } from "./dockerHost";
import { runPrefix, testedEngine } from "./testRun";

/**
 * Sets one name for the run, bundles the project's plugin if its sources are newer, and prepares the tools in the versions that the
 * project pins. Fails if a prerequisite is missing.
 */
export default function globalSetup(): void {
    bundlePlugin();
    process.env["OBJECT_STORE_TEST_RUN"] ??= `e2e-${randomBytes(3).toString("hex")}`;
    process.env["DOCKER_HOST"] = testedEngine();
    process.env["PATH"] = `${CLI_FOLDER}:${process.env["PATH"]}`;
    for (const signal of ["SIGINT", "SIGTERM"]) {
        process.once(signal, () => void removeAndExit());
    }
}

/** An interrupted run leaves nothing behind either. Updates in progress get the same signal, and a moment to end. */
async function removeAndExit(): Promise<void> {
    console.error("interrupted: removing what the tests have made");
    await sleep(5000);
    await new DockerHost().removeEverythingOf(runPrefix());
    process.exit(130);
}
