import * as pulumi from "@pulumi/pulumi";
import { DockerEngine } from "./engine";
import type { DockerHost } from "./providerHost";
import { engineError } from "./engineError";
import { HostEngines, onHost, presentHosts, type Host } from "./hosts";
import { settled } from "../pulumi/settled";

/**
 * Connects to the engine that a component's Docker provider talks to.
 *
 * @param host The provider's settings. Default: those that it takes from the environment. Settings from another resource
 * must be known.
 * @throws {Error} if the settings can't be used, or no engine answers there; the message says what to do.
 */
export async function connectEngine(host: DockerHost = {}): Promise<DockerEngine> {
    const settings = await settled(pulumi.output(host));
    try {
        return await DockerEngine.connect(settings);
    } catch (error) {
        throw engineError(error as Error);
    }
}

/**
 * Connects to the engine of each host, except those that are known to be away.
 *
 * @throws {Error} that names every host whose engine doesn't answer.
 */
export async function connectEngines(all: readonly Host[]): Promise<HostEngines<DockerEngine>> {
    const hosts = presentHosts(all);
    const found = await Promise.allSettled(hosts.map(({ dockerHost }) => connectEngine(dockerHost)));
    const problems = found.flatMap((result, index) =>
        result.status === "rejected" ? [onHost(hosts[index]?.name, (result.reason as Error).message)] : [],
    );
    if (problems.length > 0) {
        throw engineError(new Error(problems.join("\n")));
    }
    const connected = found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    return new HostEngines(new Map(connected.map((engine, index) => [hosts[index]?.name, engine])));
}
