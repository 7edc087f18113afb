import { BlockList, isIP, isIPv4 } from "node:net";

/** What a stack's config says about the addresses of its clients. */
export interface ClientNetworks {
    adminNetworks: string[];
    consoleNetworks: string[];
    trustedProxies: string[];
}

/**
 * Problems of a stack to which another one forwards its clients. Its proxies would see the other one's hosts in place of the
 * clients, and so let every client in, or none.
 *
 * @param addresses Addresses of the other one's hosts, as far as they are known.
 */
export function checkForwardedClients(
    [from, to]: [string, string],
    { trustedProxies, ...networks }: ClientNetworks,
    addresses: string[],
): string[] {
    return Object.entries(networks).flatMap(([key, allowed]) => {
        if (allowed.length === 0) {
            return [];
        }
        const inside = addresses.filter((address) => holds(allowed, address) && !holds(trustedProxies, address));
        const remedy = `${to} needs trustedProxies with the addresses of the hosts of ${from}, so that it knows the clients that these forward`;
        return inside.length > 0
            ? [`${key} of ${to} holds ${inside.join(", ")}, of ${from}, which will forward all clients: ${remedy}`]
            : trustedProxies.length === 0
              ? [`${to} has ${key} and no trustedProxies: ${remedy}`]
              : [];
    });
}

/** Whether networks in CIDR notation hold an address. */
function holds(networks: string[], address: string): boolean {
    const block = new BlockList();
    for (const network of networks) {
        const [base = "", prefix] = network.split("/");
        const family = isIPv4(base) ? "ipv4" : "ipv6";
        block.addSubnet(base, Number(prefix ?? (family === "ipv4" ? 32 : 128)), family);
    }
    return isIP(address) !== 0 && block.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}
