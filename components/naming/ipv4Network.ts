import { createHash } from "node:crypto";

/** First and last address of an IPv4 network, as numbers. */
interface AddressRange {
    first: number;
    last: number;
}

function toNumber(address: string): number {
    return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function toAddress(value: number): string {
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

function rangeOf(cidr: string): AddressRange {
    const [address = "", prefix = "32"] = cidr.split("/");
    const size = 2 ** (32 - Number(prefix));
    const first = Math.floor(toNumber(address) / size) * size;
    return { first, last: first + size - 1 };
}

/** A network in CIDR notation, from any of its addresses: the network's own address, and the prefix length. */
export function toCidr(address: string, prefix: number): string {
    return `${toAddress(rangeOf(`${address}/${prefix}`).first)}/${prefix}`;
}

/** The network that an address with a prefix belongs to: `10.0.0.0/24` for `10.0.0.5/24`. */
export function networkOf(cidr: string): string {
    const [address = "", prefix = "32"] = cidr.split("/");
    return toCidr(address, Number(prefix));
}

/** Whether two IPv4 networks in CIDR notation have the same addresses. */
export function sameNetwork(one: string, other: string): boolean {
    return networkOf(one) === networkOf(other);
}

/** Networks that a bridge can't use (RFC 6890), with their purpose. */
const RESERVED_NETWORKS: { [cidr: string]: string } = {
    "0.0.0.0/8": "this network",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local addresses",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved, and broadcast",
};

/** The purpose that a network's addresses are reserved for, with the reserved network. Undefined if they can be used. */
export function reservedFor(cidr: string): string | undefined {
    const found = Object.entries(RESERVED_NETWORKS).find(([reserved]) => networksOverlap(reserved, cidr));
    return found === undefined ? undefined : `${found[0]}, ${found[1]}`;
}

/** Number of addresses of a network in CIDR notation. */
export function networkSize(cidr: string): number {
    const { first, last } = rangeOf(cidr);
    return last - first + 1;
}

/** Whether two IPv4 networks in CIDR notation share an address. */
export function networksOverlap(one: string, other: string): boolean {
    const [a, b] = [rangeOf(one), rangeOf(other)];
    return a.first <= b.last && b.first <= a.last;
}

/** The address at an index in a network: 0 is the network's own. */
export function addressAt(cidr: string, index: number): string {
    return toAddress(rangeOf(cidr).first + index);
}

/**
 * The address of a network's gateway if none is configured: in the components' networks, and in all networks whose gateway
 * Docker chooses.
 *
 * @param ipRange Part of the network from which Docker assigns addresses. Default: all of it.
 */
export function gatewayOf(cidr: string, ipRange = cidr): string {
    const first = addressAt(ipRange, 0);
    return first === addressAt(cidr, 0) ? addressAt(cidr, 1) : first;
}

/** The upper half of a network, which holds the dynamically assigned addresses. */
export function upperHalf(cidr: string): string {
    const prefix = Number(cidr.split("/")[1]) + 1;
    return `${toAddress(rangeOf(cidr).first + 2 ** (32 - prefix))}/${prefix}`;
}

/**
 * A /24 network that is derived from a name: the same at each run, and different for different names. It is in
 * 10.192.0.0/11, which neither Docker's own address pools nor the usual Kubernetes ones use.
 */
export function networkForName(name: string): string {
    const digest = createHash("sha256").update(name).digest();
    return `10.${192 + (digest.readUInt8(0) % 32)}.${digest.readUInt8(1)}.0/24`;
}
