import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { createServer, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { networkOf } from "../naming/ipv4Network";
import { ipv6RoutesOf, routesOf, type HostNetwork } from "./hostRoutes";

/** A folder of the host. */
export interface HostFolder {
    /** Number of the device that it is on. */
    device: number;
    /** Inode number of the folder on its device. It is the same for two paths to the same folder. */
    inode: number;
    /** User id of its owner. */
    owner: number;
    /** Group id of its group. */
    group: number;
}

/** The host that this program runs on, as far as the checks query it. It changes nothing. */
export interface LocalHost {
    /** The path with symbolic links resolved. Undefined if it doesn't exist or can't be resolved. */
    realPath(path: string): Promise<string | undefined>;
    /** A folder. Undefined if there is none. */
    folder(path: string): Promise<HostFolder | undefined>;
    /** Names in a folder. Undefined if it can't be read. */
    entries(path: string): Promise<string[] | undefined>;
    /** Whether a file is missing. False as well if that can't be determined. */
    lacks(path: string): Promise<boolean>;
    /** The text of a file. Undefined if it doesn't exist or can't be read. */
    text(path: string): Promise<string | undefined>;
    /** IPv4 networks of its interfaces and routes, without loopback and the default route. */
    networks(): Promise<HostNetwork[]>;
    /** The same of IPv6, without link-local networks. */
    ipv6Networks(): Promise<HostNetwork[]>;
    /** Its own addresses of one family, 4 or 6. */
    addresses(family: 4 | 6): string[];
    /**
     * Error code if a program can't listen there (`EADDRINUSE` …). Undefined if it can. Port 0: any free port. `::` is every
     * IPv6 address, and no IPv4 address.
     */
    refusalToListen(port: number, address: string): Promise<string | undefined>;
}

/** The host that the program runs on. */
export const localHost: LocalHost = {
    realPath: (path) => realpath(path).catch(() => undefined),
    async folder(path) {
        const found = await stat(path).catch(() => undefined);
        return found?.isDirectory() === true
            ? { device: found.dev, inode: found.ino, owner: found.uid, group: found.gid }
            : undefined;
    },
    entries: (path) => readdir(path).catch(() => undefined),
    lacks: (path) =>
        stat(path).then(
            () => false,
            (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT",
        ),
    text: (path) => readFile(path, "utf8").catch(() => undefined),
    async networks() {
        const ofInterfaces = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
            addresses.flatMap(({ family, internal, cidr }) =>
                family === "IPv4" && !internal && cidr !== null ? [{ interface: name, subnet: networkOf(cidr) }] : [],
            ),
        );
        return [...ofInterfaces, ...routesOf((await localHost.text("/proc/net/route")) ?? "")];
    },
    ipv6Networks: async () => ipv6RoutesOf((await localHost.text("/proc/net/ipv6_route")) ?? ""),
    addresses: (family) =>
        Object.values(networkInterfaces()).flatMap((addresses = []) =>
            addresses
                // A link-local IPv6 address belongs to an interface, and can't be listened on without the interface's name.
                .filter((other) => other.family === `IPv${family}` && !other.address.startsWith("fe80:"))
                .map(({ address }) => address),
        ),
    refusalToListen: (port, address) =>
        new Promise((resolve) => {
            const server = createServer();
            server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
            server.listen({ port, host: address, exclusive: true, ipv6Only: isIPv6(address) }, () =>
                server.close(() => resolve(undefined)),
            );
        }),
};

/**
 * The host of an engine at a socket of this host. If the host's address isn't one of this host, the engine is in a network namespace
 * of its own: then its ports and networks are others than this host's, and can't be tested.
 *
 * @param address Undefined for the only host of a deployment.
 */
export function localHostAt(address: string | undefined): LocalHost {
    const own = [...localHost.addresses(4), ...localHost.addresses(6)];
    return address === undefined || own.includes(address) ? localHost : WITHOUT_NETWORKS;
}

const WITHOUT_NETWORKS: LocalHost = {
    ...localHost,
    networks: () => Promise.resolve([]),
    ipv6Networks: () => Promise.resolve([]),
    refusalToListen: () => Promise.resolve(undefined),
};
