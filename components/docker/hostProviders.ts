import * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";

/** Docker providers, by the names of their hosts. */
export type HostProviders = ReadonlyMap<string, docker.Provider>;

/** A host, and how its engine is reached. */
interface ReachableHost {
    name: string;
    dockerHost: string;
    certPath?: string;
}

/**
 * A Docker provider for each host. Its resource name has the host's name, not the address: a host that was replaced by
 * another machine keeps its resources.
 */
export function hostProviders(
    name: string,
    hosts: readonly ReachableHost[] = [],
    opts: pulumi.ResourceOptions,
): HostProviders {
    return new Map(
        hosts.map((host) => [
            host.name,
            new docker.Provider(`${name}-host-${host.name}`, { host: host.dockerHost, certPath: host.certPath }, opts),
        ]),
    );
}
