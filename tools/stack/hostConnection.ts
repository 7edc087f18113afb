import type Docker from "dockerode";
import { hostSettings } from "../../components/storeClient/storeReference";
import { DockerEngine } from "../../components/docker/engine";
import { answeringEngine } from "../../components/docker/engineConnection";
import type { StoreHost } from "../../components/args/hostArgs";

/**
 * A client of a host's engine, which has answered.
 *
 * @throws {Error} if it doesn't answer; the message says what to do.
 */
export function hostEngine(host: StoreHost): Promise<Docker> {
    return answeringEngine(hostSettings(host));
}

/**
 * Connects to the engine of a host.
 *
 * @throws {Error} if it doesn't answer; the message says what to do.
 */
export function connectToHost(host: StoreHost): Promise<DockerEngine> {
    return DockerEngine.connect(hostSettings(host));
}
