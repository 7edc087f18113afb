import type Docker from "dockerode";
import type { EngineSettings } from "./engineEndpoint";

const ADVICE =
    "nothing was changed. Give both the same Docker daemon, by DOCKER_HOST or the config key docker:host; for a provider of your own in a " +
    "component of another language by the dockerHost arg too";

/** `CANCELLED` and `UNAVAILABLE` of gRPC: Pulumi's resource monitor is shutting down. */
const MONITOR_ENDS = [1, 14];

/**
 * Why the Docker provider talks to a different engine than a client of the program. Undefined if it talks to the same one.
 * The engines are compared by the id of a default network, which is random on each engine; the id of the bridge is new at
 * each start of the engine.
 *
 * @throws The error of Pulumi's resource monitor, if the update has ended meanwhile.
 */
export async function differenceFromProvider(
    docker: Pick<Docker, "listNetworks">,
    { networkIdOfProvider }: EngineSettings,
): Promise<string | undefined> {
    const names = (await docker.listNetworks()).map(({ Name: name, Id: id }) => ({ name, id }));
    const own = ["bridge", "none"].flatMap((wanted) => names.find(({ name }) => name === wanted) ?? [])[0];
    if (own === undefined || networkIdOfProvider === undefined) {
        return undefined;
    }
    try {
        const id = await networkIdOfProvider(own.name);
        return id === undefined || id === own.id
            ? undefined
            : `the Docker provider talks to another Docker daemon than this program: ${ADVICE}`;
    } catch (error) {
        // The provider wasn't asked: the update has ended for another reason, which is the one to report.
        if (MONITOR_ENDS.includes((error as { code?: number }).code ?? 0)) {
            throw error;
        }
        return `the Docker provider doesn't see the Docker daemon that this program asks (${(error as Error).message}): ${ADVICE}`;
    }
}
