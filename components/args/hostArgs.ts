/** A Docker host of a cluster that spans several hosts. */
export interface StoreHost {
    /**
     * Name of the host: lower-case letters, digits and hyphens, 20 characters at most. It identifies the host in labels,
     * messages and container names, and can't be changed later.
     */
    name: string;
    /**
     * Docker host, in the format of `DOCKER_HOST`: `ssh://user@host`, `tcp://host:port` (with `certPath`) or `unix://path`.
     * A change replaces nothing.
     */
    dockerHost: string;
    /** IPv4 address at which the other hosts reach this one. It is the address that the host advertises in the swarm. */
    address: string;
    /**
     * Folder with `ca.pem`, `cert.pem` and `key.pem`, for `tcp://`.
     *
     * @default none
     */
    certPath?: string;
    /**
     * Path of the Docker daemon's socket on the host, for the watchdog there. A change replaces the host's watchdog.
     *
     * @default the path in a `unix://` or `ssh://` `dockerHost`, otherwise `/var/run/docker.sock`
     */
    socketPath?: string;
}

/** Path of the Docker daemon's socket on a host. */
export function socketPathOf({ socketPath, dockerHost }: StoreHost): string {
    const path = /^(unix|ssh):\/\//.test(dockerHost) ? new URL(dockerHost).pathname : "";
    return socketPath ?? (["", "/"].includes(path) ? "/var/run/docker.sock" : path);
}
