import { BlockList } from "node:net";

/** An IPv6 address in its shortest form, in lower case (RFC 5952). */
export function canonicalIpv6(address: string): string {
    return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Whether an IPv6 address is in a network in CIDR notation. */
export function isInIpv6Network(network: string, address: string): boolean {
    const [first = "", length = "128"] = network.split("/");
    const block = new BlockList();
    block.addSubnet(first, Number(length), "ipv6");
    return block.check(address, "ipv6");
}

/** Whether one of two IPv6 networks contains the other. */
export function ipv6NetworksOverlap(one: string, other: string): boolean {
    const addressOf = (network: string) => network.split("/")[0] ?? "";
    return isInIpv6Network(one, addressOf(other)) || isInIpv6Network(other, addressOf(one));
}
