import { toCidr } from "../naming/ipv4Network";
import { canonicalIpv6, ipv6NetworksOverlap } from "../naming/ipv6Network";

/** A network that the host reaches without its default route. */
export interface HostNetwork {
    /** Name of the interface: `eth0`, `tun0` … */
    interface: string;
    /** Its subnet, in CIDR notation. */
    subnet: string;
}

/** Flags of a route (linux/route.h). */
const [ROUTE_UP, ROUTE_REJECT] = [0x1, 0x200];

/** Routes with a shorter prefix lead everywhere, like the default route: VPNs split that in two halves. */
const SHORTEST_ROUTE = 4;

/**
 * Networks that routes lead to, without the default route and without routes that reject.
 *
 * @param table Text of `/proc/net/route`: interface, destination, gateway, flags, …, mask. Addresses are in hexadecimal
 * digits, in the processor's byte order, which is little-endian on all processors that the engine runs on.
 */
export function routesOf(table: string): HostNetwork[] {
    return table
        .split("\n")
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .flatMap(([name = "", destination = "", , flags = "", , , , mask = ""]) => {
            const bytes = (digits: string) => (digits.match(/../g) ?? []).reverse().map((byte) => parseInt(byte, 16));
            const prefix = bytes(mask)
                .map((byte) => byte.toString(2))
                .join("")
                .replace(/0/g, "").length;
            const leads = (parseInt(flags, 16) & (ROUTE_UP | ROUTE_REJECT)) === ROUTE_UP;
            return leads && prefix >= SHORTEST_ROUTE
                ? [{ interface: name, subnet: toCidr(bytes(destination).join("."), prefix) }]
                : [];
        });
}

/** Networks that every IPv6 host reaches through each of its interfaces: link-local ones, and multicast. */
const OF_EVERY_INTERFACE = ["fe80::/10", "ff00::/8"];

/**
 * The same of IPv6, without link-local networks.
 *
 * @param table Text of `/proc/net/ipv6_route`: destination, length of its prefix, …, flags, interface. All numbers are
 * hexadecimal.
 */
export function ipv6RoutesOf(table: string): HostNetwork[] {
    return table
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .flatMap(([destination = "", length = "", , , , , , , flags = "", name = ""]) => {
            const prefix = parseInt(length, 16);
            const leads = (parseInt(flags, 16) & (ROUTE_UP | ROUTE_REJECT)) === ROUTE_UP && name !== "lo";
            if (!leads || prefix < SHORTEST_ROUTE || prefix === 128) {
                return [];
            }
            const subnet = `${canonicalIpv6((destination.match(/..../g) ?? []).join(":"))}/${prefix}`;
            return OF_EVERY_INTERFACE.some((network) => ipv6NetworksOverlap(network, subnet))
                ? []
                : [{ interface: name, subnet }];
        });
}
