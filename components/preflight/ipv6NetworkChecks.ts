import { BlockList } from "node:net";
import type { EngineNetwork } from "../engine/engine";
import type { Problem } from "../inputs/problem";
import type { WantedNetwork } from "./networkChecks";

/** Conflicts of an IPv6 network that will be created with networks of the engine. */
export function checkIpv6Network(
    { name, propertyPath, subnet }: WantedNetwork,
    present: Pick<EngineNetwork, "name" | "subnet">[],
): Problem[] {
    return present
        .filter((other) => other.name !== name && overlap(other.subnet, subnet))
        .map((other) => ({
            propertyPath,
            reason: `"${subnet}" overlaps with ${other.subnet} of the Docker network ${other.name}: give another`,
        }));
}

/** Whether one of two networks contains the other. */
function overlap(one: string, other: string): boolean {
    return contains(one, other) || contains(other, one);
}

function contains(network: string, other: string): boolean {
    const [address = "", prefix = "128"] = network.split("/");
    const block = new BlockList();
    block.addSubnet(address, Number(prefix), "ipv6");
    return block.check(other.split("/")[0] ?? "", "ipv6");
}
