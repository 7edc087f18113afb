import type { PublishedPort } from "../docker/model";
import { isIPv6 } from "node:net";
import type { LocalHost } from "../docker/localHost";
import type { Problem } from "../checks/problem";
import { onEngine, type Requirement } from "./requirement";

/** Ports that a proxy will publish. */
export interface WantedPorts {
    ports: { propertyPath: string; port: number }[];
    /** Address that it publishes them on. */
    publishAddress: string;
    /** Property that sets the address. */
    addressProperty: string;
    /** Name of the proxy's own container. Its ports are no conflict. */
    proxyName?: string;
}

/** A proxy can publish its ports on an address. */
export function portsAreFree(host: string | undefined, wanted: WantedPorts): Requirement {
    return onEngine(host, async ({ engine, local }) =>
        wanted.ports.length === 0 ? [] : checkPorts(wanted, await engine.publishedPorts(), local),
    );
}

/**
 * Problems that prevent publishing ports: other containers, other programs, and an address that isn't this host's, or a
 * host without IPv6. Ports that the proxy itself holds now are no conflict, on whichever address.
 *
 * @param published Ports that running containers publish.
 * @param host The engine's host. Undefined if that differs from the program's host: then its ports can't be tested.
 */
export async function checkPorts(
    wanted: WantedPorts,
    published: PublishedPort[],
    host?: LocalHost,
): Promise<Problem[]> {
    const { ports, publishAddress, addressProperty, proxyName } = wanted;
    const refusal = ports.length > 0 ? await host?.refusalToListen(0, publishAddress) : undefined;
    const ofHost = host?.addresses(isIPv6(publishAddress) ? 6 : 4) ?? [];
    if (
        isIPv6(publishAddress) &&
        (refusal === "EAFNOSUPPORT" || (refusal === "EADDRNOTAVAIL" && ofHost.length === 0))
    ) {
        const reason = `"${publishAddress}" can't be listened on: this host has no IPv6. Enable it in the kernel, or publish the ports by IPv4 alone`;
        return [{ propertyPath: addressProperty, reason }];
    }
    if (refusal === "EADDRNOTAVAIL") {
        const reason =
            `"${publishAddress}" is not an address of this host: use one of ${[...new Set(ofHost)].join(", ")}, or ` +
            (isIPv6(publishAddress) ? ":: for every IPv6 address" : "0.0.0.0 for every IPv4 address");
        return [{ propertyPath: addressProperty, reason }];
    }
    const problems = await Promise.all(
        ports.map(async ({ propertyPath, port }): Promise<Problem[]> => {
            const holders = published.filter((other) => other.port === port);
            const stranger = holders.find(
                ({ container, address }) => container !== proxyName && addressesMeet(address, publishAddress),
            );
            if (stranger !== undefined) {
                const reason = `${port} is taken by the container ${stranger.container}: stop that one, or give another port`;
                return [{ propertyPath, reason }];
            }
            const own = holders.filter(({ container }) => container === proxyName).map(({ address }) => address);
            const taken = await takenAddress(port, publishAddress, own, host);
            return taken === undefined
                ? []
                : [
                      {
                          propertyPath,
                          reason: `${port} is taken by another program on ${taken}: stop that program, or set another port`,
                      },
                  ];
        }),
    );
    return problems.flat();
}

/** The first wanted address on which another program listens. Undefined if there is none. */
async function takenAddress(
    port: number,
    publishAddress: string,
    own: string[],
    host?: LocalHost,
): Promise<string | undefined> {
    if (host === undefined) {
        return undefined;
    }
    // If the proxy holds one of a host's addresses, they can't be tested all at once: each of the others is tested alone.
    const addresses =
        own.length > 0 && isEverywhere(publishAddress)
            ? host.addresses(isIPv6(publishAddress) ? 6 : 4)
            : [publishAddress];
    for (const address of addresses.filter((other) => !own.some((held) => addressesMeet(held, other)))) {
        if ((await host.refusalToListen(port, address)) === "EADDRINUSE") {
            return address;
        }
    }
    return undefined;
}

/** Whether two listen addresses exclude each other. The engine listens on `::` for IPv6 alone. */
export function addressesMeet(one: string, other: string): boolean {
    return one === other || (isIPv6(one) === isIPv6(other) && (isEverywhere(one) || isEverywhere(other)));
}

function isEverywhere(address: string): boolean {
    return ["0.0.0.0", "::"].includes(address);
}
