import type { EngineNetwork } from "../docker/model";
import type { HostNetwork } from "../docker/hostRoutes";
import { ipv6NetworksOverlap } from "../naming/ipv6Network";
import type { Problem } from "../checks/problem";
import type { WantedNetwork } from "./networkChecks";
import { onEngine, type Requirement } from "./requirement";

/** An IPv6 network can be created. */
export function ipv6NetworkIsFree(host: string | undefined, network: WantedNetwork): Requirement {
    return onEngine(host, async ({ engine, local }) => {
        const ofHost = (await local?.ipv6Networks()) ?? [];
        return checkIpv6Network(network, await engine.ipv6Networks(), ofHost);
    });
}

/**
 * Conflicts of an IPv6 network that will be created: with networks of the engine, and with networks that the host itself
 * reaches.
 *
 * @param present IPv6 networks of the engine.
 * @param ofHost IPv6 networks of the host's routes. Those of the engine's own bridges are recognised by their subnets.
 */
export function checkIpv6Network(
    { name, propertyPath, subnet }: WantedNetwork,
    present: Pick<EngineNetwork, "name" | "subnet">[],
    ofHost: HostNetwork[],
): Problem[] {
    const onEngine = present
        .filter((other) => other.name !== name && ipv6NetworksOverlap(other.subnet, subnet))
        .map((other) => `overlaps with ${other.subnet} of the Docker network ${other.name}: give another`);
    const onHost = ofHost
        .filter((other) => !present.some((network) => network.subnet === other.subnet))
        .filter((other) => ipv6NetworksOverlap(other.subnet, subnet))
        .map(
            (other) =>
                `overlaps with ${other.subnet}, which this host reaches through its interface ${other.interface}: this host ` +
                `would lose access to it. Set ${propertyPath} to an unused network, such as one of fd00::/8`,
        );
    return [...onEngine, ...onHost].map((reason) => ({ propertyPath, reason: `"${subnet}" ${reason}` }));
}
