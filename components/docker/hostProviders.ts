import * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import type { Host, NamedHost } from "./hosts";

/**
 * The same hosts, each that has a name with a provider of its own. The provider's resource name has the host's name, not the
 * address: a host that was replaced by another machine keeps its resources.
 */
export function withProviders(
    component: string,
    hosts: readonly Host[],
    args: { hosts?: readonly NamedHost[] },
    opts: pulumi.ResourceOptions,
): Host[] {
    return hosts.map((host, index) => {
        const { dockerHost, certPath } = args.hosts?.[index] ?? {};
        return host.name === undefined
            ? host
            : {
                  ...host,
                  provider: new docker.Provider(`${component}-host-${host.name}`, { host: dockerHost, certPath }, opts),
              };
    });
}
