/** What an engine reports of its own version, as in Docker's API. */
export interface EngineVersion {
    ApiVersion: string;
    Components?: readonly { Name: string; Version: string }[];
}

/** Whether an engine has an API version or a newer one. */
export function hasApi({ ApiVersion: version }: EngineVersion, major: number, minor: number): boolean {
    const [itsMajor = 0, itsMinor = 0] = version.split(".").map(Number);
    return itsMajor > major || (itsMajor === major && itsMinor >= minor);
}

/**
 * Why nothing can be deployed to an engine. Undefined if it can. Podman has Docker's API, but refuses nodes: the `tmpfs` with
 * a node's files belongs to the store's user, and Podman knows no owner of a `tmpfs` (seen with Podman 5.8).
 */
export function whyUnsupported({ Components: components }: EngineVersion): string | undefined {
    const podman = components?.find(({ Name: name }) => name.startsWith("Podman"));
    return podman === undefined
        ? undefined
        : `the Docker daemon is Podman ${podman.Version}, which can't run nodes: it refuses a tmpfs with an owner (the mount option uid). ` +
              "Name a Docker Engine by DOCKER_HOST or the config key docker:host";
}
