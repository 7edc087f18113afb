import { isIPv4, isIPv6 } from "node:net";
import type { Problem } from "../checks/problem";
import { canonicalIpv6, isInIpv6Network } from "../naming/ipv6Network";
import type { HaproxyFrontEndArgs } from "../args/haproxyFrontEndArgs";

/** How clients connect by IPv6. */
export interface PublicIpv6 {
    /** IPv6 subnet of the public network. */
    subnet: string;
    /** The host's own address on it. */
    gateway: string;
    /** Address of the host that the ports are published on. */
    publishAddress: string;
}

/** The args that decide whether clients may connect by IPv6. */
type PublicIpv6Args = Pick<
    HaproxyFrontEndArgs,
    "publicIpv6Subnet" | "publishIpv6Address" | "publicNetworkName" | "publishAddress"
>;

/** How clients connect by IPv6. Undefined if they don't. */
export function publicIpv6Of(args: PublicIpv6Args): PublicIpv6 | undefined {
    const { publicIpv6Subnet: subnet, publishAddress = "0.0.0.0" } = args;
    return subnet === undefined
        ? undefined
        : {
              subnet,
              gateway: subnet.replace(/\/.*$/, "1"),
              publishAddress: args.publishIpv6Address ?? (publishAddress.startsWith("127.") ? "::1" : "::"),
          };
}

/** Networks that no container can use (RFC 4291): loopback and IPv4-mapped addresses, link-local ones, multicast. */
const RESERVED = ["::/16", "fe80::/10", "ff00::/8"];

/** Checks the subnet, the address, and the args that these exclude. */
export function checkPublicIpv6(args: PublicIpv6Args): Problem[] {
    const { publicIpv6Subnet, publishIpv6Address, publicNetworkName, publishAddress = "0.0.0.0" } = args;
    if (publicIpv6Subnet === undefined) {
        return publishIpv6Address === undefined
            ? []
            : [
                  {
                      propertyPath: "publishIpv6Address",
                      reason: "needs publicIpv6Subnet: give the public network an IPv6 subnet, such as fd12:3456:789a::/64",
                  },
              ];
    }
    return [
        ...checkIpv6Subnet("publicIpv6Subnet", publicIpv6Subnet),
        ...(publicNetworkName === undefined
            ? []
            : [
                  {
                      propertyPath: "publicIpv6Subnet",
                      reason: `"${publicIpv6Subnet}" and publicNetworkName exclude each other: an existing network has its own subnets`,
                  },
              ]),
        ...(publishIpv6Address === undefined || isIPv6(publishIpv6Address)
            ? []
            : [
                  {
                      propertyPath: "publishIpv6Address",
                      reason: `"${publishIpv6Address}" is not an IPv6 address: give ::1 for this host alone, :: for every IPv6 address`,
                  },
              ]),
        ...(isIPv4(publishAddress)
            ? []
            : [
                  {
                      propertyPath: "publishAddress",
                      reason: `"${publishAddress}" is not an IPv4 address: with publicIpv6Subnet, give IPv6 addresses in publishIpv6Address`,
                  },
              ]),
    ];
}

function checkIpv6Subnet(propertyPath: string, value: string): Problem[] {
    const [address = "", prefix = ""] = value.split("/");
    const length = /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : 0;
    if (!isIPv6(address) || !/^([0-9a-f]+:)+:$/i.test(address) || length < 48 || length > 112) {
        const reason =
            `"${value}" is not allowed: give an IPv6 network with a prefix of /48 to /112, whose address ends with ::, ` +
            "such as fd12:3456:789a::/64";
        return [{ propertyPath, reason }];
    }
    if (RESERVED.some((network) => isInIpv6Network(network, address))) {
        const reason = `"${value}" is not allowed: it is reserved for other uses. Give a network of your own, such as fd12:3456:789a::/64`;
        return [{ propertyPath, reason }];
    }
    if (!isOwnAddress(address, length)) {
        const reason = `"${value}" is an address in a network, not the network: its bits after the first ${length} must be 0`;
        return [{ propertyPath, reason }];
    }
    // Engines and their updates may return another spelling than they were given, which would look like a change.
    const spelling = `${canonicalIpv6(address)}/${length}`;
    return value === spelling ? [] : [{ propertyPath, reason: `"${value}" is spelled unusually: give ${spelling}` }];
}

/** Whether all bits of an address after a prefix are 0. */
function isOwnAddress(address: string, length: number): boolean {
    const groups = address.replace(/::$/, "").split(":").filter(Boolean);
    const bits = Array.from({ length: 8 }, (_, index) =>
        parseInt(groups[index] ?? "0", 16)
            .toString(2)
            .padStart(16, "0"),
    );
    return !bits.join("").slice(length).includes("1");
}
