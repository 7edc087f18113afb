import type Docker from "dockerode";
import { DockerEngine } from "../../components/engine/dockerEngine";
import { answeringEngine } from "../../components/engine/engineConnection";
import type { EngineSettings } from "../../components/engine/engineEndpoint";
import type { StoreHost } from "../../components/store/storeHosts";

/**
 * A client of a host's engine, which has answered.
 *
 * @throws {Error} if it doesn't answer; the message says what to do.
 */
export function hostEngine(host: StoreHost): Promise<Docker> {
    return answeringEngine(settingsOf(host));
}

/**
 * Connects to the engine of a host.
 *
 * @throws {Error} if it doesn't answer; the message says what to do.
 */
export function connectToHost(host: StoreHost): Promise<DockerEngine> {
    return DockerEngine.connect(settingsOf(host));
}

function settingsOf({ name, dockerHost, certPath }: StoreHost): EngineSettings {
    const names = { host: `the dockerHost of host ${name}`, certPath: `the certPath of host ${name}` };
    return { givenHost: dockerHost, certPath, names };
}
