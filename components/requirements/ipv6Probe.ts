import type { DockerEngine } from "../docker/engine";
import type { OneShotContainers } from "../docker/oneShotContainers";
import { refuse } from "../checks/refusal";
import type { WantedNetwork } from "./networkChecks";

/** The part of an engine that the test needs. */
export interface Ipv6Engine extends Pick<DockerEngine, "ipv6Networks"> {
    readonly oneShots: Pick<OneShotContainers, "try">;
}

/** Fails if the kernel has no IPv6: then this file doesn't exist in any network namespace. */
const KERNEL_HAS_IPV6 = "test -e /proc/net/if_inet6";

/**
 * Tests in an update, before anything is removed, whether the kernel of an engine's host has IPv6. The engine would refuse
 * the network only after the former one is gone. A network that exists already costs one query.
 *
 * @param image Id of an image with `/bin/sh`.
 * @param owner Cluster or proxy that the network belongs to.
 * @throws {pulumi.InputPropertiesError} if it hasn't.
 */
export async function refuseWithoutIpv6(
    component: string,
    { name, propertyPath, subnet }: WantedNetwork,
    { image, owner }: { image: string; owner: string },
    engine: Ipv6Engine,
): Promise<void> {
    const present = await engine.ipv6Networks();
    if (present.some((network) => network.name === name && network.subnet === subnet)) {
        return;
    }
    const refusal = await engine.oneShots.try(owner, {
        Image: image,
        User: "65534:65534",
        Entrypoint: ["/bin/sh", "-c"],
        Cmd: [KERNEL_HAS_IPV6],
        HostConfig: {
            NetworkMode: "none",
            ReadonlyRootfs: true,
            CapDrop: ["ALL"],
            SecurityOpt: ["no-new-privileges:true"],
        },
    });
    const reason = `"${subnet}" can't be used: the kernel of the Docker host has no IPv6. Enable it there, or publish the ports by IPv4 alone`;
    refuse(component, refusal === undefined ? [] : [{ propertyPath, reason }]);
}
