import type { PublishedPort } from "../engine/engine";
import { isIPv6 } from "node:net";
import type { LocalHost } from "../engine/localHost";
import type { Problem } from "../inputs/problem";

/** Ports that a proxy is to publish. */
export interface WantedPorts {
    ports: { propertyPath: string; port: number }[];
    /** Address that it publishes them on. */
    publishAddress: string;
    /** Name of the proxy's own container, whose ports are no conflict. */
    proxyName?: string;
}

/**
 * What stands against publishing ports: other containers, other programs, and an address that isn't this host's. What the proxy
 * itself holds now is no conflict, wherever it holds it.
 *
 * @param published What running containers publish.
 * @param host The engine's host; none where that is another than the program's, and can't be tried.
 */
export async function checkPorts(
    wanted: WantedPorts,
    published: PublishedPort[],
    host?: LocalHost,
): Promise<Problem[]> {
    const { ports, publishAddress, proxyName } = wanted;
    if (ports.length > 0 && (await host?.refusalToListen(0, publishAddress)) === "EADDRNOTAVAIL") {
        const reason =
            `"${publishAddress}" is no address of this host: give one of ` +
            `${[...new Set(host?.addresses(isIPv6(publishAddress) ? 6 : 4))].join(", ")}, or 0.0.0.0 for every IPv4 address`;
        return [{ propertyPath: "publishAddress", reason }];
    }
    const problems = await Promise.all(
        ports.map(async ({ propertyPath, port }): Promise<Problem[]> => {
            const holders = published.filter((other) => other.port === port);
            const stranger = holders.find(
                ({ container, address }) => container !== proxyName && meet(address, publishAddress),
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
                          reason: `${port} is taken by another program on ${taken}: end that one, or give another port`,
                      },
                  ];
        }),
    );
    return problems.flat();
}

/** An address of those that are wanted where another program listens; nothing where none does. */
async function takenAddress(
    port: number,
    publishAddress: string,
    own: string[],
    host?: LocalHost,
): Promise<string | undefined> {
    if (host === undefined) {
        return undefined;
    }
    // Where the proxy holds one of a host's addresses, all of them at once can't be tried: each of the others is.
    const addresses =
        own.length > 0 && isEverywhere(publishAddress)
            ? host.addresses(isIPv6(publishAddress) ? 6 : 4)
            : [publishAddress];
    for (const address of addresses.filter((other) => !own.some((held) => meet(held, other)))) {
        if ((await host.refusalToListen(port, address)) === "EADDRINUSE") {
            return address;
        }
    }
    return undefined;
}

/** Whether two addresses to listen on exclude each other. */
function meet(one: string, other: string): boolean {
    return one === other || isEverywhere(one) || isEverywhere(other);
}

function isEverywhere(address: string): boolean {
    return ["0.0.0.0", "::"].includes(address);
}
