import type Docker from "dockerode";
import type { EngineSettings } from "./engineEndpoint";

const ADVICE =
    "nothing was changed. Give both the same engine, by DOCKER_HOST or the config key docker:host; for a provider of your own in a " +
    "component of another language by the dockerHost arg too";

/**
 * Why the Docker provider talks to another engine than a client of the program; nothing where it doesn't. A default network has a
 * random id on each engine, made at each of its starts where it is the bridge.
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
            : `the Docker provider talks to another engine than this program: ${ADVICE}`;
    } catch (error) {
        return `the Docker provider doesn't see the engine that this program asks (${(error as Error).message}): ${ADVICE}`;
    }
}
