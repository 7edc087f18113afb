import * as pulumi from "@pulumi/pulumi";
import { withMessageOnly } from "../checks/problem";
import { connectEngine } from "./connectEngine";
import type { DockerHost } from "./providerHost";

/**
 * Options of an internal network that isolate it from the Docker host, if the engine supports them: its bridge then has no
 * address of the host.
 *
 * @param allowed Resolves once the engine was checked: one that doesn't answer at all is reported there.
 * @throws {Error} in an update, if the engine doesn't say whether it supports them: a network without them would stay so.
 */
export function isolatedGateway(
    dockerHost?: DockerHost,
    allowed: pulumi.Input<pulumi.Resource[]> = [],
): pulumi.Output<{ [option: string]: string }> {
    return pulumi.all([dockerHost, allowed]).apply(() => gatewayOptions(dockerHost));
}

/** The options of {@link isolatedGateway}, once its engine may be asked. */
export async function gatewayOptions(dockerHost?: DockerHost): Promise<{ [option: string]: string }> {
    try {
        const isolates = await (await connectEngine(dockerHost)).isolatesGateways();
        return isolates ? { "com.docker.network.bridge.gateway_mode_ipv4": "isolated" } : {};
    } catch (error) {
        if (pulumi.runtime.isDryRun()) {
            return {};
        }
        const message = `the node network was not made, since the Docker daemon doesn't say how: ${(error as Error).message}`;
        throw withMessageOnly(new Error(`${message.trim()}. Run the same command again`));
    }
}
