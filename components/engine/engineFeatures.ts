import * as pulumi from "@pulumi/pulumi";
import { DockerEngine } from "./dockerEngine";
import type { DockerHost } from "./dockerHost";

/** Interval of the health checks of a container that starts: some stores are ready within a second. */
const START_INTERVAL = "1s";

/** The health check has the same interval at all times. */
export const NO_START_INTERVAL = "0s";

/**
 * Options of an internal network that isolate it from the Docker host, if the engine supports them: its bridge then has no
 * address of the host.
 */
export function isolatedGateway(dockerHost?: DockerHost): pulumi.Output<{ [option: string]: string }> {
    return ifSupported(dockerHost, (engine) => engine.isolatesGateways()).apply((yes): { [option: string]: string } =>
        yes ? { "com.docker.network.bridge.gateway_mode_ipv4": "isolated" } : {},
    );
}

/** Interval of the health checks of a container that starts, if the engine supports one of its own. */
export function startInterval(dockerHost?: DockerHost): pulumi.Output<string> {
    return ifSupported(dockerHost, (engine) => engine.hasStartInterval()).apply((yes) =>
        yes ? START_INTERVAL : NO_START_INTERVAL,
    );
}

/** Whether an engine supports something. False for one that doesn't answer, which the checks of an update report. */
function ifSupported(
    dockerHost: DockerHost | undefined,
    ask: (engine: DockerEngine) => Promise<boolean>,
): pulumi.Output<boolean> {
    return pulumi.output(dockerHost).apply(async () => {
        try {
            return await ask(await DockerEngine.connect(dockerHost));
        } catch {
            return false;
        }
    });
}
