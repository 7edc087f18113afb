import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";

/** A Docker host that may come from another resource; none for the default one. */
export type DockerHost = pulumi.Input<string | undefined>;

/**
 * The host that a component's Docker provider uses, which the program itself has to ask too: the one that was given, else that
 * of the provider that was passed to the component, else the config key `docker:host`.
 */
export function dockerHostOf(component: pulumi.Resource, given: DockerHost): DockerHost {
    // A component that runs in a plugin sees of its provider no more than its name.
    const provider = component.getProvider("docker:index/container:Container") as Partial<docker.Provider> | undefined;
    return given ?? provider?.host ?? new pulumi.Config("docker").get("host");
}
