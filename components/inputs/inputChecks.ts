import * as pulumi from "@pulumi/pulumi";
import { BlockList, isIP, isIPv4 } from "node:net";
import { networkOf, reservedFor } from "../naming/ipv4Network";
import { LABEL_PREFIX } from "../naming/labels";
import { nearest } from "./nearest";
import type { Problem } from "./problem";

/** A value as it may be printed in an error: quoted where it is text. */
export function shown(value: unknown): string {
    return typeof value === "string" ? `"${value}"` : String(value);
}

/** An integer between two limits, both allowed. */
export function checkInteger(propertyPath: string, value: unknown, minimum: number, maximum: number): Problem[] {
    if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum) {
        return [];
    }
    return [{ propertyPath, reason: `${shown(value)} is not allowed: give an integer from ${minimum} to ${maximum}` }];
}

/** Fewest CPUs that the kernel can limit a container to: 1 ms of each 100 ms. */
const SMALLEST_CPU_LIMIT = 0.01;

/** A number of CPUs, fractions allowed: as many digits as the engine counts, which are billionths. */
function checkCpus(propertyPath: string, value: unknown): Problem[] {
    if (typeof value !== "number" || !Number.isFinite(value) || value < SMALLEST_CPU_LIMIT) {
        const reason = `${shown(value)} is not allowed: give a number from ${SMALLEST_CPU_LIMIT} on, at most as many as the host has`;
        return [{ propertyPath, reason }];
    }
    return Number(value.toFixed(9)) === value
        ? []
        : [{ propertyPath, reason: `${value} has more than nine decimals: give ${Number(value.toFixed(2))}` }];
}

/** A TCP port that can be published: 1 to 65535. */
export function checkPort(propertyPath: string, value: unknown): Problem[] {
    return checkInteger(propertyPath, value, 1, 65535);
}

const HOSTNAME_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** A hostname as RFC 1123, section 2.1 has it, of at most 253 characters, and not an IP address. */
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

/** Limits of a container, each where it is given: memory in MiB, CPUs, open files. */
export function checkContainerLimits(limits: { memory?: number; cpus?: number; openFiles?: number }): Problem[] {
    const { memory, cpus, openFiles } = limits;
    return [
        ...(memory === undefined ? [] : checkInteger("memory", memory, 64, 1024 * 1024 * 1024)),
        ...(cpus === undefined ? [] : checkCpus("cpus", cpus)),
        ...(openFiles === undefined ? [] : checkInteger("openFiles", openFiles, 1024, 1048576)),
    ];
}

/** A prefix of names on the Docker host, short enough for a node's name to be a hostname label (RFC 1123, section 2.1). */
export function checkDockerName(propertyPath: string, value: string): Problem[] {
    if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(value) && value.length <= 40) {
        return [];
    }
    const reason =
        `${shown(value)} is not allowed: lower-case letters, digits and hyphens, 40 characters at most, ` +
        "since names of containers and nodes are made of it";
    return [{ propertyPath, reason }];
}

/** The name of a Docker volume, as the engine allows it; a comma is none of its characters. */
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

/** An IPv4 or IPv6 address that a port is published on. */
export function checkAddress(propertyPath: string, value: unknown): Problem[] {
    if (typeof value === "string" && isIP(value) !== 0) {
        return [];
    }
    const reason = `${shown(value)} is not an IP address: give 127.0.0.1 for this host alone, 0.0.0.0 for every IPv4 address`;
    return [{ propertyPath, reason }];
}

/** An IPv4 network in CIDR notation (RFC 4632), with a prefix between two lengths. */
export function checkSubnet(propertyPath: string, value: unknown, shortest: number, longest: number): Problem[] {
    const [address, prefix] = typeof value === "string" ? value.split("/") : [];
    const length = /^[0-9]{1,2}$/.test(prefix ?? "") ? Number(prefix) : -1;
    if (address !== undefined && isIPv4(address) && length >= shortest && length <= longest) {
        return checkNetworkAddress(propertyPath, `${address}/${length}`);
    }
    const reason = `${shown(value)} is not allowed: give an IPv4 network with a prefix of /${shortest} to /${longest}, such as 10.200.7.0/24`;
    return [{ propertyPath, reason }];
}

/** A network's own address, in a part of IPv4 that hosts may have. */
function checkNetworkAddress(propertyPath: string, cidr: string): Problem[] {
    const reserved = reservedFor(cidr);
    if (reserved !== undefined) {
        const reason = `${shown(cidr)} is not allowed: it is of ${reserved}. Give a private network, such as 10.200.7.0/24`;
        return [{ propertyPath, reason }];
    }
    if (networkOf(cidr) !== cidr) {
        const reason = `${shown(cidr)} is an address in a network, not the network: give ${networkOf(cidr)}`;
        return [{ propertyPath, reason }];
    }
    return [];
}

/**
 * Networks whose clients are trusted, in CIDR notation (RFC 4632, RFC 4291). None may hold a gateway of the proxy's own
 * networks: whoever comes by way of the Docker host itself has that address, so that it distinguishes nobody.
 */
export function checkTrustedNetworks(propertyPath: string, networks: string[], gateways: string[]): Problem[] {
    return networks.flatMap((network, place): Problem[] => {
        const path = `${propertyPath}[${place}]`;
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
            .filter((gateway) => block.check(gateway))
            .map((gateway) => ({
                propertyPath: path,
                reason:
                    `${shown(network)} holds ${gateway}, the gateway of the proxy's own network: clients on the Docker host and by IPv6 ` +
                    "all have that address, so it can't be trusted. Give networks without it",
            }));
    });
}

/** One of a few words. */
export function checkOneOf(propertyPath: string, value: unknown, allowed: readonly string[]): Problem[] {
    if (typeof value === "string" && allowed.includes(value)) {
        return [];
    }
    const meant = typeof value === "string" ? nearest(value, allowed) : undefined;
    const question = meant === undefined ? "" : ` (did you mean ${meant}?)`;
    return [{ propertyPath, reason: `${shown(value)} is not known${question}: give one of ${allowed.join(", ")}` }];
}

/** A secret that a client sends in a signature: long enough, printable ASCII, without spaces. Never shows it. */
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

/** A value that Docker takes as text. One that comes from another resource isn't known here. */
export function checkText(propertyPath: string, value: unknown): Problem[] {
    const later = pulumi.Output.isInstance(value) || value instanceof Promise;
    return later || typeof value === "string" ? [] : [{ propertyPath, reason: "is not text: put it in quotes" }];
}

/** Labels of a user's own (Docker's rules for label keys), with values that are text: none that the components set themselves. */
export function checkLabels(propertyPath: string, labels: { [name: string]: unknown }): Problem[] {
    return Object.entries(labels).flatMap(([name, value]) => {
        const path = `${propertyPath}["${name}"]`;
        if (!/^[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?$/.test(name)) {
            const reason =
                "is not a label's name: letters, digits, dots, slashes and hyphens, such as com.example.team";
            return [{ propertyPath: path, reason }];
        }
        return name.startsWith(LABEL_PREFIX)
            ? [{ propertyPath: path, reason: `begins with ${LABEL_PREFIX}, as the components' own do: give another` }]
            : checkText(path, value);
    });
}
