import { BlockList, isIP, isIPv4 } from "node:net";
import { networkOf, reservedFor } from "../naming/ipv4Network";
import { nearest } from "./nearest";
import type { Problem } from "./problem";

/** A value in the form in which it may be printed in an error: text is quoted. */
export function shown(value: unknown): string {
    return typeof value === "string" ? `"${value}"` : String(value);
}

/** Checks for an integer between two limits, both included. */
export function checkInteger(propertyPath: string, value: unknown, minimum: number, maximum: number): Problem[] {
    if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum) {
        return [];
    }
    return [{ propertyPath, reason: `${shown(value)} is not allowed: give an integer from ${minimum} to ${maximum}` }];
}

/** Checks a TCP port that can be published: 1 to 65535. */
export function checkPort(propertyPath: string, value: unknown): Problem[] {
    return checkInteger(propertyPath, value, 1, 65535);
}

const HOSTNAME_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Checks a hostname according to RFC 1123, section 2.1: at most 253 characters, and not an IP address. */
export function checkHostname(propertyPath: string, value: unknown): Problem[] {
    if (typeof value === "string" && isIP(value) !== 0) {
        const reason = `${shown(value)} is an IP address: clients are routed by hostname, so give one, such as s3.example.com`;
        return [{ propertyPath, reason }];
    }
    if (
        typeof value === "string" &&
        value.length <= 253 &&
        value.split(".").every((label) => HOSTNAME_LABEL.test(label)) &&
        !/^[0-9.]+$/.test(value)
    ) {
        return [];
    }
    const reason =
        `${shown(value)} is not a hostname: labels of letters, digits and hyphens, joined by dots, ` +
        "253 characters at most, without scheme, port or path";
    return [{ propertyPath, reason }];
}

/**
 * Checks a prefix of names on the Docker host. It must be short enough for a node's name to be a hostname label (RFC 1123,
 * section 2.1).
 */
export function checkDockerName(propertyPath: string, value: string): Problem[] {
    if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(value) && value.length <= 40) {
        return [];
    }
    const reason =
        `${shown(value)} is not allowed: lower-case letters, digits and hyphens, 40 characters at most, ` +
        "since names of containers and nodes are made of it";
    return [{ propertyPath, reason }];
}

/** Checks the name of a Docker volume by the engine's rules, which don't allow a comma. */
export function checkVolumeName(propertyPath: string, value: string): Problem[] {
    return /^[A-Za-z0-9][A-Za-z0-9_.-]+$/.test(value)
        ? []
        : [
              {
                  propertyPath,
                  reason:
                      `${shown(value)} is not the name of a Docker volume: give at least two letters, digits, dots, underscores and hyphens, ` +
                      "a letter or digit first, such as store-data1 (docker volume ls shows those that are there)",
              },
          ];
}

/** Checks an IPv4 or IPv6 address that a port is published on. */
export function checkAddress(propertyPath: string, value: unknown): Problem[] {
    if (typeof value === "string" && isIP(value) !== 0) {
        return [];
    }
    const reason = `${shown(value)} is not an IP address: give 127.0.0.1 for this host alone, 0.0.0.0 for every IPv4 address`;
    return [{ propertyPath, reason }];
}

/** Checks an IPv4 network in CIDR notation (RFC 4632), with a prefix length between two limits. */
export function checkSubnet(propertyPath: string, value: unknown, shortest: number, longest: number): Problem[] {
    const [address, prefix] = typeof value === "string" ? value.split("/") : [];
    const length = /^[0-9]{1,2}$/.test(prefix ?? "") ? Number(prefix) : -1;
    if (address !== undefined && isIPv4(address) && length >= shortest && length <= longest) {
        return checkNetworkAddress(propertyPath, `${address}/${length}`);
    }
    const reason = `${shown(value)} is not allowed: give an IPv4 network with a prefix of /${shortest} to /${longest}, such as 10.200.7.0/24`;
    return [{ propertyPath, reason }];
}

/** Checks that an address is a network's own, in a part of IPv4 that hosts may use. */
function checkNetworkAddress(propertyPath: string, cidr: string): Problem[] {
    const reserved = reservedFor(cidr);
    if (reserved !== undefined) {
        const reason = `${shown(cidr)} is not allowed: it belongs to ${reserved}. Use a private network, such as 10.200.7.0/24`;
        return [{ propertyPath, reason }];
    }
    if (networkOf(cidr) !== cidr) {
        const reason = `${shown(cidr)} is an address in a network, not the network: use ${networkOf(cidr)}`;
        return [{ propertyPath, reason }];
    }
    return [];
}

/**
 * Checks networks whose clients are trusted, in CIDR notation (RFC 4632, RFC 4291). None may contain a gateway of the
 * proxy's own networks: all clients that connect through the Docker host itself have that address, so it identifies no
 * client.
 */
export function checkTrustedNetworks(propertyPath: string, networks: string[], gateways: string[]): Problem[] {
    return networks.flatMap((network, index): Problem[] => {
        const path = `${propertyPath}[${index}]`;
        const [address = "", prefix = ""] = network.split("/");
        const family = isIP(address);
        if (family === 0 || !/^[0-9]{1,3}$/.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128)) {
            return [
                { propertyPath: path, reason: `${shown(network)} is not a network: give one such as 10.20.0.0/16` },
            ];
        }
        const block = new BlockList();
        block.addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6");
        return gateways
            .filter((gateway) => block.check(gateway, isIPv4(gateway) ? "ipv4" : "ipv6"))
            .map((gateway) => ({
                propertyPath: path,
                reason:
                    `${shown(network)} holds ${gateway}, the gateway of the proxy's own network: clients on the Docker host and by IPv6 ` +
                    "all have that address, so it can't be trusted. Give networks without it",
            }));
    });
}

/** Checks for one of a list of words. */
export function checkOneOf(propertyPath: string, value: unknown, allowed: readonly string[]): Problem[] {
    if (typeof value === "string" && allowed.includes(value)) {
        return [];
    }
    const meant = typeof value === "string" ? nearest(value, allowed) : undefined;
    const question = meant === undefined ? "" : ` (did you mean ${meant}?)`;
    return [{ propertyPath, reason: `${shown(value)} is not known${question}: give one of ${allowed.join(", ")}` }];
}

/**
 * Checks a secret that a client uses for a signature: minimum length, printable ASCII, without spaces. Messages never show
 * it.
 */
export function checkSecret(propertyPath: string, value: string, minimumLength: number): Problem[] {
    const problems: Problem[] = [];
    if (value.length < minimumLength) {
        const reason = `has ${value.length} characters: give at least ${minimumLength}, or leave it out to have one generated`;
        problems.push({ propertyPath, reason });
    }
    if (!/^[\x21-\x7e]*$/.test(value)) {
        const reason = "holds a space or a character outside printable ASCII: leave these out";
        problems.push({ propertyPath, reason });
    }
    return problems;
}
